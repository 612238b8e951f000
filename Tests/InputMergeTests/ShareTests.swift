import Testing
import WireProtocol

@testable import InputMerge

@Suite("Who has a part in what, and what a gesture forgets of the one before")
struct ShareTests {
    @Test("A lost controller whose share is gone has no part in what others do together; one that is waited for has")
    func lost() {
        for (loss, controllers) in [(FusionRule.Loss.ignore, [1, 2]), (.wait, [0, 1, 2])] {
            let members = [(peer: 0, isLive: false), (peer: 1, isLive: true), (peer: 2, isLive: true)]
            let votes = Votes(members, whenLost: loss)
            var fusion = Fusion(.all(within: .milliseconds(300)), .mean)
            var told: [Fusion.Outcome] = []
            for peer in 0..<3 {
                let began = Detection(
                    peer: peer, gesture: 0, recognition: Recognition(.began, strength: 0.5, confidence: 1),
                    occurredAt: ms(Double(peer) * 100))
                told += fusion.take(began, votes: votes, nextID: GestureID(player: 1, serial: 1))
            }
            #expect(told.map(\.controllers) == [controllers])
            #expect(told.first?.detection.occurredAt == ms(200))
        }
    }

    @Test("A shake is as strong as its own swings are, not as those of the shake before")
    func shakes() {
        var recognizer = ShakeRecognizer(ShakeRule())
        var time = 0.0
        /// To and fro along a level line for so long, with 100 ms a way.
        func shake(_ force: Double, for duration: Double) -> [Recognition] {
            let end = time + duration
            var seen: [Recognition] = []
            while time < end {
                let isBack = Int(time / 100) % 2 == 1
                let motion = DeviceMotion(
                    sampledAt: DeviceTime(nanoseconds: Int64(time * 1e6)), occurredAt: ms(time), attitude: .identity,
                    gravity: SIMD3(0, 0, -1), userAcceleration: SIMD3(isBack ? -force : force, 0, 0),
                    rotationRate: .zero, source: .sixAxis)
                if let found = recognizer.update(motion) { seen.append(found) }
                time += 10
            }
            return seen
        }
        let alone = shake(2.5, for: 1_000)
        let calm = shake(0, for: 2_000)
        let hard = shake(9, for: 1_000)
        _ = shake(0, for: 2_000)
        let again = shake(2.5, for: 1_000)
        #expect(alone.map(\.phase) == [.began] && calm.map(\.phase) == [.ended] && again.map(\.phase) == [.began])
        #expect(hard.first?.strength == 1)
        #expect((alone.first?.strength ?? 1) < 0.6)
        #expect((again.first?.strength ?? 1) < 0.6)
    }
}
