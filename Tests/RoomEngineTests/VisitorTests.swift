import InputMerge
import LinkEmulation
import SessionCoordinator
import Testing
import WireProtocol

@testable import RoomEngine
@testable import RoomSimulation

/// An exhibit: visitors come one after another to the same two phones, in simulated time. Over sockets:
/// `test_visitors.py`.
@Suite("Nothing of one visitor is the next one's")
struct VisitorTests {
    private func stage(grace: Duration = .seconds(30), idleReset: Duration? = .seconds(20)) throws -> Stage {
        var stage = try Stage(
            rates: [100, 100], networks: ["delay=2500us", "delay=2500us"], grace: grace, idleReset: idleReset)
        stage.run(for: .seconds(3))
        return stage
    }

    private func ask(_ stage: inout Stage, _ command: RoomCommand) throws -> RoomAnswer {
        let request = RequestID(rawValue: UInt64(stage.host.turns) + 1_000)
        stage.host.handle(.command(command, request), at: stage.now)
        stage.host.turn(stage.now)
        return try #require(stage.host.answers[request]).get()
    }

    /// The first visitor leaves what a visitor can.
    private func leaveTraces(_ stage: inout Stage) throws {
        _ = try ask(&stage, .rename("P1", to: "Anna"))
        _ = try ask(&stage, .teaching(.sensitivity("P1", 1.5)))
        _ = try ask(&stage, .teaching(.teach("P1", gesture: "zig", times: 3)))
        stage.run(for: .milliseconds(100))
    }

    /// What was told of the first player, and how long after the beginning.
    private func told(_ stage: Stage, since start: HostTime) -> [(
        state: Occurrence.PlayerChange.State, name: String, after: Duration
    )] {
        stage.events.compactMap { event in
            guard case .player(let player) = event, player.player == 1, player.at >= start else { return nil }
            return (player.state, player.name, player.at - start)
        }
    }

    private func sensitivity(_ stage: inout Stage) throws -> Double? {
        guard case .peers(let peers) = try ask(&stage, .peers("P1", minute: false)) else { return nil }
        return peers.first?.detail?.sensitivity
    }

    @Test("A phone that nobody has moved for so long begins anew, once: its name, what it taught, its sensitivity go")
    func untouched() throws {
        var stage = try stage()
        // Only the first is played on at all.
        stage.run(for: .seconds(1), pushes: [[500], []])
        try leaveTraces(&stage)
        #expect(try sensitivity(&stage) == 1.5 && stage.host.talents.count == 1)
        let start = stage.now
        stage.run(for: .seconds(15))
        #expect(told(stage, since: start).isEmpty && stage.host.disk.map(\.name) == ["Anna", "Pad 2"])
        stage.run(for: .seconds(70))
        let changes = told(stage, since: start)
        #expect(changes.map(\.state) == [.left, .joined] && changes.map(\.name) == ["Anna", "Pad 1"])
        // The push was half a second before: 20 s after it, looked at once a second.
        for change in changes { #expect((.seconds(18) ... .seconds(21)).contains(change.after)) }
        #expect(try sensitivity(&stage) == 1 && stage.host.talents.isEmpty)
        #expect(stage.host.disk.map(\.name) == ["Pad 1", "Pad 2"])
        let lessons = stage.events.compactMap { event -> TeachingProgress.Step? in
            if case .teaching(let progress, _) = event { progress.step } else { nil }
        }
        #expect(lessons == [.abandoned])
        // The link is the same: the next visitor's first push counts, and begins a visit that ends as the first did.
        let second = stage.now
        stage.run(for: .seconds(1), pushes: [[500], []])
        #expect(
            stage.events.contains {
                if case .gesture(let gesture, _) = $0 {
                    gesture.player == 1 && gesture.occurredAt >= second
                } else {
                    false
                }
            })
        stage.run(for: .seconds(60))
        #expect(told(stage, since: second).map(\.state) == [.left, .joined])
    }

    @Test("Who plays keeps everything, however long")
    func played() throws {
        var stage = try stage()
        try leaveTraces(&stage)
        let start = stage.now
        for _ in 0..<8 { stage.run(for: .seconds(15), pushes: [[7_000], []]) }
        #expect(told(stage, since: start).isEmpty)
        #expect(try sensitivity(&stage) == 1.5)
    }

    @Test("Without the option nothing is cleared away")
    func off() throws {
        var stage = try stage(idleReset: nil)
        try leaveTraces(&stage)
        let start = stage.now
        stage.run(for: .seconds(120))
        #expect(told(stage, since: start).isEmpty)
        #expect(try sensitivity(&stage) == 1.5)
    }

    @Test("The seat of one who left without a word is free after that time, whatever the grace")
    func gone() throws {
        var stage = try stage(grace: .seconds(86_400))
        try leaveTraces(&stage)
        let start = stage.now
        stage.controllers[0].conditions = try NetworkConditions(parsing: "loss=100%")
        stage.run(for: .seconds(40))
        let changes = told(stage, since: start)
        #expect(changes.map(\.state) == [.lost, .left])
        // 20 s from when it was given the seat, some 3 s before: it was never played on.
        #expect(try (.seconds(15) ... .seconds(18)).contains(#require(changes.last).after))
        #expect(stage.host.disk.map(\.name) == ["Pad 2"] && stage.host.talents.isEmpty)
    }

    @Test("A host that stood still takes nothing from those who could not be heard meanwhile")
    func pause() throws {
        var stage = try stage()
        try leaveTraces(&stage)
        let start = stage.now
        for place in 0...1 { stage.controllers[place].conditions = try NetworkConditions(parsing: "loss=100%") }
        stage.sleep(for: .seconds(60))
        for place in 0...1 { stage.controllers[place].conditions = try NetworkConditions(parsing: "delay=2500us") }
        stage.run(for: .seconds(10))
        #expect(!told(stage, since: start).contains { $0.state == .left })
    }

    @Test("Where two drive one player, what is the player's does not go with the one on which nobody plays")
    func shared() throws {
        for mode in [RoomConfiguration.Mode.collaborative, .competitive] {
            var stage = try Stage(
                rates: [100, 100], networks: ["delay=2500us", "delay=2500us"], idleReset: .seconds(20), mode: mode)
            stage.run(for: .seconds(3))
            let player = mode == .competitive ? 2 : 1
            _ = try ask(&stage, .teaching(.sensitivity("Pad 2", 1.5)))
            // On the second nobody plays.
            stage.run(for: .seconds(17), pushes: [[10_000], []])
            stage.run(for: .seconds(4))
            #expect(stage.host.engine.talents[stage.controllers[1].id] == nil)
            let kept = stage.host.engine.sink.merge.sensitivity(of: player)
            #expect(kept == (mode == .competitive ? 1 : 1.5))
        }
    }
}
