import Foundation
import Logging
import SiteBroker
package import SiteRecords
import Synchronization

/// Finds a room's id by its name, by what rooms tell their site: for a standby that never heard of it.
package struct RoomSearch: Sendable {
    private static let logger = Logger(label: "roomful.site")
    private let site: SiteOptions
    private let name: String
    /// What strangers may say in its place is not read.
    private static let longestStatus = 262_144
    /// A room tells of itself once a second: who has heard of one for so long knows whether another has the same name.
    private static let listening: Duration = .milliseconds(2_200)
    /// Of several, one that tells nothing for so long is gone: its host was killed, or its last word was lost.
    private static let patience: Duration = .seconds(15)

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
        let heard = Heard()
        try connection.hear(SiteSubjects(site.site).allStatuses, atMost: 1_024) { heard.note($0.payload) }
        let beginning = ContinuousClock.now
        while !connection.hasEnded, !isOver(), !Task.isCancelled {
            // A broker that is cut off from its cluster may not tell of it: another one may.
            if site.addresses.count > 1, heard.rooms(named: name).isEmpty,
                ContinuousClock.now - beginning > .seconds(10)
            {
                connection.giveUp()
                return nil
            }
            try? await Task.sleep(for: .milliseconds(100))
            let rooms = heard.rooms(named: name)
            if rooms.count == 1 {
                if ContinuousClock.now - beginning >= Self.listening { return rooms[0] }
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
        private let directory = Mutex(SiteDirectory())
        /// By room, when it last told of itself.
        private let heardAt = Mutex<[String: ContinuousClock.Instant]>([:])

        func note(_ payload: [UInt8]) {
            guard payload.count <= RoomSearch.longestStatus,
                let room = try? JSONDecoder().decode(SiteRoom.self, from: Data(payload)),
                room.room.utf8.count == 32, room.room.utf8.allSatisfy({ "0123456789abcdef".utf8.contains($0) })
            else { return }
            directory.withLock { $0.note(room, now: 0) }
            heardAt.withLock { heardAt in
                // More than any site has: whoever makes up more has others forgotten, for a second.
                if heardAt.count >= 4_096 { heardAt = [:] }
                heardAt[room.room] = ContinuousClock.now
            }
        }

        func rooms(named name: String) -> [String] {
            // One that is silent may be back: alone it counts as long as it likes, beside others for a while.
            let all = directory.withLock { $0.entries(now: 0).map(\.entry.room) }
            let rooms = all.filter { $0.name == name && !$0.isClosing }.map(\.room)
            guard rooms.count > 1 else { return rooms }
            let (heardAt, now) = (heardAt.withLock { $0 }, ContinuousClock.now)
            let present = rooms.filter { heardAt[$0].map { now - $0 < RoomSearch.patience } ?? false }
            return present.isEmpty ? rooms : present
        }
    }
}
