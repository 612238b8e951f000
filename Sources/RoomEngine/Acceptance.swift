import SessionCoordinator
import WireProtocol

/// What became of somebody who waited, when the operator let them in.
public struct Acceptance: Hashable, Sendable, Codable {
    /// How it went.
    public enum Outcome: String, Hashable, Sendable, Codable {
        /// It has a seat.
        case seated
        /// All seats are taken, or others are before it: it has a place in the queue.
        case queued
        /// All seats are taken, and it does not queue: it waits for the operator still.
        case full
        /// It went away meanwhile.
        case gone
    }

    /// Its id, 32 hexadecimal digits.
    public var controller: String
    /// As it is called in the room now.
    public var name: String
    /// How it went.
    public var outcome: Outcome
    /// From 1, if it has one.
    public var seat: Int?
    /// The player's number, from 1, if it has a seat.
    public var player: Int?
    /// Its place in the queue, from 1, if it has one.
    public var place: Int?

    /// Somebody who got neither a seat nor a place in the queue.
    public init(controller: String, name: String, _ outcome: Outcome) {
        (self.controller, self.name, self.outcome) = (controller, name, outcome)
    }
}

extension Engine {
    /// Lets in the one who is meant, and says what became of it.
    mutating func accept(_ who: String?, now: HostTime) -> Result<RoomAnswer, RoomError> {
        let meant = try? coordinator.findWaiting(who).get()
        let name = coordinator.newcomers.first { $0.controller == meant }?.name
        return settle(coordinator.accept(who, now: now), who, now: now).map { done in
            guard let meant, let name else { return done }
            return .accepted(acceptance(of: meant, called: name))
        }
    }

    private func acceptance(of controller: ControllerID, called name: String) -> Acceptance {
        var fate = Acceptance(controller: controller.description, name: name, .gone)
        if let sitter = coordinator.sitters.first(where: { $0.controller == controller }) {
            (fate.outcome, fate.name) = (.seated, sitter.name)
            (fate.seat, fate.player) = (sitter.seat, sitter.player)
        } else if let newcomer = coordinator.newcomers.first(where: { $0.controller == controller }) {
            (fate.outcome, fate.name, fate.place) = (.queued, newcomer.name, newcomer.place)
        }
        return fate
    }
}
