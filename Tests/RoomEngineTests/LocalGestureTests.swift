import ControllerSession
import InputMerge
import RoomEngine
import SessionCoordinator
import Testing
import WireProtocol

@testable import RoomSimulation

@Suite("What controllers find by themselves is felt at once, and held against what the host sees")
struct LocalGestureTests {
    /// A room whose controllers look for taps, or are not told to.
    private func stage(_ network: String, looks: Bool = true, gestures: [GestureDefinition] = [.tap]) throws -> Stage {
        var merge = MergeConfiguration()
        merge.gestures = gestures
        var stage = try Stage(merge, rates: [100], networks: [network])
        if looks { stage.host.handle(.command(.detect([.tap]), RequestID(rawValue: 9)), at: stage.now) }
        stage.run(for: .seconds(3))
        return stage
    }

    private func tap(_ stage: inout Stage, after moments: [Int64]) {
        let now = stage.now
        stage.controllers[0].knocks = moments.map { now + .milliseconds($0) }
    }

    private func gestures(_ stage: Stage, _ kind: GestureKind) -> [GestureEvent] {
        stage.events.compactMap {
            if case .gesture(let gesture, _) = $0, gesture.gesture == kind, gesture.phase == .began {
                gesture
            } else {
                nil
            }
        }
    }

    private func verdicts(_ stage: Stage) -> [LocalVerdict] {
        stage.events.compactMap { if case .local(let verdict) = $0 { verdict } else { nil } }
    }

    private func hapticsOfHost(_ stage: Stage) -> Int {
        stage.events.count { if case .haptic = $0 { true } else { false } }
    }

    @Test("A tap is felt before the host has seen it; the host's own answer is left out, and confirms it")
    func felt() throws {
        var stage = try stage("delay=40ms")
        tap(&stage, after: [500, 1_500, 2_600])
        stage.run(for: .seconds(4))
        let (seen, told) = (gestures(stage, .tap), verdicts(stage))
        #expect(seen.count == 3 && told.count == 3)
        #expect(told.compactMap(\.confirmedBy) == seen.map(\.id))
        #expect(hapticsOfHost(stage) == 0)
        for (verdict, find) in zip(told, stage.controllers[0].finds) {
            #expect(verdict.player == 1 && verdict.controller == stage.controllers[0].id)
            // The controller's own word, by its own clock, against the simulation's time.
            let apart = verdict.occurredAt - find.at
            #expect(apart < .milliseconds(3) && apart > .milliseconds(-3), "\(apart)")
            let feltAt = try #require(verdict.feltAt)
            #expect(feltAt - verdict.occurredAt > .milliseconds(2) && feltAt - verdict.occurredAt < .milliseconds(4))
        }
        // Not told to, the same hand is answered by the host, a way there and back later.
        var other = try self.stage("delay=40ms", looks: false)
        tap(&other, after: [500, 1_500, 2_600])
        other.run(for: .seconds(4))
        #expect(gestures(other, .tap).count == 3 && verdicts(other).isEmpty && hapticsOfHost(other) == 3)
    }

    @Test("Where a fifth is lost, each has one verdict, and no tap is the host's alone for good", arguments: 1...4)
    func lost(seed: Int) throws {
        var stage = try stage("loss=20%,burst=2,delay=20±10ms")
        let moments = (0..<20).map { Int64(500 + 900 * $0 + 13 * seed) }
        tap(&stage, after: moments)
        stage.run(for: .seconds(24))
        let told = verdicts(stage)
        #expect(stage.controllers[0].finds.count == moments.count && told.count == moments.count)
        #expect(told.count { $0.confirmedBy != nil } == gestures(stage, .tap).count)
        #expect(told.count { $0.confirmedBy != nil } >= moments.count - 1)
        #expect(told.allSatisfy { $0.feltAt != nil })
    }

    @Test("What the controller plays by itself is no gesture of its player")
    func masked() throws {
        // A push that begins while the motor runs is the motor's, as far as anybody can tell.
        func jumps(_ looks: Bool) throws -> Int {
            var stage = try stage("delay=5ms", looks: looks, gestures: [.tap, .keepCalmJump])
            tap(&stage, after: [500])
            stage.run(for: .seconds(2), pushes: [[600]])
            #expect(gestures(stage, .tap).count == 1)
            return gestures(stage, .keepCalmJump).count
        }
        #expect(try jumps(true) == 0)
        // The host's own answer comes later: so does its mask.
        var silent = try stage("delay=5ms", looks: false, gestures: [.keepCalmJump])
        silent.run(for: .seconds(2), pushes: [[600]])
        #expect(gestures(silent, .keepCalmJump).count == 1)
    }

    @Test("Who claims what nobody did is told apart from it, has no say in the game, and cannot flood it")
    func lies() throws {
        var stage = try stage("delay=5ms")
        for number in 0..<400 {
            let at = stage.controllers[0].clock.device(stage.now) - .milliseconds(Int64(number % 7) * 100_000)
            let id = LocalFind.firstID + UInt32(number)
            try? stage.controllers[0].link.send(.found(LocalFind(gesture: .tap, id: id, occurredAt: at)))
            try? stage.controllers[0].link.send(
                .hapticReceipt(HapticReceipt(id: id, outcome: .played(at: DeviceTime(nanoseconds: .max)))))
            if number % 4 == 0 { stage.run(for: .milliseconds(10)) }
        }
        stage.run(for: .seconds(5))
        let told = verdicts(stage)
        #expect(!told.isEmpty && told.count <= 40 && told.allSatisfy { $0.confirmedBy == nil })
        #expect(gestures(stage, .tap).isEmpty)
        for (what, count, most) in stage.host.engine.load { #expect(count <= most, "\(what)") }
        // It plays on as anybody does.
        stage.run(for: .seconds(5))
        tap(&stage, after: [500])
        stage.run(for: .seconds(3))
        #expect(verdicts(stage).last?.confirmedBy == gestures(stage, .tap).last?.id)
        #expect(gestures(stage, .tap).count == 1)
    }

    @Test("A host that is started again wants nothing found until it says so; what is taken back is told to all")
    func takenBack() throws {
        var stage = try stage("delay=5ms")
        tap(&stage, after: [500])
        stage.run(for: .seconds(2))
        #expect(stage.controllers[0].finds.count == 1)
        stage.host.restart(now: stage.now)
        stage.join(0)
        stage.run(for: .seconds(3))
        tap(&stage, after: [500])
        stage.run(for: .seconds(2))
        #expect(stage.controllers[0].finds.count == 1 && hapticsOfHost(stage) == 1)
        // One that does not forget is told, though this host has never told it anything.
        stage.host.handle(.command(.detect([]), RequestID(rawValue: 9)), at: stage.now)
        let waiting = stage.host.engine.coordinator.reports(now: stage.now).map(\.messagesWaiting)
        #expect(waiting == [1])
    }

    @Test("What controllers cannot look for, or the room does not watch for, is refused in words; nobody is told")
    func refused() throws {
        var stage = try stage("delay=5ms", gestures: [.jump])
        for (number, gestures) in [[GestureKind.jump], [.tap], ["no such"]].enumerated() {
            let request = RequestID(rawValue: UInt64(number + 20))
            stage.host.handle(.command(.detect(gestures), request), at: stage.now)
            stage.run(for: .milliseconds(50))
            guard case .failure(let error) = stage.host.answers[request] else {
                Issue.record("\(gestures) are taken")
                continue
            }
            #expect(error.code == .badOption && error.message.contains(gestures[0].rawValue))
        }
        #expect(stage.host.engine.configuration.localGestures.isEmpty)
    }
}
