import InputMerge
import SessionCoordinator
import Testing
import WireProtocol

@testable import RoomEngine
@testable import RoomSimulation

@Suite("Crowds that come and go")
struct CrowdTests {
    private static func load(_ engine: Engine) -> [String] {
        engine.load.filter { $0.what != "departed peers" }.map { "\($0.count) \($0.what)" }
    }

    @Test("Twice as many as there are seats within a second: each is answered in the turn in which it asks: P9")
    func storm() throws {
        let start = HostTime(nanoseconds: 3_600_000_000_000)
        let seats = 500
        var host = SimulatedHost(
            EngineConfiguration(room: RoomConfiguration(seats: seats, policy: .open)), now: start)
        host.turn(start)
        let before = Self.load(host.engine)
        var (seated, full) = (0, 0)
        for number in 1...UInt64(2 * seats) {
            let now = start + .milliseconds(Int64(number))
            let conversation = ConversationID(rawValue: number)
            let invitation = Invitation(
                controller: ControllerID(high: 7, low: number).description, process: number.paddedHex, name: "Pad",
                streams: [StreamOffer(StreamDeclaration())], haptics: true, timeout: nil)
            func key(_ kind: UInt64) -> LinkKey { LinkKey(a: number, b: kind, c: 0, d: 0) }
            let material = LinkMaterial(
                motionKey: key(1), feedbackKey: key(2), probeKey: key(3), secret: "", secretHash: [], presentedHash: nil
            )
            host.handle(.invite(invitation, from: conversation, over: .udp, material, source: nil), at: now)
            host.turn(now)
            #expect(host.said.count == 1 && host.said.first?.conversation == conversation)
            switch host.said.first?.message {
            case .seated: seated += 1
            case .refused(let refusal) where refusal.reason == .full: full += 1
            default: Issue.record("\(number) heard \(host.said)")
            }
            host.said = []
        }
        #expect((seated, full) == (seats, seats))
        #expect(host.engine.coordinator.freeSeats == 0)
        // Nobody was ever heard: after the idle and the grace time the room is as it was.
        var now = start + .seconds(1)
        while let due = host.engine.nextDeadline, due < start + .seconds(120) {
            now = max(due, now)
            host.turn(now)
        }
        #expect(host.engine.coordinator.freeSeats == seats)
        let places = "\(seats) peers' places"
        #expect(Self.load(host.engine).map { $0 == places ? "0 peers' places" : $0 } == before)
    }

    @Test("An hour in which somebody comes and goes every three seconds leaves a room as it was: P10")
    func churn() throws {
        var house = EngineHouse(RoomConfiguration(seats: 2, policy: .open))
        house.turn()
        let before = Self.load(house.engine)
        for number in 1...1_200 as ClosedRange<UInt64> {
            let joined = house.join(number)
            var guest = try #require(joined)
            house.receive(guest.goodbye(at: house.now))
            house.turn()
            #expect(house.players.map(\.state) == [.joined, .left])
            house.outputs = []
            house.now = house.now + .seconds(3)
        }
        #expect(house.engine.coordinator.freeSeats == 2)
        // The place at the table is used again; nothing else is left of anyone but a line in the list of those who left.
        #expect(Self.load(house.engine).map { $0 == "1 peers' places" ? "0 peers' places" : $0 } == before)
        #expect(house.engine.departed.count == 1_200)
        // What was under way may come for 3 s still; then an empty room sleeps.
        let end = house.now + .seconds(10)
        while let due = house.engine.nextDeadline, due < end {
            house.now = max(due, house.now)
            house.turn()
        }
        #expect(house.engine.nextDeadline == nil)
    }

    @Test("100,000 strangers' datagrams in a second cost the seated no sample, and are all booked: A1")
    func flood() throws {
        var stage = try Stage(
            .init(), rates: [60, 60, 100], networks: Array(repeating: "delay=5ms", count: 3))
        stage.unitTime = .nanoseconds(250)
        stage.run(for: .seconds(1))
        let load = Self.load(stage.host.engine)
        let calm = stage.longestWait
        let connection = try #require(stage.host.engine.coordinator.reports(now: stage.now).first?.connection).rawValue
        let seated = [0x11] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: connection >> $0) }
        var random: UInt64 = 0x9E37_79B9_7F4A_7C15
        for _ in 0..<1_000 {
            var datagrams: [[UInt8]] = []
            for _ in 0..<100 {
                var bytes = [UInt8](repeating: 0, count: 33 + Int(random >> 32) % 200)
                for place in bytes.indices.prefix(16) {
                    random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                    bytes[place] = UInt8(truncatingIfNeeded: random >> 56)
                }
                // Some look like ours, and some like a seated controller's.
                if random >> 62 == 0 { bytes[0] = 0x11 }
                if random >> 62 == 1 { bytes.replaceSubrange(0..<5, with: seated) }
                datagrams.append(bytes)
            }
            stage.throwIn(datagrams)
            stage.run(for: .milliseconds(1))
        }
        let strangers = stage.host.engine.coordinator.strangers
        #expect(strangers.badAuth + strangers.unknown + strangers.malformed == 100_000)
        #expect(strangers.badAuth > 0 && strangers.unknown > 0 && strangers.malformed > 0)
        #expect(Self.load(stage.host.engine) == load)
        // 100 of them arrive in one moment: 100 µs of work.
        #expect(stage.longestWait - calm < .milliseconds(1))
        for place in stage.controllers.indices { stage.controllers[place].nextSampleAt = nil }
        stage.run(for: .seconds(1))
        for report in stage.host.engine.coordinator.reports(now: stage.now) {
            #expect(report.samples.late == 0 && report.samples.missing == 0 && report.samples.abandoned == 0)
            #expect(report.datagrams.missing == 0 && report.datagrams.duplicate == 0)
        }
    }
}
