import OperatorFront
import RoomRecords
import Roomful
import SiteBroker
import SiteFront
import SiteRecords

/// Who is in the rooms of a site: each room answers for itself.
struct SitePeers {
    let options: SiteOptions
    let json: Bool

    private struct Listing: Encodable {
        var room: String
        var name: String
        var host: String
        @ExplicitNull var peers: [PeerStatus]?
        /// Why there is no list.
        var problem: String?
    }

    func show(again: Bool) async throws {
        let connection = try await BrokerConnection.open(options)
        defer { connection.close() }
        let watch = try SiteWatch(connection, options.site)
        try await SiteWatch.listen()
        repeat {
            var listings: [Listing] = []
            for (entry, silence) in watch.entries where silence == nil && !entry.room.isClosing {
                listings.append(await listing(SiteClient(connection, entry.room, watch.subjects)))
            }
            let text = json ? try Terminal.json(listings) : Self.text(listings, options.site)
            again && Terminal.isInteractive && !json ? Terminal.redraw(text + "\n") : Terminal.print(text)
            if again { try await Task.sleep(for: .seconds(1)) }
            if connection.hasEnded { throw BrokerError(.closed, "the broker has ended the connection") }
        } while again
    }

    private func listing(_ client: SiteClient) async -> Listing {
        let room = client.room
        var listing = Listing(room: room.room, name: room.name, host: room.host)
        do {
            listing.peers = try await client.ask(OperatorRequest(.peers)).peers ?? []
        } catch {
            listing.problem = "\(error)"
        }
        return listing
    }

    private static func text(_ listings: [Listing], _ site: SiteName) -> String {
        guard !listings.isEmpty else { return "no room of site \"\(site)\" is heard" }
        return listings.map { listing in
            let title = "\"\(TerminalText.isolated(listing.name))\" on \(listing.host)"
            return title + "\n" + (listing.peers.map(PeerTables.overview) ?? listing.problem ?? "")
        }.joined(separator: "\n\n")
    }
}
