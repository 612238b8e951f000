import Foundation
import SessionCoordinator
package import WireProtocol

/// A room's events as fronts tell them: `hello` first, then each as it is printed, stored and sent.
package struct EventRecords: AsyncSequence, Sendable {
    private let events: RoomEvents

    fileprivate init(_ events: RoomEvents) { self.events = events }

    /// Events that this listener was too slow for.
    package var lost: Int { events.lost }
    /// Whether the sequence ended because nobody took anything from it for 30 s.
    package var wasLetGo: Bool { events.wasLetGo }
    /// Whoever iterates comes to the end.
    package func end() { events.end() }

    package func makeAsyncIterator() -> Iterator {
        Iterator(hello: .hello(EventRecord.Hello(events.opening)), openedAt: events.opening, events.makeAsyncIterator())
    }

    package struct Iterator: AsyncIteratorProtocol {
        private var hello: EventRecord?
        private let opening: RoomEvents.Opening
        private var events: RoomEvents.Iterator

        fileprivate init(hello: EventRecord, openedAt opening: RoomEvents.Opening, _ events: RoomEvents.Iterator) {
            self.hello = hello
            self.opening = opening
            self.events = events
        }

        package mutating func next() async -> EventRecord? {
            if let hello {
                self.hello = nil
                return hello
            }
            guard let next = await events.nextNumbered() else { return nil }
            return EventRecord(next, openedAt: opening.openedAt)
        }

        package mutating func next(isolation _: isolated (any Actor)?) async throws(Never) -> EventRecord? {
            await next()
        }
    }
}

extension RoomEvents {
    /// The same events in the form of every interface.
    package var records: EventRecords { EventRecords(self) }
}

extension HostedRoom {
    /// What happens from now on; with `place`, what happened after it first. Where that is a place of another opening than
    /// this, its number counts for nothing here: all that is remembered comes first.
    package func records(after place: EventPlace?, motion: Bool) async -> EventRecords {
        let events = await events(after: place?.number, motion: motion)
        guard let openedAt = place?.openedAt, openedAt != EventRecord.Hello.moment(of: events.opening) else {
            return events.records
        }
        return await self.events(after: 0, motion: motion).records
    }
}

extension EventRecord {
    package init(_ event: NumberedEvent, openedAt: HostTime) {
        self.init(event.event, openedAt: openedAt)
        number = event.number
    }
}

extension EventRecord.Hello {
    init(_ opening: RoomEvents.Opening) {
        let clock = RecordClock(openedAt: opening.openedAt)
        self.init(
            after: opening.after, missing: opening.missing, at: clock.milliseconds(opening.at), room: opening.room,
            openedAt: Self.moment(of: opening), seats: opening.seats,
            players: opening.players.map { EventRecord.Player($0, clock) },
            queue: opening.queue.map {
                EventRecord.Queued(controller: $0.controller.description, name: $0.name, place: $0.place)
            })
    }

    /// When it was opened, to the millisecond: a host that is killed may be back within the same second.
    static func moment(of opening: RoomEvents.Opening) -> String {
        opening.openedOn.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}
