import Foundation
import Identity
package import InputMerge
import RoomRecords
package import SiteBroker
import SiteContests
package import SiteRecords
import WireProtocol

/// Judges contests over the rooms of a site: hears their moves, asks them how far their players are known, and puts each
/// verdict into the site's stream.
///
/// Any operator's program may be one; rooms do not know of it. It believes of every room what that says of its own players.
package struct SiteReferee: Sendable {
    /// What it tells whoever runs it.
    package enum News: Sendable {
        case verdict(SiteContestRecord)
        /// Who takes part now, and how far each room's clock may be wrong either way, in ms.
        case rooms([(room: SiteRoom, uncertainty: Double?)])
        /// What is wrong, in words.
        case trouble(String)
    }

    private let site: SiteName
    private let gesture: GestureKind
    private let rules: ContestRules
    /// Rooms are meant by name, id or the beginning of it; all where none is said.
    private let words: [String]
    /// Whether the gesture is one that players taught: no room says that it watches for it.
    private let isTaught: Bool
    /// Its clock, and when it began: both go on over connections.
    private let beginning = ContinuousClock.now
    private let opened = Date.now.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    /// How long the last verdict may take into the stream.
    private static let farewell: Duration = .milliseconds(2_500)

    package init(site: SiteName, gesture: GestureKind, isTaught: Bool, rules: ContestRules, rooms words: [String]) {
        (self.site, self.gesture, self.isTaught) = (site, gesture, isTaught)
        (self.rules, self.words) = (rules, words)
    }

    /// Judges until the connection ends, or nobody wants more.
    ///
    /// - Parameters:
    ///   - serial: the number of the last verdict before, of a referee that goes on.
    ///   - tell: returns whether it is to go on.
    /// - Throws: ``BrokerError`` when the connection has ended.
    package func run(
        _ connection: BrokerConnection, after serial: UInt64 = 0, _ tell: @escaping (News) throws -> Bool
    ) async throws {
        let mail = RefereeMail(beginning: beginning)
        let watch = try SiteWatch(connection, site)
        try connection.hear(watch.subjects.allEvents, atMost: 16_384) { mail.put(.event($0)) }
        var desk = RefereeDesk(
            Referee(gesture, rules: rules, after: serial), connection, watch, mail, opened: opened, words: words,
            watchedFor: isTaught ? nil : gesture.rawValue)
        try await SiteWatch.listen()
        mail.ring()
        // Nobody wants more: only the last verdicts are still to be written.
        var end: HostTime?
        for await _ in mail.bell {
            if connection.hasEnded || end != nil {
                for news in desk.hearOfVerdicts(isLast: connection.hasEnded) { _ = try tell(news) }
            }
            if let end {
                guard desk.isWritten || mail.now >= end || connection.hasEnded else { continue }
                return
            }
            if connection.hasEnded { throw BrokerError(.closed, "the broker has ended the connection") }
            for news in desk.turn() where try !tell(news) {
                end = mail.now + Self.farewell
                mail.ring(in: Self.farewell)
                mail.ring()
                break
            }
            if end == nil { desk.wakeInTime() }
        }
    }
}
