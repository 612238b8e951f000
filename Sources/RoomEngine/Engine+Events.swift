import InputMerge
import SessionCoordinator
import WireProtocol

/// What the cores found out, as the room's events.
extension Engine {
    /// Gestures older than this are told, but not felt: a buffer that comes after an outage must not shake anyone.
    private static let oldestFelt: Duration = .seconds(1)

    mutating func publish(_ event: RoomEvent) { outputs.append(.event(event)) }

    mutating func tell(_ occurrence: Occurrence, at time: HostTime) {
        switch occurrence {
        case .player(let change):
            remember(change.controller, of: change.peer)
            publish(
                .player(
                    RoomEvent.Player(
                        at: time, player: change.player, state: change.state, name: change.name, color: change.color,
                        controllers: [change.controller])))
        case .link(let change): publish(.link(change, controller: controller(change.peer), at: time))
        case .haptic(let outcome): tell(outcome, at: time)
        case .room(let change): publish(.room(change, at: time))
        case .asking(let controller, let name): publish(.asking(controller, name: name, at: time))
        case .queue(let change): publish(.queue(change, at: time))
        }
    }

    mutating func tell(_ event: MergeEvent, now: HostTime) {
        switch event {
        case .gesture(let gesture): tell(gesture, now: now)
        case .team(let gesture): publish(.team(gesture))
        case .verdict(let verdict): publish(.verdict(verdict))
        case .teaching(let progress): tell(progress, now: now)
        case .shaping(let event): publish(.shaping(event, controller: controller(event.peer)))
        case .sensor(let event):
            let peer = event.sensor.peer
            publish(.sensor(event, player: player(of: peer), controller: controller(peer)))
        case .submersion(let event):
            let peer = event.sensor.peer
            publish(.submersion(event, player: player(of: peer), controller: controller(peer)))
        case .omitted(let omission):
            publish(
                .omitted(omission, player: player(of: omission.peer), controller: controller(omission.peer)))
        case .motions(let batch): tell(batch)
        }
    }

    // A method that is handed on takes a copy of the engine along.
    private mutating func tell(_ gesture: GestureEvent, now: HostTime) {
        publish(.gesture(gesture, controllers: gesture.controllers.map { controller($0) }))
        if gesture.gesture == .jump, gesture.phase == .ended { learnAirtimes(of: gesture.player, now: now) }
        // Stillness is no play, nor is a phone that lies in its dock; and an answer would end it.
        guard gesture.gesture != .holdStill, gesture.phase == .began else { return }
        let here = gesture.controllers.filter { peer in coordinator.sitter(at: peer).map { isAssigned($0) } ?? false }
        for peer in here { coordinator.noteUse(of: peer, at: now) }
        let isFelt = here.filter { confirm(gesture, on: $0, now: now) }
        guard configuration.answersGesturesWithHaptics, now - gesture.occurredAt <= Self.oldestFelt else { return }
        for peer in here where !isFelt.contains(peer) {
            _ = play(
                intensity: 0.4 + 0.6 * gesture.strength, sharpness: 0.5, on: peer, answering: gesture.id, now: now)
        }
    }
}
