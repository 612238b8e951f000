import Logging
import RoomRecords
import SiteBroker
package import SiteRecords
import Synchronization

/// Finds a room's id by its name, by what rooms tell their site: for a standby that never heard of it.
package struct RoomSearch: Sendable {
    private static let logger = Logger(label: "roomful.site")
    private let site: SiteOptions
    private let name: String
    /// Of several, one that tells nothing for so long is gone: its host was killed, or its last word was lost. In ms.
    private static let patience = 15_000.0
    /// A broker by which the room is not heard of for so long may be cut off from its cluster, ms.
    private static let patienceWithBroker = 10_000.0

    package init(_ name: String, in site: SiteOptions) { (self.name, self.site) = (name, site) }

    /// Waits for the room to be heard of.
    ///
    /// - Returns: `nil` once `isOver` says so, or the task is cancelled.
    package func run(until isOver: @escaping @Sendable () -> Bool) async -> String? {
        var (pause, told) = (GrowingPause(), "")
        func tell(_ words: String) {
            if words != told { Self.logger.notice("\"\(name)\": \(words)") }
            told = words
        }
        while !isOver(), !Task.isCancelled {
            do throws(BrokerError) {
                if let room = try await listen(isOver, tell) { return room }
                pause.reset()
            } catch {
                tell("the site's broker cannot be reached: \(error)")
            }
            try? await Task.sleep(for: .milliseconds(pause.milliseconds()))
        }
        return nil
    }

    private func listen(_ isOver: () -> Bool, _ tell: (String) -> Void) async throws(BrokerError) -> String? {
        let connection = try await BrokerConnection.open(site, name: "roomful standby")
        defer { connection.close() }
        let heard = Heard(SiteSubjects(site.site))
        try connection.hear(heard.subjects.allStatuses, atMost: 1_024) { heard.note($0) }
        while !connection.hasEnded, !isOver(), !Task.isCancelled {
            // Another broker may tell of it.
            if site.addresses.count > 1, heard.rooms(named: name).isEmpty, heard.now > Self.patienceWithBroker {
                connection.giveUp()
                return nil
            }
            try? await Task.sleep(for: .milliseconds(100))
            let rooms = heard.rooms(named: name)
            if rooms.count == 1 {
                // By then it is known whether another has the same name.
                if heard.now >= SiteDirectory.listening { return rooms[0] }
                continue
            }
            tell(
                rooms.isEmpty
                    ? "standing by: no room of this name has told its site of itself yet; open it with roomful host"
                    : "several rooms of the site have this name: give them names of their own")
        }
        return nil
    }

    /// Which rooms have which name, as they said it.
    private final class Heard: Sendable {
        let subjects: SiteSubjects
        private let directory = Mutex(SiteDirectory())
        private let beginning = ContinuousClock.now

        init(_ subjects: SiteSubjects) { self.subjects = subjects }

        /// Since it listens, ms.
        var now: Double { (ContinuousClock.now - beginning) / .milliseconds(1) }

        func note(_ message: BrokerMessage) {
            guard let room = SiteRoom(told: message.payload, on: message.subject, of: subjects),
                room.room.utf8.count == 32, room.room.utf8.allSatisfy({ "0123456789abcdef".utf8.contains($0) })
            else { return }
            let now = now
            directory.withLock { $0.note(room, now: now) }
        }

        func rooms(named name: String) -> [String] {
            let now = now
            let all = directory.withLock { $0.entries(now: now).map(\.entry) }
            let rooms = all.filter { $0.room.name == name && !$0.room.isClosing }
            // One that is silent may be back: alone it counts as long as it likes, beside others for a while.
            let present = rooms.count > 1 ? rooms.filter { now - $0.heardAt < RoomSearch.patience } : rooms
            return (present.isEmpty ? rooms : present).map(\.room.room)
        }
    }
}
