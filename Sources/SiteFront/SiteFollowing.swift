import Foundation
import RoomRecords
import SiteBroker
import SiteRecords

/// Hands on a site's stream, record by record, for one who follows it at a room's door.
struct SiteFollowing: Sendable {
    /// The first word, and that after each time that the broker was away.
    private struct Greeting: Encodable {
        var type = "site"
        var v = 1
        var site: String
        /// What comes stands behind this place.
        var after: UInt64
        /// The stream is another one than that which gave the number.
        var isNew: Bool?
        /// Its newest records are lost, and others stand at their places.
        var isShorter: Bool?
        /// No longer kept, though asked for.
        var missing: Span?
    }
    private struct Span: Encodable {
        var first: UInt64
        var last: UInt64
    }
    private struct Away: Encodable {
        var type = "away"
        var problem: String
    }

    let options: SiteOptions
    let wish: SiteWish

    func run(_ send: @Sendable (SiteLine) async throws -> Void) async throws {
        var pause = GrowingPause()
        // The last number that there is has none behind it.
        var place = SiteStreamPlace(wish.after.map { StreamReader.Start.sequence($0 == .max ? .max : $0 + 1) } ?? .new)
        while !Task.isCancelled {
            do {
                let connection = try await BrokerDesk.connection(options)
                defer { connection.close() }
                try await place.read(connection, SiteSubjects(options.site)) { record in
                    guard isWanted(record), let json = record.line else { return }
                    try await send(SiteLine(sequence: record.sequence, json: json))
                } begun: { reading, _ in
                    pause.reset()
                    try await send(line(greeting(reading)))
                }
            } catch let error as BrokerError {
                try await send(line(Away(problem: error.message)))
            }
            try await Task.sleep(for: .milliseconds(pause.milliseconds()))
        }
    }

    private func greeting(_ reading: SiteReading) -> Greeting {
        var after: UInt64 = 0
        if case .sequence(let number) = reading.start, number > 0 { after = number - 1 }
        let missing = reading.missing.map { Span(first: $0.lowerBound, last: $0.upperBound) }
        return Greeting(
            site: options.site.text, after: after, isNew: reading.isNew ? true : nil,
            isShorter: reading.isShorter ? true : nil, missing: missing)
    }

    private func line(_ object: some Encodable) -> SiteLine {
        SiteLine(json: (try? JSONEncoder().encode(object)).map { Array($0) } ?? [])
    }

    private func isWanted(_ record: StreamRecord) -> Bool {
        guard wish.room != nil || wish.types != nil else { return true }
        if record.subject == SiteSubjects(options.site).contests {
            return wish.room == nil && wish.types?.contains("contest") == true
        }
        guard let told = try? JSONDecoder().decode(SiteEvent.self, from: Data(record.payload)) else { return false }
        if let room = wish.room, !told.isOf(room) { return false }
        guard let types = wish.types, let event = told.event else { return true }
        return types.contains(event.type)
    }
}
