import Testing
import WireProtocol

@testable import InputMerge

@Suite("A fast accelerometer beside the motion tells what a stroke met")
struct StrokeImpactTests {
    /// Motion at 200 Hz and 4 g, which shows no impact as it was, and acceleration at 800 Hz and 16 g of the same device.
    private static let motion = StreamDeclaration(
        stream: 0, accelerationRange: 4 * standardGravity, nominalRate: 200, batch: .seconds(1))
    private static let fast = StreamDeclaration(
        stream: 1, measures: .acceleration, nominalRate: 800, batch: .seconds(1))
    /// Strokes begin at these times, in ms; the second one meets nothing.
    private static let strokes = [500.0, 2_200]
    private static let length = 4_000.0

    /// A hit lasts for 2 ms, between two samples of the motion.
    private static func sample(
        _ declaration: StreamDeclaration, _ index: UInt32, strokes: [Double] = StrokeImpactTests.strokes
    ) -> Sample {
        let time = 1_000 * Double(index) / declaration.nominalRate
        var rate = 0.0
        var force = SIMD3<Float>(0, 0, 9.81)
        for (place, start) in strokes.enumerated() where time >= start && time < start + 400 {
            rate = 15 * Elementary.sine(.pi * (time - start) / 400)
            if place == 0, abs(time - start - 202.5) < 1.3 { force.x = 80 }
        }
        return Sample(
            sampledAt: DeviceTime(nanoseconds: Int64(time * 1e6)), measures: declaration.measures, acceleration: force,
            rotationRate: SIMD3(0, 0, Float(rate)))
    }

    private enum Order: CaseIterable { case motionFirst, fastFirst, asTheyAreRead }

    /// What is told of both strokes.
    private func told(
        _ order: Order, has fast: Bool = true, sends: Bool = true, until end: Double = 6_000
    ) -> [GestureEvent] {
        var merge = Merge(configuration: MergeConfiguration(gestures: [.swing]))
        merge.assign(peer: 0, to: [1])
        let declarations = [Self.motion] + (fast ? [Self.fast] : [])
        for declaration in declarations {
            merge.connect(StreamKey(peer: 0, stream: declaration.stream), declaration: declaration, now: ms(0))
        }
        merge.updateClock(of: 0, clock())
        var events: [GestureEvent] = []
        var next: [UInt32] = [0, 0]
        func feed(_ merge: inout Merge, _ declaration: StreamDeclaration, until time: Double, at arrival: Double) {
            if declaration.stream == 1, !sends { return }
            while 1_000 * Double(next[Int(declaration.stream)]) / declaration.nominalRate < time {
                let index = next[Int(declaration.stream)]
                let sample = Self.sample(declaration, index)
                let key = StreamKey(peer: 0, stream: declaration.stream)
                let at = order == .asTheyAreRead ? Double(sample.sampledAt.nanoseconds) / 1e6 + 3 : arrival
                #expect(merge.accept(sample, index: index, of: key, arrivedAt: ms(at)) == .delivered)
                next[Int(declaration.stream)] += 1
            }
        }
        let step = order == .asTheyAreRead ? 10.0 : 1_000
        for end in stride(from: step, through: Self.length, by: step) {
            let inOrder = order == .fastFirst ? declarations.reversed() : declarations
            for declaration in inOrder { feed(&merge, declaration, until: end, at: end + 20) }
            for case .gesture(let event) in merge.advance(to: ms(end + 20)) { events.append(event) }
        }
        for case .gesture(let event) in merge.advance(to: ms(end)) { events.append(event) }
        return events
    }

