import InputMerge
import RoomEngine
import SessionCoordinator

/// Events in order, no more than a bound of them: when it is reached, those go first of whom most is kept.
///
/// So nobody's flood of events pushes out what is remembered of anybody else. It trims when something is added, a quarter
/// at once, whether anyone reads or not.
package struct EventBacklog: Sendable {
    /// Whom an event is about; the shares are theirs.
    enum Subject: Hashable, Sendable {
        case room
        /// Those who ask to join, and those who wait for a seat.
        case strangers
        case player(Int)
    }

    private let capacity: Int
    private var events: [NumberedEvent] = []
    /// How many at the beginning were taken already.
    private var taken = 0

    package init(capacity: Int) { self.capacity = capacity }

    package var isEmpty: Bool { taken == events.count }
    package var count: Int { events.count - taken }
    /// In order.
    package var waiting: ArraySlice<NumberedEvent> { events[taken...] }

    /// - Returns: how many were given up for it.
    package mutating func append(_ event: NumberedEvent) -> Int {
        var given = 0
        if count >= capacity {
            let before = count
            trim()
            given = before - count
        }
        events.append(event)
        return given
    }

    mutating func popFirst() -> NumberedEvent? {
        guard taken < events.count else { return nil }
        defer {
            taken += 1
            if taken > 512 || taken == events.count {
                events.removeFirst(taken)
                taken = 0
            }
        }
        return events[taken]
    }

    package mutating func removeAll() {
        events = []
        taken = 0
    }

    /// Keeps three quarters: of everyone the newest, as many as the fair share.
    private mutating func trim() {
        var counts: [Subject: Int] = [:]
        for event in waiting { counts[event.subject, default: 0] += 1 }
        let share = Self.share(of: counts.values.sorted(), within: capacity * 3 / 4)
        var kept: [Subject: Int] = [:]
        var rest: [NumberedEvent] = []
        rest.reserveCapacity(capacity)
        for event in waiting.reversed() {
            let place = kept[event.subject, default: 0]
            guard place < share else { continue }
            kept[event.subject] = place + 1
            rest.append(event)
        }
        events = rest.reversed()
        taken = 0
    }

    /// The largest number that each may have so that all have no more than `bound` together (max-min fairness).
    private static func share(of counts: [Int], within bound: Int) -> Int {
        var left = bound
        for (place, count) in counts.enumerated() {
            let fair = left / (counts.count - place)
            if count > fair { return fair }
            left -= count
        }
        return bound
    }
}

extension NumberedEvent {
    /// Whom it is about.
    var subject: EventBacklog.Subject {
        switch event {
        case .room, .team, .verdict: .room
        case .asking, .queue: .strangers
        case .player(let event): .player(event.player)
        case .gesture(let event, _): .player(event.player)
        case .motion(let player, _): .player(player)
        case .link(let change, _, _): .player(change.player)
        case .haptic(let event): .player(event.player)
        case .teaching(let progress, _): .player(progress.player)
        case .shaping(let event, _): .player(event.player)
        case .sensor(_, let player, _): .player(player)
        case .submersion(_, let player, _): .player(player)
        case .omitted(_, let player, _): .player(player)
        case .battery(let notice): .player(notice.player)
        case .local(let verdict): .player(verdict.player)
        }
    }
}
