import InputMerge
import RoomEngine
import SessionCoordinator
import Testing
import WireProtocol

@testable import RoomSimulation

@Suite("What controllers' buttons can mean is told to those that have such buttons")
struct ButtonListTests {
    private static let now = HostTime(nanoseconds: 1_000_000_000)
    private static let page = StreamDeclaration(
        measures: .buttons, buttonGestures: ["jump", StreamDeclaration.taughtGesture])
    private static func taught(_ name: String) -> TaughtGesture? {
        let moments = (0..<64).map { step in
            MotionTrace.Moment(
                time: Double(step) / 64, force: SIMD3(Float(step % 7), 1, 0), rotationRate: .zero)
        }
        return MotionTrace(moments).map { TaughtGesture(GestureKind(rawValue: name), examples: [$0]) }
    }

    /// A room with two seats; who sits on the first had taught something.
    private func host(_ names: [String] = ["ring"]) throws -> SimulatedHost {
        var merge = MergeConfiguration()
        merge.gestures = [.jump, .shake]
        let room = RoomConfiguration(seats: 2, policy: .open)
        let gestures = try names.map { try #require(Self.taught($0)) }
        var host = SimulatedHost(EngineConfiguration(room: room, merge: merge), now: Self.now)
        host.talents = [id(1): PlayerTalents(gestures: gestures)]
        host.restart(now: Self.now)
        return host
    }

    private func id(_ number: UInt64) -> ControllerID { ControllerID(high: 7, low: number) }

    private func join(_ host: inout SimulatedHost, _ number: UInt64, _ stream: StreamDeclaration) {
        let invitation = Invitation(
            controller: id(number).description, process: "0000000000000001", name: "Pad \(number)",
            streams: [StreamOffer(stream)], haptics: true)
        func key(_ kind: UInt64) -> LinkKey { LinkKey(a: number, b: kind, c: 0, d: 0) }
        let material = LinkMaterial(
            motionKey: key(1), feedbackKey: key(2), probeKey: key(3), secret: "", secretHash: [1], presentedHash: nil)
        host.handle(
            .invite(
                invitation, from: ConversationID(rawValue: number), over: .wss, material, source: nil),
            at: Self.now)
        host.turn(Self.now)
    }

    private func lists(_ host: inout SimulatedHost) -> [UInt64: [ButtonList]] {
        defer { host.said = [] }
        return host.said.reduce(into: [:]) { lists, said in
            if case .buttons(let list) = said.message { lists[said.conversation.rawValue, default: []].append(list) }
        }
    }

    @Test("At the seat, and when what was taught changes; nobody else is told, and nobody who has no such buttons")
    func told() throws {
        var host = try host()
        join(&host, 1, Self.page)
        join(&host, 2, StreamDeclaration())
        let first = lists(&host)
        #expect(first[1]?.last == ButtonList(gestures: ["jump", "shake"], taught: ["ring"]))
        #expect(first[2] == nil)
        func teach(_ command: TeachingCommand) {
            host.handle(.command(.teaching(command), RequestID(rawValue: UInt64(host.turns))), at: Self.now)
            host.turn(Self.now)
        }
        teach(.rename("P1", "ring", to: "circle"))
        #expect(lists(&host) == [1: [ButtonList(gestures: ["jump", "shake"], taught: ["circle"])]])
        // What does not change it is not told: another's talents, one's own, somebody who comes and goes.
        teach(.sensitivity("P2", 2))
        teach(.sensitivity("P1", 2))
        host.handle(.command(.kick("P2", message: nil), RequestID(rawValue: 77)), at: Self.now)
        host.turn(Self.now)
        #expect(lists(&host) == [:])
        teach(.remove("P1", "circle"))
        #expect(lists(&host)[1]?.last?.taught == [])
    }

    @Test("A seat that is swapped has its player's")
    func swapped() throws {
        var host = try host()
        join(&host, 1, Self.page)
        join(&host, 2, Self.page)
        #expect(lists(&host)[2]?.last?.taught == [])
        host.handle(.command(.swap("P1", "P2"), RequestID(rawValue: 9)), at: Self.now)
        host.turn(Self.now)
        let players = host.engine.coordinator.sitters.map { ($0.controller, $0.player) }
        let swapped = lists(&host)
        for (controller, player) in players {
            let taught = host.engine.standingTalents.contains { $0.controller == controller } ? ["ring"] : []
            let told = swapped[controller.low]?.last?.taught
            #expect(told == nil || told == taught, "\(controller) drives P\(player)")
        }
    }

    @Test("A gesture that gets another one's name takes its place: there are no two of one name")
    func renamedOver() throws {
        for (name, taught) in [("arc", ["arc", "zig"]), ("zig", ["zig"])] {
            var host = try host(["ring", "zig"])
            join(&host, 1, Self.page)
            #expect(lists(&host)[1]?.last?.taught == ["ring", "zig"])
            host.handle(.command(.teaching(.rename("P1", "ring", to: name)), RequestID(rawValue: 7)), at: Self.now)
            host.turn(Self.now)
            #expect(lists(&host)[1]?.last?.taught == taught)
            #expect(host.talents[id(1)]?.gestures.map(\.kind.rawValue) == taught)
        }
    }
}
