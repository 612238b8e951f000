import Foundation
import RoomRecords
package import SiteBroker
package import SiteRecords

/// Where the reading of a site's stream begins, and what is to be said of it beside.
package struct SiteReading: Hashable, Sendable {
    /// Where it begins.
    package var start: StreamReader.Start
    /// The stream is another one than that which gave the number: it is read from its beginning.
    package var isNew = false
    /// It is the same one, and its newest records, which had been read, are lost: it is read on behind what is left of them.
    package var isShorter = false
    /// These were asked for, and are no longer kept.
    package var missing: ClosedRange<UInt64>?
    /// The newest record when it began.
    package var last: UInt64
    /// What is to be said when it is read on.
    package var mark: Mark

    /// How far a stream was read.
    package struct Mark: Hashable, Sendable {
        /// Which stream it was.
        package var created: String
        /// When the broker got the last record of it that was dealt with, ns since 1970; `nil` where none was.
        package var time: UInt64?

        package init(created: String, time: UInt64? = nil) { (self.created, self.time) = (created, time) }
    }

    /// - Parameter mark: of the reading that goes on here; `nil` for the first one.
    /// - Throws: ``BrokerError`` with code `noStream` where no room has told anything yet.
    package init(
        _ wanted: StreamReader.Start, after mark: Mark? = nil, of connection: BrokerConnection, _ subjects: SiteSubjects
    ) async throws {
        guard let stream = try await connection.stream(subjects.stream) else {
            throw BrokerError(
                .noStream,
                "\(connection.place.address) keeps no events of site \"\(subjects.site)\" yet: the first room makes the stream"
            )
        }
        self.init(wanted, after: mark, of: stream)
        guard !isNew, let time = mark?.time, case .sequence(let number) = wanted, number > 1 else { return }
        // Since the records were lost the stream may have grown past the number.
        if !isShorter {
            guard let read = try? await connection.record(in: subjects.stream, at: number - 1)?.time, read != time
            else { return }
        }
        var (first, end) = (max(stream.first, 1), min(number - 1, stream.last + 1))
        while first < end {
            let middle = first + (end - first) / 2
            let there = try await connection.record(in: subjects.stream, at: middle)?.time
            (first, end) = there ?? 0 > time ? (first, middle) : (middle + 1, end)
        }
        (start, isShorter, missing) = (.sequence(first), true, nil)
        self.mark.time = nil
    }

    /// By what is known of the stream alone.
    package init(_ wanted: StreamReader.Start, after mark: Mark?, of stream: StreamFacts) {
        (start, last) = (wanted, stream.last)
        self.mark = Mark(created: stream.created, time: mark?.time)
        guard mark == nil || mark?.created == stream.created else {
            (start, isNew) = (.all, true)
            self.mark.time = nil
            return
        }
        // What is told while the broker is away counts, too.
        if wanted == .new { start = .sequence(stream.last + 1) }
        guard case .sequence(let number) = start else { return }
        if number > stream.last + 1, mark != nil {
            (start, isShorter) = (.sequence(stream.last + 1), true)
        } else if number > stream.last + 1 {
            (start, isNew) = (.all, true)
        } else if number < stream.first {
            missing = number...stream.first - 1
        }
    }
}

extension StreamRecord {
    /// A site's record with its place in the stream (`seq`), as one line; `nil` for what is no JSON object.
    package var line: [UInt8]? {
        guard var object = try? JSONSerialization.jsonObject(with: Data(payload)) as? [String: Any] else { return nil }
        object["seq"] = sequence
        let options: JSONSerialization.WritingOptions = [.sortedKeys, .withoutEscapingSlashes]
        return (try? JSONSerialization.data(withJSONObject: object, options: options)).map { Array($0) }
    }
}

extension SiteEvent {
    /// Whether its room is meant by this word (``SiteRoom/isMeant(by:name:room:)``).
    package func isOf(_ word: String) -> Bool {
        SiteRoom.isMeant(by: word, name: name, room: room)
    }
}
