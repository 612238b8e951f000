package import Foundation
public import RoomEngine
public import SessionCoordinator
package import WireProtocol

/// A room's events as they happen, from the moment of asking; ends when the room closes.
///
/// ```swift
/// for await event in await room.events() {
///     guard case .gesture(let gesture, _) = event, gesture.phase == .began else { continue }
///     print("P\(gesture.player): \(gesture.gesture.rawValue)")
/// }
/// ```
/// A listener that is too slow for 4,096 events loses the oldest of those about whom there are most: ``lost`` counts them.
/// One that takes nothing for 30 s while something waits is let go: the sequence ends (``wasLetGo``), and whoever wants
/// more asks anew, after ``lastNumber``.
public struct RoomEvents: AsyncSequence, Sendable {
    /// How things stood when the listener began: what a front tells first.
    package struct Opening: Hashable, Sendable {
        /// The number of the last event before.
        package var after: Int
        /// How many events since are not remembered any more, and never come.
        package var missing = 0
        package var at: HostTime
        /// The room's name.
        package var room: String
        package var openedAt: HostTime
        /// The same for people.
        package var openedOn: Date
        package var seats: Int
        package var players: [RoomEvent.Player]
        /// Who waits for a seat, in order.
        package var queue: [Occurrence.QueueChange]

        package init(
            after: Int, at: HostTime, room: String, openedAt: HostTime, openedOn: Date, seats: Int,
            players: [RoomEvent.Player], queue: [Occurrence.QueueChange] = []
        ) {
            self.after = after
            self.at = at
            self.room = room
            self.openedAt = openedAt
            self.openedOn = openedOn
            self.seats = seats
            self.players = players
            self.queue = queue
        }
    }

    package let opening: Opening
    private let queue: EventQueue
    private let token: Token

    /// Ends the subscription when the last copy of the sequence is gone.
    private final class Token: Sendable {
        let end: @Sendable () -> Void
        init(_ end: @escaping @Sendable () -> Void) { self.end = end }
        deinit { end() }
    }

    package init(_ opening: Opening, queue: EventQueue, end: @escaping @Sendable () -> Void) {
        self.opening = opening
        self.queue = queue
        token = Token(end)
    }

    /// Who had a seat when the listener began; what changed since comes as events.
    public var players: [RoomEvent.Player] { opening.players }

    /// Who waited for a seat then, in order, each `queued` at its place.
    public var queued: [Occurrence.QueueChange] { opening.queue }

    /// Events that this listener was too slow for.
    public var lost: Int { queue.lost }

    /// The number of the newest reliable event that was taken from the sequence, or of the last before it.
    public var lastNumber: Int { Swift.max(queue.last, opening.after) }

    /// Whether the sequence ended because nobody took anything from it for 30 s.
    public var wasLetGo: Bool { queue.wasLetGo }

    /// Whoever iterates comes to the end.
    package func end() { queue.finish() }

    /// What is taken from one iterator, no other one gets.
    public func makeAsyncIterator() -> Iterator { Iterator(queue: queue, token: token) }

    /// Takes one event after the other.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let queue: EventQueue
        fileprivate let token: AnyObject

        /// The next event; `nil` at the end.
        public mutating func next() async -> RoomEvent? { await queue.next()?.event }

        /// The same, on the caller's actor.
        public mutating func next(isolation _: isolated (any Actor)?) async throws(Never) -> RoomEvent? {
            await queue.next()?.event
        }

        package mutating func nextNumbered() async -> NumberedEvent? { await queue.next() }
    }
}
