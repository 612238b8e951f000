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

    @Test("Where several controllers are one player, what is told to P1 reaches each of them; only one can be moved")
    func collaborative() throws {
        var merge = MergeConfiguration()
        merge.gestures = [.tap]
        var stage = try Stage(
            merge, rates: [100, 100], networks: ["delay=5ms", "delay=5ms"], mode: .collaborative)
        stage.run(for: .seconds(2))
        play(&stage)
        let commands: [RoomCommand] = [
            .identify("P1"), .send([1], "p1"), .sendNewest([1], channel: 0, "P1"), .rezero("P1"), .move("P1", seat: 3),
        ]
        for (number, command) in commands.enumerated() {
            stage.host.handle(.command(command, RequestID(rawValue: UInt64(10 + number))), at: stage.now)
        }
        stage.run(for: .seconds(1))
        #expect(stage.controllers.map(\.played.count) == [1, 1])
        #expect(outcomes(stage).count == 2)
        let refused = (9..<15).map { number -> RoomError.Code? in
            guard case .failure(let error) = stage.host.answers[RequestID(rawValue: UInt64(number))] else { return nil }
            return error.code
        }
        #expect(refused == [nil, nil, nil, nil, nil, .ambiguous])
    }
}
