import Foundation
import Identity
import Logging
package import RoomRecords
import SiteBroker
package import SiteRecords
import WireProtocol

/// What the hosts of a site ask one another: seats for those whom they send.
extension SiteLink: SiteMessenger {
    /// So many are answered at once: most wait for somebody to take a seat.
    private static let mostAnswered = 256

    /// Answers other hosts.
    func answerHosts() async {
        await withDiscardingTaskGroup { group in
            for await message in mailbox.hostAsks {
                guard let reply = message.reply, let connection, speaksForRoom else { continue }
                guard answeringHosts < Self.mostAnswered else {
                    let refusal = HostReply(RoomError(.full, "that room answers as many hosts as it can: ask again"))
                    try? connection.publish(Self.encoded(refusal), to: reply)
                    continue
                }
                answeringHosts += 1
                group.addTask {
                    let answer = await self.answer(message.payload)
                    await self.sendToHost(answer, to: reply)
                }
            }
        }
    }

    private func answer(_ payload: [UInt8]) async -> HostReply {
        guard let request = try? JSONDecoder().decode(HostRequest.self, from: Data(payload)) else {
            return HostReply(RoomError(.badOption, "that is nothing that a host of this version is asked"))
        }
        if request.task == .promise, let seat = request.seat {
            let who = spoken(seat.controller, atMost: 8)
            let whose = seat.player == nil ? "a guest of the lobby" : "a player"
            logger.notice("another room asks for a seat for \(whose) (\(who))")
        }
        do {
            return try await room.answer(request)
        } catch {
            return HostReply(.of(error))
        }
    }

    private func sendToHost(_ answer: HostReply, to reply: String) {
        answeringHosts -= 1
        try? connection?.publish(Self.encoded(answer), to: reply)
        // A seat was kept, perhaps: the site's lobbies go by how the room stands.
        hasNews = true
    }

    private static func encoded(_ reply: HostReply) -> [UInt8] {
        (try? JSONEncoder().encode(reply)).map { Array($0) } ?? []
    }

    // MARK: Asking others

    package func rooms() async throws -> [SiteRoom] {
        let watch = try await listening()
        return watch.entries.filter { $0.silentForMs == nil && $0.entry.room.takesGuests == true }.map(\.entry.room)
    }

    package func room(_ word: String) async throws -> SiteRoom {
        try await listening().found(word, at: options.place)
    }

    /// Listens to the other rooms from now on; where that has just begun, once all that live had the time to speak.
    private func listening() async throws -> SiteWatch {
        guard isConnected, let connection else {
            throw RoomError(.network, "the site's broker is away; roomful peers says since when, and why")
        }
        if watch?.connection !== connection { watch = (try SiteWatch(connection, options.site), connection) }
        guard let watch = watch?.watch else { throw CancellationError() }
        let left = SiteDirectory.listening - watch.now
        if left > 0 { try await Task.sleep(for: .milliseconds(left)) }
        return watch
    }

    package func ask(
        _ request: HostRequest, of room: SiteRoom, within patience: Duration
    ) async throws -> HostReply {
        guard isConnected, let connection else { throw RoomError(.network, "the site's broker is away") }
        let message: BrokerMessage
        do throws(BrokerError) {
            let payload = (try? JSONEncoder().encode(request)).map { Array($0) } ?? []
            message = try await connection.request(subjects.host(room.room), payload, within: patience)
        } catch {
            let failure =
                switch error.code {
                case .nobodyHears:
                    RoomError(
                        .closed,
                        "\"\(room.name)\" on \(room.host) is not asked by other hosts: it has closed, or is of an older version"
                    )
                case .notAllowed:
                    RoomError(
                        .network,
                        "this site's hosts may not ask one another: take the user host anew from roomful site init")
                case .timedOut: RoomError(.network, "\"\(room.name)\" on \(room.host) did not answer in time")
                default: RoomError(.network, error.message)
                }
            throw failure
        }
        guard let reply = try? JSONDecoder().decode(HostReply.self, from: Data(message.payload)) else {
            throw RoomError(.network, "\"\(room.name)\" answered what this version does not understand")
        }
        if let failure = reply.error { throw failure.error }
        return reply
    }
}
