@testable import InputMerge
import Testing
import WireProtocol

@Suite("Fusion: several controllers, one player")
struct FusionTests {
    /// `controllers` of one player; controller `peer` is pushed for 50 ms beginning at each of `pushes[peer]` ms.
    private func play(_ fusion: FusionRule, _ pushes: [[Double]], until end: Double = 1_500) -> Bench {
        var bench = Bench(
            MergeConfiguration(gestures: [.keepCalmJump], fusion: fusion), controllers: pushes.count, together: true)
        for step in 0..<UInt32(end / 10) {
            let time = Double(step) * 10
            for (peer, times) in pushes.enumerated() {
                let isPushed = times.contains { ($0..<$0 + 50).contains(time) }
                bench.arrive(sample(at: time, push: SIMD3(0, isPushed ? 1 : 0, 0)), step, at: time, from: peer)
            }
            bench.advance(to: time)
        }
        return bench
    }

    private func began(_ bench: Bench) -> [GestureEvent] { bench.events.filter { $0.phase == .began } }

    @Test("Any: whatever a controller does, the player does")
    func any() {
        let events = began(play(.any, [[100], [300, 900]]))
        #expect(events.map(\.controllers) == [[0], [1], [1]])
        #expect(events.map(\.player) == [1, 1, 1])
        #expect(Set(events.map(\.id)).count == 3)
    }

    @Test("All: once, when the last one did it, as vague as the vaguest, naming everyone")
    func all() throws {
        var bench = play(.all(within: .milliseconds(200)), [[100], [250], [180]])
        let event = try #require(began(bench).first)
        #expect(began(bench).count == 1)
        #expect(event.occurredAt == ms(250))
        #expect(event.controllers == [0, 1, 2])
        #expect(event.uncertaintyNanoseconds == 11_000_000)
        bench.events.removeAll { $0.phase == .began }
        #expect(bench.seen == ["keepcalm-jump.ended@300"])
        #expect(bench.events.first?.id == event.id)
    }

    @Test("All: it started when the first of them did, whoever that was", arguments: [0, 1])
    func startedTogether(first: Int) throws {
        let rule = FusionRule.of("all:500ms")
        var fusion = Fusion(rule.gestures, rule.motion)
        let votes = Votes((0..<2).map { (peer: $0, isLive: true) }, whenLost: .ignore)
        var outcomes: [Fusion.Outcome] = []
        let did: [(peer: Int, at: Double, sinceStart: Double)] = [(first, 100, 0.06), (1 - first, 250, 0.05)]
        for deed in did {
            let recognition = Recognition(
                .began, strength: 1, confidence: 1, measures: GestureMeasures(sinceStart: deed.sinceStart))
            let detection = Detection(peer: deed.peer, gesture: 0, recognition: recognition, occurredAt: ms(deed.at))
            outcomes += fusion.take(detection, votes: votes, nextID: GestureID(player: 1, serial: 1))
        }
        let began = try #require(outcomes.first).detection
        #expect(began.occurredAt == ms(250))
        let sinceStart = try #require(began.recognition.measures.sinceStart)
        #expect(abs(sinceStart - 0.21) < 1e-9)
    }

    @Test("All: too far apart is not together, but the next try may be")
    func notTogether() {
        let bench = play(.all(within: .milliseconds(200)), [[100, 900], [310, 1_000]])
        #expect(began(bench).map(\.occurredAt) == [ms(1_000)])
    }

    @Test("All: one gesture of a controller serves one gesture of the player only")
    func usedOnce() {
        let bench = play(.all(within: .seconds(2)), [[100], [150, 700, 1_200]])
        #expect(began(bench).map(\.occurredAt) == [ms(150)])
    }

    @Test("All: a controller without a clock leaves the player's time unsure")
    func vague() {
        var bench = play(.all(within: .milliseconds(200)), [[], []], until: 100)
        let blind = ClockMapping(state: .none, deviceAnchor: .init(nanoseconds: 0), hostAnchor: ms(0))
        bench.merge.updateClock(of: 1, blind)
        for peer in 0..<2 { bench.arrive(sample(at: 100, push: SIMD3(0, 1, 0)), 10, at: 100, from: peer) }
        bench.advance(to: 100)
        #expect(bench.events.map(\.uncertaintyNanoseconds) == [nil])
    }

    @Test("All: who disconnects is waited for no more; what waited only for him happens now, and ends")
    func disconnected() {
        var bench = play(.all(within: .milliseconds(300)), [[100], [150], []], until: 300)
        #expect(bench.events.isEmpty)
        bench.merge.disconnect(peer: 2)
        bench.advance(to: 300)
        #expect(bench.seen == ["keepcalm-jump.began@150", "keepcalm-jump.ended@200"])
        #expect(bench.events.first?.controllers == [0, 1])
    }

    @Test("All: a jump of long ago does not happen because someone leaves")
    func disconnectedLater() {
        var bench = play(.all(within: .milliseconds(300)), [[100], [150], []], until: 1_000)
        bench.merge.disconnect(peer: 2)
        bench.advance(to: 1_000)
        #expect(bench.events.isEmpty)
    }

