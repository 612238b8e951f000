import Foundation
import LinkEmulation
import WireProtocol

/// What a simulated controller measures: it is held in a hand that sways, and one in ten jumps every other second.
///
/// The same seed and place give the same motion.
struct SimulatedMotion: Sendable {
    private static let gravity = 9.80665
    private let isJumper: Bool
    private let swing: Double
    private let frequency: Double
    private let phase: Double
    private var noise: SeededGenerator

    /// - Parameter place: which controller of the fleet, from 0.
    init(seed: UInt64, place: Int) {
        noise = SeededGenerator(seed: seed ^ UInt64(place) &* 0xD1B5_4A32_D192_ED03)
        isJumper = place % 10 == 0
        swing = 0.05 + 0.2 * noise.fraction()
        frequency = 0.3 + noise.fraction()
        phase = 2 * .pi * noise.fraction()
    }

    /// The next sample.
    ///
    /// - Parameter time: seconds since the motion began.
    mutating func sample(after time: Double, at sampledAt: DeviceTime) -> Sample {
        let turn = 2 * .pi * frequency
        let roll = swing * sin(turn * time + phase)
        let rollRate = swing * turn * cos(turn * time + phase)
        let force = Self.gravity + (isJumper ? Self.jump(time.truncatingRemainder(dividingBy: 2)) : 0)
        func measured(_ value: Double, _ deviation: Double) -> Float {
            Float(value + deviation * (2 * noise.fraction() - 1))
        }
        return Sample(
            sampledAt: sampledAt,
            acceleration: SIMD3(
                measured(0, 0.05), measured(force * sin(roll), 0.05), measured(force * cos(roll), 0.05)),
            rotationRate: SIMD3(measured(rollRate, 0.01), measured(0, 0.01), measured(0, 0.01)))
    }

    /// What a jump adds to the force upwards, in m/s²: push, flight, landing.
    private static func jump(_ time: Double) -> Double {
        switch time {
        case 1.0..<1.25: 10
        case 1.25..<1.65: -gravity
        case 1.65..<1.85: 16
        default: 0
        }
    }
}
