import Foundation
import Identity
import Roomful
import SiteBroker
import SiteRecords
import Synchronization

/// Hears what the rooms of a site say of themselves.
final class SiteWatch: Sendable {
    private let directory = Mutex(SiteDirectory())
    private let beginning = ContinuousClock.now
    let subjects: SiteSubjects

    init(_ connection: BrokerConnection, _ site: SiteName) throws {
        subjects = SiteSubjects(site)
        try connection.hear(subjects.allStatuses, atMost: 8_192) { [weak self] message in
            guard let self, message.payload.count <= 65_536,
                let room = (try? JSONDecoder().decode(SiteRoom.self, from: Data(message.payload)))?.fitForTerminal,
                // Whoever may publish as one room speaks for no other.
                room.room == subjects.room(in: message.subject)
            else { return }
            let now = now
            directory.withLock { $0.note(room, now: now) }
        }
    }

    /// Each room speaks once a second: after this, all that live have, be one of them late once.
    static func listen() async throws { try await Task.sleep(for: .milliseconds(2_200)) }

    /// The room that is meant; waits for one that is named and was not heard yet.
    ///
    /// - Throws: `RoomError`, naming what there is.
    func hear(_ word: String?, at broker: String) async throws -> SiteRoom {
        try await Self.listen()
        for _ in 0..<30 {
            do {
                return try find(word, at: broker)
            } catch let error as RoomError where error.code == .notFound {
                try await Task.sleep(for: .milliseconds(100))
            }
        }
        return try find(word, at: broker)
    }

    private var now: Double { (ContinuousClock.now - beginning) / .milliseconds(1) }

    var entries: [(entry: SiteDirectory.Entry, silentForMs: Double?)] {
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

extension SiteRoom {
    /// Without what moves a terminal, and without words that have no end: any host of the site may have written it.
    fileprivate var fitForTerminal: SiteRoom {
        var room = self
        room.name = spoken(name, atMost: 128)
        room.host = spoken(host, atMost: 128)
        room.problems = problems.prefix(Self.mostProblems).map { spoken($0, atMost: 512) }
        room.players = players.prefix(Self.mostPlayers).map { player in
            var player = player
            player.name = spoken(player.name, atMost: 128)
            return player
        }
        return room
    }
}
