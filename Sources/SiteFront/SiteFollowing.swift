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
        var pause = GrowingPause(seed: .random(in: 1 ... .max))
        // The last number that there is has none behind it.
        let start = wish.after.map { StreamReader.Start.sequence($0 == .max ? .max : $0 + 1) } ?? .new
        var place = Place(start: start)
        while !Task.isCancelled {
            do {
                try await read(from: &place, send) { pause.reset() }
            } catch let error as BrokerError {
                try await send(line(Away(problem: error.message)))
            }
            try await Task.sleep(for: .milliseconds(pause.milliseconds()))
        }
    }

    /// How far the reading has come, also where it ended with an error.
    private final class Reached { var last: (sequence: UInt64, time: UInt64?)? }
    private struct Place {
        var start: StreamReader.Start
        var mark: SiteReading.Mark?
    }

    private func read(
        from place: inout Place, _ send: @Sendable (SiteLine) async throws -> Void, begun: () -> Void
    ) async throws {
        let connection = try await BrokerDesk.connection(options)
        defer { connection.close() }
        let subjects = SiteSubjects(options.site)
        let reading = try await SiteReading(place.start, after: place.mark, of: connection, subjects)
        (place.start, place.mark) = (reading.start, reading.mark)
        begun()
        try await send(line(greeting(reading)))
        var reader = StreamReader(
            connection, stream: subjects.stream, from: place.start, created: reading.mark.created)
        let reached = Reached()
        defer {
            if let last = reached.last {
                place.start = .sequence(last.sequence + 1)
                place.mark?.time = last.time
            }
        }
        try await reader.read { record in
            if isWanted(record), let json = record.line {
                try await send(SiteLine(sequence: record.sequence, json: json))
            }
            reached.last = (record.sequence, record.time)
            return true
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