    @Test("What it felt is told with the stroke's end, for sure, and the same however the samples come in")
    func impacts() throws {
        let told = Order.allCases.map { self.told($0) }
        let ends = told[0].filter { $0.phase == .ended }
        #expect(ends.count == 2 && told[0].count { $0.phase == .began } == 2)
        #expect(ends.map(\.measures.hit) == [true, false] && ends.allSatisfy { $0.measures.hitUncertain == nil })
        let impact = try #require(ends.first?.measures.impact)
        #expect(impact > 3 && impact < 9, "\(impact) g")
        #expect(ends.last?.measures.impact == nil)
        // From the beginning of the turn to the hit.
        let sinceStart = try #require(ends.first?.measures.sinceStart)
        #expect(abs(sinceStart - 0.2) < 0.03, "\(sinceStart) s")
        for other in told.dropFirst() { #expect(other == told[0]) }
    }

    @Test("Without it, and where it falls silent, the stroke ends as the slower sensor saw it")
    func alone() {
        let alone = told(.asTheyAreRead, has: false)
        #expect(alone.filter { $0.phase == .ended }.map(\.measures.hit) == [false, false])
        #expect(alone.filter { $0.phase == .ended }.allSatisfy { $0.measures.hitUncertain == true })
        for order in [Order.motionFirst, .asTheyAreRead] {
            let silent = told(order, sends: false)
            #expect(silent.map(\.phase) == alone.map(\.phase) && silent.map(\.measures) == alone.map(\.measures))
        }
        // It is waited for while it may still come: its batch, the holdback, and half a second.
        let early = told(.asTheyAreRead, sends: false, until: 4_030)
        #expect(early.count { $0.phase == .ended } == 1)
    }

    @Test("The next stroke's beginning waits for nothing: the one before is told with it, as the slower sensor saw it")
    func nextBeginning() throws {
        var merge = Merge(configuration: MergeConfiguration(gestures: [.swing]))
        merge.assign(peer: 0, to: [1])
        let keys = [Self.motion, Self.fast].map { StreamKey(peer: 0, stream: $0.stream) }
        merge.connect(keys[0], declaration: Self.motion, now: ms(0))
        merge.connect(keys[1], declaration: Self.fast, now: ms(0))
        merge.updateClock(of: 0, clock())
        // The first is fastest at 860 ms, over for good at 1,660, and what was felt until 1,010 is known at 2,020.
        func sample(_ declaration: StreamDeclaration, _ index: UInt32) -> Sample {
            Self.sample(declaration, index, strokes: [660, 1_680])
        }
        var events: [GestureEvent] = []
        var known = ms(0)
        for index in UInt32(0)..<600 {
            let at = ms(5 * Double(index) + 3)
            _ = merge.accept(sample(Self.motion, index), index: index, of: keys[0], arrivedAt: at)
            if index > 200, index % 200 == 4 {
                let first = (index / 200 - 1) * 800
                for felt in first..<first + 800 {
                    _ = merge.accept(sample(Self.fast, felt), index: felt, of: keys[1], arrivedAt: at)
                }
            }
            for case .gesture(let event) in merge.advance(to: at) {
                if event.phase == .began { #expect(event.occurredAt >= known, "all was said to be known until then") }
                events.append(event)
            }
            known = merge.watermarks.first?.watermark ?? known
        }
        #expect(events.count { $0.phase == .began } == 2)
        let end = try #require(events.firstIndex { $0.phase == .ended })
        let next = try #require(events.lastIndex { $0.phase == .began })
        #expect(end < next && events[end].measures.hitUncertain == true)
    }

    @Test("A slow or narrow accelerometer, or one at the other ear, is none")
    func unfit() {
        for change in [
            { $0.nominalRate = 100 }, { $0.accelerationRange = 40 }, { $0.measures = [.acceleration, .rotationRate] },
        ] as [(inout StreamDeclaration) -> Void] {
            var declaration = Self.fast
            change(&declaration)
            #expect(KnockTrail(declaration) == nil)
        }
        #expect(KnockTrail(Self.fast) != nil)
    }

    @Test("The high-pass takes gravity out, halves the power at its cutoff, and lets knocks through")
    func highPass() {
        func gain(_ frequency: Double) -> Double {
            var filter = HighPass(cutoff: 50, interval: 1.0 / 800)
            var most = 0.0
            for index in 0..<4_000 {
                let value = filter.take(SIMD3(Elementary.sine(2 * .pi * frequency * Double(index) / 800), 0, 1))
                if index > 2_000 { most = max(most, abs(value.x)) }
                #expect(abs(value.z) < 1e-12)
            }
            return most
        }
        #expect(gain(2.5) < 0.003)
        #expect(abs(gain(50) - 0.5.squareRoot()) < 0.01)
        #expect(abs(gain(190) - 1) < 0.01)
    }
}
