import Foundation
import Identity
import Roomful
import SiteBroker
import SiteFront
import SiteRecords

/// Follows the events of a whole site, from any place of its stream on; goes on by itself where the broker went and came.
struct SiteEvents {
    let options: SiteOptions
    /// Only rooms of this name or id, or the beginning of it.
    let room: String?
    let json: Bool
    let isVerbose: Bool
    /// Which events are wanted.
    let isWanted: (EventRecord) -> Bool

    func follow(from start: StreamReader.Start) async throws {
        var (place, pause) = (Place(start: start), GrowingPause(seed: .random(in: 1 ... .max)))
        while true {
            do {
                try await read(&place)
            } catch let error as BrokerError where place.hasBegun && error.code != .noLibrary {
                Failure.say("\(error); trying again")
            }
            try await Task.sleep(for: .milliseconds(pause.milliseconds()))
        }
    }

    /// Where to go on, also after an error; what is wrong before anything was read ends the command.
    private struct Place {
        var start: StreamReader.Start
        var hasBegun = false
    }

    private func read(_ place: inout Place) async throws {
        let connection = try await BrokerConnection.open(options)
        defer { connection.close() }
        let subjects = SiteSubjects(options.site)
        guard let stream = try await connection.stream(subjects.stream) else {
            throw BrokerError(
                .noStream,
                "\(connection.place.address) keeps no events of site \"\(options.site)\" yet: the first room makes the stream"
            )
        }
        if case .sequence(let wanted) = place.start { place.start = Self.start(wanted, in: stream) }
        // What is told while the broker is away counts, too.
        if place.start == .new { place.start = .sequence(stream.last + 1) }
        place.hasBegun = true
        var reader = StreamReader(connection, stream: subjects.stream, from: place.start)
        let reached = Reached()
        defer { if let last = reached.last { place.start = .sequence(last + 1) } }
        try await reader.read { record in
            reached.last = record.sequence
            try show(record)
            return true
        }
    }

    /// Where to begin, and a word about it where that is another place than was asked for.
    private static func start(_ wanted: UInt64, in stream: StreamFacts) -> StreamReader.Start {
        if wanted > stream.last + 1 {
            Failure.say(
                "the stream has \(stream.last) records, not \(wanted - 1): it is a new one, and read from its beginning"
            )
            return .all
        }
        if wanted < stream.first {
            Failure.say("records \(wanted) to \(stream.first - 1) are no longer kept: it begins with \(stream.first)")
        }
        return .sequence(wanted)
    }

    private func show(_ record: StreamRecord) throws {
        // What a later version tells is passed over by people's lines, and handed on to programs.
        let told = try? JSONDecoder().decode(SiteEvent.self, from: Data(record.payload))
        if let told {
            guard isOfRoom(told), told.event.map(isWanted) ?? true else { return }
        } else if room != nil || !json {
            return
        }
        if json {
            if let line = Self.line(record) { Terminal.print(line) }
        } else if let told {
            let words =
                told.gap.map { "events \($0.first) to \($0.last) are in no stream: the broker was away for too long" }
                ?? told.event.flatMap { EventLines.line($0, isVerbose: isVerbose) }
            guard let words else { return }
            let name = TerminalText.isolated(spoken(told.name, atMost: 128))
            // Other hosts wrote it: their controls reach no terminal.
            let line = "\(record.sequence)  \(name)  \(words)".unicodeScalars.filter {
                $0.properties.generalCategory != .control
            }
            Terminal.print(String(String.UnicodeScalarView(line)))
        }
    }

    private func isOfRoom(_ told: SiteEvent) -> Bool {
        guard let room else { return true }
        return told.name == room || told.room == room || room.utf8.count >= 4 && told.room.hasPrefix(room)
    }

    /// The record with its place in the stream, as one line.
    private static func line(_ record: StreamRecord) -> String? {
        guard var object = try? JSONSerialization.jsonObject(with: Data(record.payload)) as? [String: Any] else {
            return nil
        }
        object["seq"] = record.sequence
        let options: JSONSerialization.WritingOptions = [.sortedKeys, .withoutEscapingSlashes]
        return (try? JSONSerialization.data(withJSONObject: object, options: options)).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    /// How far the reading has come, also where it ended with an error.
    private final class Reached {
        var last: UInt64?
    }
}
