package import RoomEngine

/// An event with its place among a room's reliable events, so that none is missed unnoticed.
package struct NumberedEvent: Hashable, Sendable {
    /// From 1, without gaps; `nil` for motion, of which the newest wins.
    package var number: Int?
    package var event: RoomEvent

    package init(_ event: RoomEvent, number: Int? = nil) {
        self.event = event
        self.number = number
    }
}

extension RoomEvent {
    /// Whether events of this kind are numbered; the others are newest wins.
    package var isNumbered: Bool {
        if case .motion = self { false } else { true }
    }
}
