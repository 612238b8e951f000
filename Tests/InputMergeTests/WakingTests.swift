import Testing
import WireProtocol

@testable import InputMerge

/// Nobody turns a quiet room: whatever acts by time alone must be asked for.
@Suite("When a merge is to be woken")
struct WakingTests {
    /// A merge that is advanced at its own deadlines only, and what it told at which moment.
    private struct Sleeper {
        var bench: Bench
        var told: [(at: HostTime, event: MergeEvent)] = []

        init(_ configuration: MergeConfiguration, controllers: Int = 1, together: Bool = false) {
            bench = Bench(configuration, controllers: controllers, together: together)
        }

        mutating func advance(to time: HostTime) {
            for event in bench.merge.advance(to: time) { told.append((time, event)) }
        }

        /// Sends a sample, and looks at what comes of it.
        mutating func arrive(_ index: UInt32, at time: Double, from peer: PeerIndex = 0, push: SIMD3<Double> = .zero) {
            sleep(until: time)
            bench.arrive(sample(at: Double(index) * 10, push: push), index, at: time, from: peer)
            advance(to: ms(time))
        }

        mutating func sleep(until time: Double) {
            var turns = 0
            while let due = bench.merge.nextDeadline, due <= ms(time) {
                advance(to: due)
                turns += 1
                guard turns <= 20 else {
                    Issue.record("it is due again and again: \(due)")
                    return
                }
            }
        }

        func times(_ isMeant: (MergeEvent) -> Bool) -> [HostTime] { told.filter { isMeant($0.event) }.map(\.at) }
    }

    @Test("A sensor that falls silent is told gone after 2 s, to the nanosecond, though nothing else is due")
    func silence() {
        var room = Sleeper(MergeConfiguration())
        for index: UInt32 in 0..<30 { room.arrive(index, at: Double(index) * 10 + 5) }
        room.sleep(until: 60_000)
        let gone = room.times {
            if case .sensor(let event) = $0 { event.change == .disconnected } else { false }
        }
        #expect(gone == [ms(295 + 2_000)])
        #expect(room.bench.merge.nextDeadline == nil, "a room in which nobody is heard sleeps")
    }

    @Test("A lesson that nobody finishes is called off at its deadline")
    func lesson() {
        var room = Sleeper(MergeConfiguration())
        room.bench.merge.teach("circle", times: 3, to: 1, until: ms(120_000))
        room.sleep(until: 300_000)
        let ended = room.times { if case .teaching(let progress) = $0 { progress.step == .abandoned } else { false } }
        #expect(ended == [ms(120_000)])
        #expect(room.bench.merge.nextDeadline == nil)
    }

    @Test("A verdict waits for nobody who has fallen silent: it falls then, not at the cap")
    func verdict() {
        var room = Sleeper(
            MergeConfiguration(
                silence: .milliseconds(150), gestures: [.keepCalmJump],
                contests: ContestRules(gestures: [.keepCalmJump], cap: .milliseconds(1_000))), controllers: 2)
        for index: UInt32 in 0..<100 {
            let time = Double(index) * 10
            if index <= 50 { room.arrive(index, at: time + 5, from: 1) }
            room.arrive(index, at: time + 6, push: SIMD3(0, index == 49 ? 1 : 0, 0))
            // Then the first falls silent too.
            if index == 55 { break }
        }
        room.sleep(until: 10_000)
        let fallen = room.told.compactMap { told in
            if case .verdict(let verdict) = told.event { (told.at, verdict.winners, verdict.decidedBy) } else { nil }
        }
        #expect(fallen.count == 1)
        #expect(fallen.first?.0 == ms(505 + 150))
        #expect(fallen.first?.1 == [1] && fallen.first?.2 == .watermark)
    }

    @Test("A gesture that two must make together waits for no one who has fallen silent")
    func together() {
        var room = Sleeper(
            MergeConfiguration(
                silence: .milliseconds(150), gestures: [.keepCalmJump],
                fusion: FusionRule(gestures: .all(within: .milliseconds(100))),
                contests: ContestRules(gestures: [], cap: .milliseconds(2_000))), controllers: 2, together: true)
        for index: UInt32 in 0...49 {
            room.arrive(index, at: Double(index) * 10 + 5, from: 1)
            room.arrive(index, at: Double(index) * 10 + 6)
        }
        // Only the one still sends, and is pushed; the other was last heard at 495 ms.
        for index: UInt32 in 50...58 {
            room.arrive(index, at: Double(index) * 10 + 6, push: SIMD3(0, index == 52 ? 1 : 0, 0))
        }
        room.sleep(until: 10_000)
        let began = room.times { if case .gesture(let event) = $0 { event.phase == .began } else { false } }
        #expect(began == [ms(495 + 150)])
    }

    @Test("A team waits for the samples of one who is heard no longer than the contests' cap")
    func team() {
        var room = Sleeper(
            MergeConfiguration(
                gestures: [.keepCalmJump],
                teams: [Team("red", [1, 2], rule: .quorum(.count(1), within: .milliseconds(100)))],
                contests: ContestRules(gestures: [], cap: .milliseconds(300))), controllers: 2)
        for index: UInt32 in 0...49 {
            room.arrive(index, at: Double(index) * 10 + 5, from: 1)
            room.arrive(index, at: Double(index) * 10 + 6)
        }
        // What the other does at 520 ms is not known yet.
        for index: UInt32 in 50...53 {
            room.arrive(index, at: Double(index) * 10 + 6, push: SIMD3(0, index == 52 ? 1 : 0, 0))
        }
        room.sleep(until: 10_000)
        let began = room.times { if case .team(let event) = $0 { event.phase == .began } else { false } }
        #expect(began == [ms(520 + 300)])
    }
}
