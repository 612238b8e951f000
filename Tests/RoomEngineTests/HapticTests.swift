import InputMerge
import RoomEngine
import SessionCoordinator
import Testing
import WireProtocol

@testable import RoomSimulation

@Suite("Haptics are played in time, or not at all")
struct HapticTests {
    private func play(_ stage: inout Stage, on who: String = "P1") {
        stage.host.handle(
            .command(
                .play(who, intensity: 1, sharpness: 0.5, duration: .milliseconds(60), answering: nil),
                RequestID(rawValue: 9)), at: stage.now)
    }

    private func outcomes(_ stage: Stage) -> [RoomEvent.Haptic.Outcome] {
        stage.events.compactMap { if case .haptic(let haptic) = $0 { haptic.outcome } else { nil } }
    }

    /// Nobody moves so that the room would answer it by haptics of its own.
    private func stage(_ network: String) throws -> Stage {
        var merge = MergeConfiguration()
        merge.gestures = [.tap]
        var stage = try Stage(merge, rates: [100], networks: [network])
        stage.run(for: .seconds(2))
        return stage
    }

    @Test("Who could not hear a haptic in time does not feel it later, and it has expired")
    func late() throws {
        var stage = try stage("delay=5ms")
        stage.controllers[0].isUp = false
        for _ in 0..<3 { play(&stage) }
        stage.run(for: .seconds(3))
        stage.controllers[0].isUp = true
        stage.run(for: .seconds(7))
        #expect(stage.controllers[0].played.isEmpty)
        #expect(outcomes(stage) == [.refused(.expired), .refused(.expired), .refused(.expired)])
        play(&stage)
        stage.run(for: .seconds(1))
        #expect(stage.controllers[0].played.count == 1)
        guard case .played = outcomes(stage).last else {
            Issue.record("\(outcomes(stage))")
            return
        }
    }
}
