package import SiteBroker
package import SiteRecords

/// How far a site's stream was read, over connections that end: the next one goes on behind it.
package struct SiteStreamPlace {
    private var start: StreamReader.Start
    private var mark: SiteReading.Mark?

    /// Where the reading is to begin.
    package init(_ start: StreamReader.Start) { self.start = start }

    /// Whether the stream was there once: what is wrong before that is no broker that went.
    package var hasBegun: Bool { mark != nil }

    /// Also where the reading ends with an error.
    private final class Reached { var last: (sequence: UInt64, time: UInt64?)? }

    /// Hands on one record after the other until the connection ends, or `body` throws: then that record comes again.
    ///
    /// - Parameter begun: told before the first of them where the reading begins, and where that was wanted.
    package mutating func read(
        _ connection: BrokerConnection, _ subjects: SiteSubjects, _ body: (StreamRecord) async throws -> Void,
        begun: (_ reading: SiteReading, _ wanted: StreamReader.Start) async throws -> Void
    ) async throws {
        let wanted = start
        let reading = try await SiteReading(wanted, after: mark, of: connection, subjects)
        (start, mark) = (reading.start, reading.mark)
        try await begun(reading, wanted)
        var reader = StreamReader(connection, stream: subjects.stream, from: start, created: reading.mark.created)
        let reached = Reached()
        defer {
            if let last = reached.last {
                start = .sequence(last.sequence + 1)
                mark?.time = last.time
            }
        }
        try await reader.read { record in
            try await body(record)
            reached.last = (record.sequence, record.time)
            return true
        }
    }
}
