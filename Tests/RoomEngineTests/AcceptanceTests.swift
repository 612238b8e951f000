import InputMerge
import RoomEngine
import SessionCoordinator
import Testing
import WireProtocol

@testable import RoomSimulation

@Suite("What becomes of those whom the operator lets in")
struct AcceptanceTests {
    private let now = HostTime(nanoseconds: 3_600_000_000_000)

    private func id(_ number: UInt64) -> ControllerID {
        ControllerID(high: 0xC0FF_EE00_0000_0000 + number << 32, low: number)
    }

    /// A room of one seat that asks its operator; three wait, of whom only the second would queue.
    private func room() -> SimulatedHost {
        let room = RoomConfiguration(seats: 1, policy: .ask, linkPort: 7_777)
        var host = SimulatedHost(EngineConfiguration(room: room, merge: MergeConfiguration()), now: now)
        for number in 1...3 as ClosedRange<UInt64> {
            let invitation = Invitation(
                controller: id(number).description, process: "0000000000000001", name: "Pad \(number)",
                streams: [StreamOffer(StreamDeclaration())], haptics: true, timeout: nil,
                wait: number == 2 ? true : nil)
            func key(_ kind: UInt64) -> LinkKey { LinkKey(a: number, b: kind, c: 0, d: 0) }
            let material = LinkMaterial(
                motionKey: key(1), feedbackKey: key(2), probeKey: key(3), secret: "\(number)", secretHash: [],
                presentedHash: nil)
            let conversation = ConversationID(rawValue: number)
            host.handle(.invite(invitation, from: conversation, over: .udp, material, source: nil), at: now)
        }
        host.turn(now)
        return host
    }

    private func accept(_ number: UInt64, in host: inout SimulatedHost) -> Result<RoomAnswer, RoomError>? {
        let request = RequestID(rawValue: number)
        host.handle(.command(.accept(id(number).description), request), at: now)
        host.turn(now)
        return host.answers[request]
    }

    @Test("The first gets the seat, who would queue a place there, and who would not waits still: it is said of each")
    func each() throws {
        var host = room()
        guard case .accepted(let first) = try accept(1, in: &host)?.get(),
            case .accepted(let second) = try accept(2, in: &host)?.get()
        else {
            Issue.record("it was not said what became of them")
            return
        }
        #expect((first.outcome, first.seat, first.player, first.place) == (.seated, 1, 1, nil))
        #expect((second.outcome, second.seat, second.player, second.place) == (.queued, nil, nil, 1))
        #expect((first.controller, first.name) == (id(1).description, "Pad 1"))
        #expect(throws: RoomError.self) { try accept(3, in: &host)?.get() }
    }
}
