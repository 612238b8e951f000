import ControllerSession
import InputMerge
import RoomEngine
import SessionCoordinator
import Testing
import WireProtocol

@testable import RoomSimulation

@Suite("What a player has begun ends while it is here")
struct LeavingTests {
    enum Way: CaseIterable, Sendable { case goodbye, kicked, departed, silent, moved, swapped, nextVisitor }

    @Test(
        "By whatever way it goes, gestures of a player and of its team come between its joined and its left",
        arguments: Way.allCases)
    func order(way: Way) throws {
        let teams = [Team("either", [1, 2], rule: .any), Team("both", [1, 2], rule: .all(within: .seconds(1)))]
        var stage = try Stage(
            MergeConfiguration(gestures: [.holdStill], teams: teams), rates: [100, 100],
            networks: ["delay=5ms", "delay=5ms"], grace: .seconds(1),
            idleReset: way == .nextVisitor ? .seconds(20) : nil)
        stage.run(for: .seconds(4))
        #expect(begun(stage.events) == ["P1", "P2", "either", "both"])
        switch way {
        case .goodbye:
            stage.controllers[0].link.goodbye(.left, now: stage.controllers[0].clock.device(stage.now))
            stage.controllers[0].nextSampleAt = nil
        case .kicked: give(.kick("P1", message: nil), &stage)
        case .departed: give(.depart("P1", message: "It plays elsewhere."), &stage)
        case .silent: stage.controllers[0].isUp = false
        case .moved: give(.move("P1", seat: 3), &stage)
        case .swapped: give(.swap("P1", "P2"), &stage)
        case .nextVisitor: break
        }
        stage.run(for: .seconds(30))
        // Who is there yet moves, and ends what it has begun.
        stage.run(for: .seconds(2), pushes: [[500], [500]])
        let hasLeft = stage.events.contains {
            if case .player(let change) = $0 { change.player == 1 && change.state == .left } else { false }
        }
        #expect(hasLeft && stumbles(stage.events) == [])
    }

    private func give(_ command: RoomCommand, _ stage: inout Stage) {
        stage.host.handle(.command(command, RequestID(rawValue: 9)), at: stage.now)
    }

    private func begun(_ events: [RoomEvent]) -> Set<String> {
        var begun: Set<String> = []
        for event in events {
            if case .gesture(let gesture, _) = event, gesture.phase == .began { begun.insert("P\(gesture.player)") }
            if case .team(let gesture) = event, gesture.phase == .began { begun.insert(gesture.team) }
        }
        return begun
    }

    /// What a game stumbles over that keeps its players by their numbers.
    private func stumbles(_ events: [RoomEvent]) -> [String] {
        var (here, open): (Set<PlayerNumber>, Set<GestureID>) = ([], [])
        var found: [String] = []
        for event in events {
            switch event {
            case .player(let change) where change.state == .joined: here.insert(change.player)
            case .player(let change) where change.state == .left:
                here.remove(change.player)
                found += open.filter { $0.player == change.player }.map { "\($0) goes on" }
            case .gesture(let gesture, _):
                if gesture.phase == .ended { open.remove(gesture.id) } else { open.insert(gesture.id) }
                if !here.contains(gesture.player) { found.append("\(gesture.id) \(gesture.phase)") }
            case .team(let gesture):
                if !here.isSuperset(of: gesture.players) { found.append("\(gesture.id) \(gesture.phase)") }
            default: break
            }
        }
        return found
    }
}
