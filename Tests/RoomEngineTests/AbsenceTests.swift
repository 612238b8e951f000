import InputMerge
import RoomEngine
import SessionCoordinator
import Testing
import WireProtocol

@testable import RoomSimulation

@Suite("What is asked of a controller that is lost")
struct AbsenceTests {
    private let now = HostTime(nanoseconds: 3_600_000_000_000)

    /// A room whose two controllers have said nothing for as long as an idle seat lasts.
    private func room(_ mode: RoomConfiguration.Mode = .competitive) -> SimulatedHost {
        let room = RoomConfiguration(seats: 2, policy: .open, mode: mode, linkPort: 7_777)
        var host = SimulatedHost(EngineConfiguration(room: room, merge: MergeConfiguration()), now: now)
        for number in 1...2 as ClosedRange<UInt64> { invite(number, to: &host, at: now) }
        for step in 1...110 { host.turn(now + .milliseconds(Int64(step * 100))) }
        return host
    }

    private func invite(_ number: UInt64, to host: inout SimulatedHost, at time: HostTime) {
        let invitation = Invitation(
            controller: ControllerID(high: number << 32, low: number).description, process: "0000000000000001",
            name: "Pad \(number)", streams: [StreamOffer(StreamDeclaration())], haptics: true, timeout: nil)
        func key(_ kind: UInt64) -> LinkKey { LinkKey(a: number, b: kind, c: 0, d: 0) }
        let material = LinkMaterial(
            motionKey: key(1), feedbackKey: key(2), probeKey: key(3), secret: "\(number)", secretHash: [],
            presentedHash: nil)
        host.handle(
            .invite(invitation, from: ConversationID(rawValue: number), over: .udp, material, source: nil), at: time)
        host.turn(time)
    }

    private func ask(_ command: RoomCommand, _ number: UInt64, of host: inout SimulatedHost) -> Bool {
        let request = RequestID(rawValue: number)
        host.handle(.command(command, request), at: now + .seconds(12))
        host.turn(now + .seconds(12))
        switch host.answers[request] {
        case .success?: return true
        case .failure?: return false
        case nil:
            Issue.record("command \(number) was not answered")
            return false
        }
    }

    @Test("It cannot show itself nor be straightened, and that is said; what games send waits for its return")
    func lost() {
        var host = room()
        #expect(!ask(.identify("P1"), 1, of: &host))
        #expect(!ask(.rezero("Pad 2"), 2, of: &host))
        #expect(ask(.send([1], "P1"), 3, of: &host))
        let haptic = RoomCommand.play(
            "P1", intensity: 1, sharpness: 0, duration: .milliseconds(60), answering: nil)
        #expect(ask(haptic, 4, of: &host))
        guard case .failure(let error) = host.answers[RequestID(rawValue: 1)] else {
            Issue.record("it was not refused")
            return
        }
        #expect(error.code == .notFound && error.message.hasPrefix("\"P1\" is lost"))
    }

    @Test("A player is lost when all of its controllers are")
    func lostTogether() {
        var host = room(.collaborative)
        #expect(!ask(.identify("P1"), 1, of: &host))
        #expect(!ask(.rezero("P1"), 2, of: &host))
        #expect(ask(.send([1], "P1"), 3, of: &host))
    }
}
