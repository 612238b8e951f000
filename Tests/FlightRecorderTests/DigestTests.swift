import RoomEngine
import Testing
import WireProtocol

@testable import FlightRecorder
@testable import InputMerge

@Suite("What stands for the motion that a turn told")
struct DigestTests {
    private func digest(
        isDegraded: Bool = false, turn: Double = 0, force: Double = 0, player: PlayerNumber = 1, times: Int = 1
    ) -> MotionDigest {
        let now = HostTime(nanoseconds: 1_000)
        let motion = DeviceMotion(
            sampledAt: DeviceTime(nanoseconds: 900), occurredAt: now, attitude: .identity,
            gravity: SIMD3(0, 0, -1), userAcceleration: SIMD3(0, force, 0), rotationRate: SIMD3(0, 0, turn),
            source: .sixAxis, isDegraded: isDegraded)
        let state = PlayerMotion(LiveMotion(motion, of: StreamKey(peer: 0, stream: 0), at: now), of: player)
        var digest = MotionDigest()
        for _ in 0..<times { digest.take(.event(.motion(player, state))) }
        return digest
    }

    @Test("Whatever of it is another, the digest is another")
    func differences() {
        let all = [
            digest(), digest(isDegraded: true), digest(turn: 0x1p-40), digest(force: 0x1p-40), digest(player: 2),
            digest(times: 2),
        ]
        #expect(Set(all).count == all.count)
        #expect(digest(isDegraded: true) == digest(isDegraded: true))
    }
}
