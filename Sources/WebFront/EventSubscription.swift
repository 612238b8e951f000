import Foundation
import RoomRecords
import Synchronization
import WireProtocol

/// What somebody wants to hear of a room's events.
struct EventSubscription: Sendable, Codable {
    var token: String?
    /// Begin after this event number.
    var after: Int?
    /// When the room was opened whose number that is, as its `hello` said: another opening counts from 1 again.
    var openedAt: String?
    /// Each player's motion too.
    var motion: Bool?
    /// At most so many motions a second of each player; 60 where nothing is said.
    var motionRate: Double?
    /// Only these types; `hello` comes always.
    var types: [String]?
    /// What every room of the site tells: `after` is then a place in its stream.
    var site: Bool?
    /// With `site`, of this room alone; else this room of the site in place of the one that is asked.
    var room: String?
}

extension EventSubscription {
    /// `nil` when it is no such object.
    init?(json: Data) {
        guard !json.isEmpty else { return }
        guard let wish = try? JSONDecoder().decode(EventSubscription.self, from: json) else { return nil }
        self = wish
    }

    /// `?after=17&motion=1&types=gesture,player`
    init(query request: WebRequest) {
        openedAt = request.query("openedAt")
        motion = request.query("motion").map { $0 == "1" || $0 == "true" }
        motionRate = request.query("motionRate").flatMap { Double($0) }
        types = request.query("types").map { $0.listed.map(String.init) }
        site = request.query("site").map { $0 == "1" || $0 == "true" }
        room = request.query("room")
        if let place = request.query("after").flatMap({ EventPlace($0) }) { goOn(after: place) }
    }
}

extension EventSubscription {
    /// Where it begins; `nil` for what comes from now on.
    var place: EventPlace? { after.map { EventPlace($0, openedAt: openedAt) } }

    /// A number alone is of the opening that was named before.
    mutating func goOn(after place: EventPlace) {
        after = place.number
        openedAt = place.openedAt ?? openedAt
    }
}

extension EventSubscription {
    /// Why nobody is to wait for what it asks this room for: a type that no event has would never come. Other rooms of a site
    /// may be of later versions, and have others.
    func problem(at room: String) -> RoomError? {
        guard !isElsewhere(than: room), let types else { return nil }
        let known = EventRecord.Kind.allCases.map(\.rawValue)
        // This one comes to everybody.
        guard let unknown = types.first(where: { $0 != "lost" && !known.contains($0) }) else { return nil }
        return RoomError(
            .badOption,
            "no event is of type \"\(printable(unknown))\"; the types are: \(known.joined(separator: ", "))")
    }
}

extension EventSubscription {
    /// Whether more than this room is meant, which is named by its id.
    func isElsewhere(than room: String) -> Bool { site == true || self.room.map { $0 != room } ?? false }
}

/// What a listener is told that was too slow for some events, whichever it asked for: so many in all did not come.
struct LostWord: Encodable, Sendable {
    let type = "lost"
    let events: Int

    /// `nil` where it was told of as many already, which is noted.
    init?(_ events: EventRecords, told: inout Int) {
        self.events = events.lost
        guard self.events > told else { return nil }
        told = self.events
    }
}

/// The same filter for listeners to whom several tasks tell.
final class SharedFilter: Sendable {
    private let filter: Mutex<EventFilter>

    init(_ wish: EventSubscription) { filter = Mutex(EventFilter(wish)) }

    func admits(_ event: EventRecord) -> Bool { filter.withLock { $0.admits(event) } }
}

/// Lets through what one listener wants to hear, and of each player's motion no more than it can use.
struct EventFilter {
    private let types: [String]?
    /// The least time between two motions of one player, ms.
    private let motionInterval: Double
    private var motionAt: [Int: Double] = [:]

    init(_ wish: EventSubscription) {
        types = wish.types
        let rate = wish.motionRate ?? 60
        // A little less, as motions come on the room's own beat. Every one where the rate is no sensible number.
        motionInterval = rate > 0 && rate < 60 ? 0.9 * 1_000 / max(rate, 0.1) : 0
    }

    mutating func admits(_ event: EventRecord) -> Bool {
        if case .hello = event { return true }
        guard types.map({ $0.contains(event.type) }) ?? true else { return false }
        guard motionInterval > 0, case .motion(let motion) = event else { return true }
        // The last word of a player who stops is never held back.
        if let last = motionAt[motion.player], motion.at >= last, motion.at < last + motionInterval, !motion.stale {
            return false
        }
        motionAt[motion.player] = motion.at
        return true
    }
}
