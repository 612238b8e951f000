import RoomEngine
import SessionCoordinator
import Testing
import WireProtocol

@testable import RoomSimulation

@Suite("Batteries are shown, and warned of")
struct BatteryTests {
    private static let start = HostTime(nanoseconds: 1_000_000_000)
    private static let conversation = ConversationID(rawValue: 1)

    /// A phone's page that has a seat.
    private func host() -> SimulatedHost {
        var host = SimulatedHost(
            EngineConfiguration(room: RoomConfiguration(seats: 2, policy: .open)), now: Self.start)
        join(&host, 1, at: Self.start)
        host.events = []
        return host
    }

    private func join(_ host: inout SimulatedHost, _ number: UInt64, at now: HostTime) {
        let invitation = Invitation(
            controller: ControllerID(high: 7, low: number).description, process: "0000000000000001", name: "Pad",
            streams: [StreamOffer(StreamDeclaration())], haptics: true)
        let key = LinkKey(a: number, b: 2, c: 3, d: 4)
        let material = LinkMaterial(
            motionKey: key, feedbackKey: key, probeKey: key, secret: "", secretHash: [1], presentedHash: nil)
        host.handle(
            .invite(invitation, from: ConversationID(rawValue: number), over: .wss, material, source: nil), at: now)
        host.turn(now)
    }

    /// What is told as its page says these charges, 20 s apart; `+` where it is being charged.
    private func told(_ charges: [String], every pause: Duration = .seconds(20)) -> [String] {
        var host = host()
        for (step, text) in charges.enumerated() {
            var report = SensorReport()
            report.battery = Int(text.filter(\.isNumber))
            report.charging = text.hasSuffix("?") ? nil : text.hasSuffix("+")
            let now = Self.start + pause * (step + 1)
            host.handle(.sensor(report, from: Self.conversation), at: now)
            host.turn(now)
        }
        return host.events.compactMap { event in
            guard case .battery(let notice) = event else { return nil }
            #expect(notice.player == 1 && notice.controller == ControllerID(high: 7, low: 1))
            return "\(notice.percent)" + (notice.isCharging == true ? "+" : notice.isCharging == nil ? "?" : "")
        }
    }

    @Test("It is told once as it falls to 20, 10 and 5 %, and once as it is well again")
    func limits() {
        #expect(told(["80", "50", "21"]) == [])
        #expect(told(["80", "20", "19", "11", "10", "6", "5", "1", "0"]) == ["20", "10", "5"])
        #expect(told(["15", "15+", "16+", "30"]) == ["15", "15+"])
        #expect(told(["15+", "4+"]) == [])
        #expect(told(["18", "21", "24", "20", "26", "20"]) == ["18", "26", "20"])
        #expect(told(["9?", "8?"]) == ["9?"])
    }

    @Test("A battery that leaps is told every 10 s at most, and what no battery has is not known")
    func leaping() {
        let leaps = (0..<100).map { $0 % 2 == 0 ? "4" : "90" }
        #expect(told(leaps, every: .milliseconds(100)).count == 1)
        #expect(told(["101", "4000000000"]) == [])
    }

    @Test("Whoever sits there next is told of its own battery, however low the one was that left")
    func nextAtThisPlace() {
        var host = host()
        func say(_ percent: Int, _ conversation: UInt64, at second: Int64) {
            var report = SensorReport()
            report.battery = percent
            let now = Self.start + .seconds(second)
            host.handle(.sensor(report, from: ConversationID(rawValue: conversation)), at: now)
            host.turn(now)
        }
        say(4, 1, at: 20)
        host.handle(.goodbye(Farewell(reason: "left"), from: Self.conversation), at: Self.start + .seconds(40))
        host.turn(Self.start + .seconds(40))
        join(&host, 2, at: Self.start + .seconds(41))
        say(18, 2, at: 42)
        let told = host.events.compactMap { if case .battery(let notice) = $0 { notice } else { nil } }
        #expect(told.map(\.percent) == [4, 18])
        #expect(told.map(\.controller.low) == [1, 2] && told.map(\.player) == [1, 1])
    }
}
