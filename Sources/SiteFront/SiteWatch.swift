import Identity
import RoomRecords
package import SiteBroker
package import SiteRecords
import Synchronization
import WireProtocol

/// Hears what the rooms of a site say of themselves.
package final class SiteWatch: Sendable {
    private let directory = Mutex(SiteDirectory())
    private let beginning = ContinuousClock.now
    package let subjects: SiteSubjects

    package init(_ connection: BrokerConnection, _ site: SiteName) throws {
        subjects = SiteSubjects(site)
        try connection.hear(subjects.allStatuses, atMost: 8_192) { [weak self] message in
            guard let self, let room = SiteRoom(told: message.payload, on: message.subject, of: subjects) else {
                return
            }
            let now = now
            directory.withLock { $0.note(room, now: now) }
        }
    }

    /// After this, all rooms that live have spoken.
    package static func listen() async throws { try await Task.sleep(for: .milliseconds(SiteDirectory.listening)) }

    /// The room that is meant, once all that live had the time to speak; waits for one that is named and was not heard yet.
    ///
    /// - Throws: `RoomError`, naming what there is.
    package func hear(_ word: String?, at broker: String) async throws -> SiteRoom {
        try await Self.listen()
        return try await found(word, at: broker)
    }

    /// The same for who has listened for a while: answers at once where the room was heard.
    func found(_ word: String?, at broker: String) async throws -> SiteRoom {
        for _ in 0..<30 {
            do {
                return try find(word, at: broker)
            } catch let error as RoomError where error.code == .notFound {
                try await Task.sleep(for: .milliseconds(100))
            }
        }
        return try find(word, at: broker)
    }

    /// Since it listens, ms.
    package var now: Double { (ContinuousClock.now - beginning) / .milliseconds(1) }

    package var entries: [(entry: SiteDirectory.Entry, silentForMs: Double?)] {
        let now = now
        return directory.withLock { $0.entries(now: now) }
    }

    private func find(_ word: String?, at broker: String) throws -> SiteRoom {
        do {
            return try directory.withLock { directory throws(SiteDirectory.Unclear) in try directory.find(word) }
        } catch {
            let site = "site \"\(subjects.site)\" at \(broker)"
            switch error {
            case .noRooms:
                throw RoomError(.notFound, "no room of \(site) is heard: start one with roomful host NAME --site")
            case .nobody(let known):
                throw RoomError(
                    .notFound, "\(site) has no room \"\(word ?? "")\"; it has \(known.joined(separator: ", "))",
                    candidates: known)
            case .several(let labels):
                throw RoomError(
                    .ambiguous, "say which room of \(site) with --room: \(labels.joined(separator: ", "))",
                    candidates: labels)
            }
        }
    }
}
