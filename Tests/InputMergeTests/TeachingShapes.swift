import Foundation
import InputMerge
import WireProtocol

/// Drawn in the air: what a hand does, at 100 Hz, with rests around.
enum Drawing: CaseIterable {
    case circle, square, zigzag, stab

    /// Push in g and turn in rad/s at `share` (0 to 1) of the way.
    func motion(at share: Double) -> (push: SIMD3<Double>, turn: SIMD3<Double>) {
        let angle = 2 * .pi * share
        switch self {
        case .circle:
            return (SIMD3(0.8 * cos(angle), 0.8 * sin(angle), 0), SIMD3(2 * sin(angle), 2 * cos(angle), 0))
        case .square:
            let side = Int(share * 4) % 4
            let away = sin(8 * .pi * share) * 0.9
            return side % 2 == 0
                ? (SIMD3(side == 0 ? away : -away, 0, 0), SIMD3(0, side == 0 ? 2 : -2, 0))
                : (SIMD3(0, side == 1 ? away : -away, 0), SIMD3(side == 1 ? 2 : -2, 0, 0))
        case .zigzag: return (SIMD3(0.9 * sin(3 * angle), 0.2, 0), SIMD3(0, 0, 3 * cos(3 * angle)))
        case .stab: return (SIMD3(0, 1.4 * sin(angle), 0.3 * sin(angle)), SIMD3(0.5 * sin(angle), 0, 0))
        }
    }
}

/// A hand that never does the same twice.
struct Hand {
    var random: SplitMix64
    /// When the next sample is due, in ms.
    var time = 0.0
    /// How the device is held: turned about x by so much, in rad.
    var posture = 0.0

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    private mutating func noise(_ size: Double) -> Double { size * (Double(random.below(2_001)) / 1_000 - 1) }

    mutating func rest(_ milliseconds: Double) -> [Sample] {
        (0..<Int(milliseconds / 10)).map { _ in sample(push: .zero, turn: .zero) }
    }

    /// Takes about 0.9 s, is a little different each time, and rests before and after.
    mutating func draw(_ drawing: Drawing, seconds: Double = 0.9) -> [Sample] {
        let (length, size, hurry) = (seconds * (1 + noise(0.15)), 1 + noise(0.15), noise(0.1))
        var samples = rest(500)
        let count = Int(length * 100)
        for step in 0..<count {
            let share = Double(step) / Double(count)
            let warped = share + hurry * sin(.pi * share) * share
            let (push, turn) = drawing.motion(at: min(warped, 0.9999))
            samples.append(sample(push: size * push, turn: size * turn))
        }
        return samples + rest(500)
    }

    private mutating func sample(push: SIMD3<Double>, turn: SIMD3<Double>) -> Sample {
        defer { time += 10 }
        func tip(_ v: SIMD3<Double>) -> SIMD3<Double> {
            let (c, s) = (cos(posture), sin(posture))
            return SIMD3(v.x, c * v.y - s * v.z, s * v.y + c * v.z)
        }
        let shaky = push + SIMD3(noise(0.02), noise(0.02), noise(0.02))
        let force = tip(SIMD3(0, 0, 1) - shaky) * standardGravity
        let q = Quaternion(rotationVector: SIMD3(-posture, 0, 0))
        return Sample(
            sampledAt: DeviceTime(nanoseconds: Int64(time * 1e6)), measures: [.acceleration, .rotationRate, .attitude],
            acceleration: SIMD3<Float>(force), rotationRate: SIMD3<Float>(tip(turn)),
            attitude: SIMD4<Float>(SIMD4(q.w, q.x, q.y, q.z)))
    }
}

/// A player who learns and is watched.
struct Classroom {
    var bench: Bench
    var hand: Hand
    var progress: [TeachingProgress] = []
    var shapings: [ShapingEvent] = []
    private var index: UInt32 = 0

    init(seed: UInt64 = 1, gestures: [GestureDefinition] = []) {
        bench = Bench(MergeConfiguration(gestures: gestures), declaration: fused)
        hand = Hand(seed: seed)
    }

    mutating func see(_ samples: [Sample]) {
        for sample in samples {
            let time = Double(sample.sampledAt.nanoseconds) / 1e6 + 5
            bench.arrive(sample, index, at: time)
            index += 1
            for event in bench.merge.advance(to: ms(time)) {
                switch event {
                case .gesture(let event): bench.events.append(event)
                case .teaching(let step): progress.append(step)
                case .shaping(let event): shapings.append(event)
                case .team, .verdict, .sensor, .submersion, .motions, .omitted: break
                }
            }
        }
    }

    mutating func teach(_ name: GestureKind, _ drawing: Drawing, times: Int = 3) {
        bench.merge.teach(name, times: times, to: 1)
        for _ in 0..<times { see(hand.draw(drawing)) }
    }

    /// What began while the hand did this.
    mutating func recognised(_ samples: [Sample]) -> [String] {
        bench.events = []
        see(samples)
        return bench.events.filter { $0.phase == .began }.map(\.gesture.rawValue)
    }
}
