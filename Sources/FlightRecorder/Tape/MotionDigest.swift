import InputMerge
package import RoomEngine
import WireProtocol

/// Stands for the motion that one turn told, 60 times a second of each player: every bit of what a game steers by
/// counts, and it takes nanoseconds, where its text would take longer than the turn.
package struct MotionDigest: Hashable, Sendable {
    package private(set) var count: UInt32 = 0
    package private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    package init() {}

    /// Takes the output if it is a player's motion.
    package mutating func take(_ output: RoomOutput) {
        guard case .event(.motion(let player, let motion)) = output else { return }
        count &+= 1
        mix(UInt64(bitPattern: Int64(player)))
        mix(UInt64(bitPattern: motion.occurredAt.nanoseconds))
        let q = motion.attitude
        mix(q.w.bitPattern)
        mix(q.x.bitPattern)
        mix(q.y.bitPattern)
        mix(q.z.bitPattern)
        mix(motion.gravity)
        mix(motion.userAcceleration)
        mix(motion.rotationRate)
        mix(UInt64(bitPattern: motion.age.wholeNanoseconds))
        mix(motion.isDegraded ? 1 : 0)
    }

    private mutating func mix(_ axes: SIMD3<Double>) {
        mix(axes.x.bitPattern)
        mix(axes.y.bitPattern)
        mix(axes.z.bitPattern)
    }

    /// Each step is a bijection of the state: one changed bit always changes the end.
    private mutating func mix(_ word: UInt64) {
        value = (value ^ word) &* 0x9E37_79B9_7F4A_7C15
        value ^= value >> 29
    }
}

extension MotionDigest: Taped {
    func write(to pen: inout TapePen) {
        pen.number(UInt64(count))
        pen.fixed(value)
    }

    init(from tape: inout TapeReader) throws(TapeError) {
        self.init()
        count = try tape.take()
        value = try tape.fixed()
    }
}
