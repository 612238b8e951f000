import InputMerge
import Testing
import WireProtocol

@Suite("Several sensors of one person")
struct MotionSensorsTests {
    private let left = StreamKey(peer: 0, stream: 0)
    private let right = StreamKey(peer: 0, stream: 1)

    /// A controller with two earbuds that drives player 1.
    private func buds(_ configuration: MergeConfiguration = MergeConfiguration(gestures: [.keepCalmJump])) -> Merge {
        var merge = Merge(configuration: configuration)
        merge.assign(peer: 0, to: [1])
        merge.connect(left, declaration: StreamDeclaration(stream: 0, location: .left), now: ms(0))
        merge.connect(right, declaration: StreamDeclaration(stream: 1, location: .right), now: ms(0))
        return merge
    }

    private func says(_ events: [MergeEvent]) -> [String] {
        events.compactMap { event in
            switch event {
            case .sensor(let event): "\(event.location) \(event.change)@\(event.occurredAt.nanoseconds / 1_000_000)"
            case .gesture(let event): "\(event.gesture.rawValue) \(event.phase)"
            default: nil
            }
        }
    }

    @Test("A sensor is connected with its first sample and disconnected after a silence, each told once")
    func presence() {
        var merge = buds()
        #expect(merge.advance(to: ms(0)).isEmpty)
        var told: [String] = []
        for index in UInt32(0)..<500 {
            let time = Double(index) * 10
            _ = merge.accept(sample(at: time), index: index, of: left, arrivedAt: ms(time))
            if index < 100 { _ = merge.accept(sample(at: time), index: index, of: right, arrivedAt: ms(time)) }
            told += says(merge.advance(to: ms(time)))
        }
        #expect(told == ["left connected@0", "right connected@0", "right disconnected@2990"])
        merge.disconnect(peer: 0)
        #expect(says(merge.advance(to: ms(5_000))) == ["left disconnected@4990"])
    }

    @Test("A sensor that hands over three seconds at once is there between its batches, and counts among all")
    func longBatch() {
        var bench = Bench(
            MergeConfiguration(gestures: [Ensemble.push], fusion: .of("all:300ms")), controllers: 2, together: true)
        bench.merge.connect(stream(0), declaration: StreamDeclaration(batch: .seconds(3)), now: ms(0))
        var changes: [SensorEvent.Change] = []
        var gestures = 0
        for index in UInt32(0)..<1_200 {
            let time = Double(index) * 10
            // The one who sends all the time pushes alone: just after a batch of the other, and long after it.
            let isPushing = [3_500, 5_800, 8_800].contains(time)
            bench.arrive(sample(at: time, push: SIMD3(0, isPushing ? 1 : 0, 0)), index, at: time, from: 1)
            if index % 300 == 299 { for late in index - 299...index { bench.arrive(late, at: time) } }
            for event in bench.merge.advance(to: ms(time)) {
                // That its readings are all the same is told, too.
                if case .sensor(let event) = event, event.sensor == stream(0), event.change != .problem(.stuck) {
                    changes.append(event.change)
                }
                if case .gesture = event { gestures += 1 }
            }
        }
        #expect(changes == [.connected] && gestures == 0, "\(changes), \(gestures) gestures")
    }

    @Test("The other bud takes over when the speaking one falls silent; what had begun ends, and gestures go on")
    func takeOver() throws {
        var merge = buds()
        var told: [String] = []
        for index in UInt32(0)..<600 {
            let time = Double(index) * 10
            // Pushed at 0.9 s, and from 4 s on.
            let push = SIMD3(0, (900..<1_000).contains(time) || (4_000..<4_100).contains(time) ? 1.0 : 0, 0)
            let reading = sample(at: time, push: push)
            if time < 950 { _ = merge.accept(reading, index: index, of: left, arrivedAt: ms(time)) }
            _ = merge.accept(reading, index: index, of: right, arrivedAt: ms(time))
            told += says(merge.advance(to: ms(time)))
        }
        #expect(
            told == [
                "left connected@0", "right connected@0", "keepcalm-jump began", "keepcalm-jump ended",
                "right tookOver(from: Optional(0))@2940", "left disconnected@2940", "keepcalm-jump began",
                "keepcalm-jump ended",
            ])
        #expect(try #require(merge.motion(of: 1)).location == .right)
    }

    @Test("None takes over from one that was heard as long as the host looked, and may wait unread")
    func unread() {
        var merge = buds()
        for bud in [left, right] { _ = merge.accept(sample(at: 0), index: 0, of: bud, arrivedAt: ms(0)) }
        _ = merge.advance(to: ms(0))
        // The host stood still for 3 s, and reads the right one's first.
        _ = merge.accept(sample(at: 10), index: 1, of: right, arrivedAt: ms(10), now: ms(3_000))
        #expect(says(merge.advance(to: ms(3_000), heardUntil: ms(10))) == [])
    }

    @Test("Who took over keeps speaking when the first one comes back")
    func sticky() throws {
        var merge = buds()
        for index in UInt32(0)..<600 {
            let time = Double(index) * 10
            let isLeftThere = time < 500 || time > 4_000
            if isLeftThere { _ = merge.accept(sample(at: time), index: index, of: left, arrivedAt: ms(time)) }
            _ = merge.accept(sample(at: time), index: index, of: right, arrivedAt: ms(time))
            _ = merge.advance(to: ms(time))
        }
        #expect(try #require(merge.motion(of: 1, at: ms(6_000))).sensor == right)
    }

    @Test("Of watch and phone, two controllers of one player, the first that is heard is shown, without jumping")
    func twoControllers() throws {
        var bench = Bench(MergeConfiguration(gestures: []), controllers: 2, together: true)
        for index in UInt32(0)..<600 {
            let time = Double(index) * 10
            if time < 1_000 { bench.arrive(index, at: time + 3) }
            bench.arrive(index, at: time + 5, from: 1)
            bench.advance(to: time + 5)
            let shown = try #require(bench.merge.motion(of: 1, at: ms(time + 5))).sensor.peer
            #expect(shown == (time < 2_990 ? 0 : 1), "at \(time) ms")
        }
    }

    @Test("A new epoch of a sensor that is there is no new connection")
    func epochs() {
        var merge = buds()
        _ = merge.accept(sample(at: 0), index: 0, of: left, arrivedAt: ms(0))
        _ = merge.advance(to: ms(0))
        merge.connect(left, declaration: StreamDeclaration(location: .left), now: ms(10))
        _ = merge.accept(sample(at: 10), index: 0, of: left, arrivedAt: ms(10))
        #expect(says(merge.advance(to: ms(10))) == [])
    }

    @Test("What was made level stays level when a lesson begins")
    func levelInLesson() {
        var bench = Bench(MergeConfiguration(gestures: [.tilt]), declaration: fused)
        bench.send((0..<100).map { tilted(60, at: Double($0) * 10) })
        #expect(bench.seen.map { $0.prefix(10) } == ["tilt.began"])
        bench.merge.rezero(player: 1)
        bench.send((100..<150).map { tilted(60, at: Double($0) * 10) }, startingAt: 100)
        #expect(bench.events.last?.phase == .ended)
        bench.merge.teach("circle", times: 3, to: 1)
        bench.send((150..<250).map { tilted(60, at: Double($0) * 10) }, startingAt: 150)
        #expect(bench.events.count == 2, "\(bench.seen)")
        bench.send((250..<300).map { tilted(0, at: Double($0) * 10) }, startingAt: 250)
        #expect(bench.events.count == 3, "\(bench.seen)")
    }
}
