import InputMerge
import RoomEngine
import Testing

@testable import RoomSimulation

/// Who comes back as another run of its program. Over sockets: `test_phone_return.py`.
@Suite("A controller's next life")
struct NextLifeTests {
    /// Phases of the first player's pushes that were told so far.
    private func told(_ stage: Stage) -> [GestureEvent.Phase] {
        (stage.events + stage.host.events).compactMap {
            if case .gesture(let gesture, _) = $0, gesture.gesture == .keepCalmJump { gesture.phase } else { nil }
        }
    }

    @Test("A gesture that was under way ends with the life in which it began, though the next one never moves")
    func openGesture() throws {
        var stage = try Stage(MergeConfiguration(gestures: [.keepCalmJump]), rates: [100], networks: ["delay=2500us"])
        stage.run(for: .seconds(3))
        stage.run(for: .milliseconds(340), pushes: [[300]])
        #expect(told(stage) == [.began])
        stage.join(0, process: "0000000000000002")
        #expect(told(stage) == [.began, .ended])
    }

    @Test("A gesture that is under way goes on over another link of the same life")
    func sameLife() throws {
        var stage = try Stage(MergeConfiguration(gestures: [.keepCalmJump]), rates: [100], networks: ["delay=2500us"])
        stage.run(for: .seconds(3))
        stage.run(for: .milliseconds(340), pushes: [[300]])
        stage.join(0)
        #expect(told(stage) == [.began])
    }
}