    @Test("All: a controller that fell silent is not waited for")
    func silent() {
        var bench = Bench(
            MergeConfiguration(gestures: [.keepCalmJump], fusion: .all(within: .milliseconds(200))), controllers: 2,
            together: true, motion: pushed(at: 250))
        bench.arrive(0, at: 0, from: 1)
        for index in UInt32(0)..<300 { bench.arrive(index, at: Double(index) * 10) }
        bench.advance(to: 3_000)
        #expect(bench.seen == ["keepcalm-jump.began@2500", "keepcalm-jump.ended@2510"])
        #expect(bench.events.first?.controllers == [0])
    }

    @Test(
        "The role of a controller not heard yet goes as the rule says; from its first moment on it holds it",
        arguments: [
            ("split:push/side,ignore", true), ("split:push/side,hand-over", true), ("split:push/side,wait", false),
            ("own,hand-over", true), ("own,ignore", false),
        ])
    func notHeardYet(rule: String, isHandedOver: Bool) {
        var bench = Bench(
            MergeConfiguration(gestures: [Ensemble.push, Ensemble.side], fusion: .of(rule)), controllers: 0)
        // As after a restart of the host: both have their seats, and one is back.
        for peer in 0..<2 { bench.merge.assign(peer: peer, to: [1]) }
        bench.merge.connect(stream(1), declaration: StreamDeclaration(), now: ms(0))
        func push(_ bench: inout Bench, from first: UInt32) {
            for index in first..<first + 20 {
                let isPushed = index == first + 10
                let reading = sample(at: Double(index) * 10, push: SIMD3(0, isPushed ? 1 : 0, 0))
                bench.arrive(reading, index, at: Double(index) * 10, from: 1)
                bench.advance(to: Double(index) * 10)
            }
        }
        push(&bench, from: 0)
        #expect(began(bench).map(\.controllers) == (isHandedOver ? [[1]] : []))
        // From its first moment on the other holds its role again.
        bench.merge.connect(stream(0), declaration: StreamDeclaration(), now: ms(195))
        push(&bench, from: 20)
        #expect(began(bench).count == (isHandedOver ? 1 : 0))
    }

    @Test("Who leaves while a gesture lasts ends it")
    func leaving() {
        var bench = Bench(MergeConfiguration(gestures: [.tilt]), controllers: 2, declaration: fused)
        bench.send([tilted(0, at: 0), tilted(50, at: 10)])
        bench.send([tilted(0, at: 0), tilted(50, at: 20)], from: 1)
        bench.merge.disconnect(peer: 0)
        bench.merge.assign(peer: 1, to: [3])
        bench.advance(to: 30)
        #expect(bench.events.map { "P\($0.player) \($0.phase)" } == ["P1 began", "P2 began", "P1 ended", "P2 ended"])
        #expect(bench.merge.motion(of: 1) == nil)
        #expect(bench.merge.motion(of: 3) != nil)
    }

    @Test("A controller may drive several players; each gets events of its own")
    func severalPlayers() {
        var bench = Bench(MergeConfiguration(gestures: [.keepCalmJump]), motion: pushed(at: 1))
        bench.merge.assign(peer: 0, to: [4, 2])
        bench.play("01")
        #expect(bench.events.map(\.player) == [2, 4])
        #expect(bench.events.map(\.id.description) == ["g2-1", "g4-1"])
    }

    @Test("Events of one call come in order of occurrence, then player")
    func order() {
        var bench = Bench(MergeConfiguration(gestures: [.keepCalmJump]), controllers: 3)
        for (peer, time) in [(2, 20.0), (1, 10), (0, 20)] {
            bench.arrive(sample(at: 0), 0, at: 30, from: peer)
            bench.arrive(sample(at: time, push: SIMD3(0, 1, 0)), 1, at: 30, from: peer)
        }
        bench.advance(to: 30)
        #expect(bench.events.map(\.player) == [2, 1, 3])
    }

    @Test("Who makes a star while others make a circle belongs to no circle: both are made")
    func twoKinds() {
        let rule = FusionRule.of("quorum:2:500ms")
        var fusion = Fusion(rule.gestures, rule.motion)
        let votes = Votes((0..<4).map { (peer: $0, isLive: true) }, whenLost: .ignore)
        var made: [String] = []
        let did: [(peer: Int, kind: GestureKind, at: Double)] = [
            (0, "circle", 100), (1, "circle", 150), (2, "star", 400), (3, "star", 450), (2, "circle", 500),
        ]
        for (serial, deed) in did.enumerated() {
            var recognition = Recognition(.began, strength: 1, confidence: 1)
            recognition.kind = deed.kind
            let detection = Detection(peer: deed.peer, gesture: 0, recognition: recognition, occurredAt: ms(deed.at))
            let id = GestureID(player: 1, serial: UInt64(serial))
            for outcome in fusion.take(detection, votes: votes, nextID: id) {
                made.append("\(outcome.detection.recognition.kind?.rawValue ?? "-") \(outcome.controllers)")
            }
        }
        // Whoever comes late to the circle belongs to it still.
        #expect(made == ["circle [0, 1]", "star [2, 3]"])
    }
}
