import Foundation
import Identity
import Roomful
import SiteBroker
import SiteFront
import SiteRecords
import WireProtocol

/// Follows the events of a whole site, from any place of its stream on; goes on by itself where the broker went and came.
struct SiteEvents {
    let options: SiteOptions
    /// Only rooms of this name or id, or the beginning of it.
    let room: String?
    let json: Bool
    let isVerbose: Bool
    /// Verdicts over several rooms, too.
    let areContestsWanted: Bool
    /// Which events are wanted.
    let isWanted: (EventRecord) -> Bool

    func follow(from start: StreamReader.Start) async throws {
        var (place, pause) = (SiteStreamPlace(start), GrowingPause())
        while true {
            do {
                let connection = try await BrokerConnection.open(options)
                defer { connection.close() }
                try await place.read(connection, SiteSubjects(options.site)) { record in
                    try show(record)
                } begun: { reading, wanted in
                    pause.reset()
                    Self.say(reading, wanted: wanted)
                }
            } catch let error as BrokerError where place.hasBegun && error.code != .noLibrary {
                // What is wrong before anything was read ends the command.
                try await pause.wait(after: error)
                continue
            }
            try await Task.sleep(for: .milliseconds(pause.milliseconds()))
        }
    }

    /// A word about it where it begins at another place than was asked for.
    private static func say(_ reading: SiteReading, wanted: StreamReader.Start) {
        if reading.isNew, case .sequence(let wanted) = wanted {
            let why =
                wanted - 1 > reading.last
                ? "the stream has \(plural(reading.last, "record")), not \(wanted - 1): it is a new one"
                : "the stream is another one than before"
            Failure.say("\(why), and read from its beginning")
        }
        if reading.isShorter, case .sequence(let next) = reading.start {
            Failure.say("the broker has lost its newest records: what it has got since is read, from number \(next) on")
        }
        if let missing = reading.missing {
            Failure.say(
                "records \(missing.lowerBound) to \(missing.upperBound) are no longer kept: it begins with \(missing.upperBound + 1)"
            )
        }
    }

    private var contests: String { SiteSubjects(options.site).contests }

    private func showContest(_ record: StreamRecord) {
        guard room == nil, areContestsWanted else { return }
        if json {
            if let line = record.line { Terminal.print(String(decoding: line, as: UTF8.self)) }
        } else if let contest = try? JSONDecoder().decode(SiteContestRecord.self, from: Data(record.payload)) {
            Terminal.print("\(record.sequence)  \(SiteContestLines.line(contest))")
        }
    }

    private func show(_ record: StreamRecord) throws {
        // What a later version tells is passed over by people's lines, and handed on to programs.
        let told = try? JSONDecoder().decode(SiteEvent.self, from: Data(record.payload))
        if record.subject == contests { return showContest(record) }
        if let told {
            guard room.map({ told.isOf($0) }) ?? true, told.event.map(isWanted) ?? true else { return }
        } else if room != nil || !json {
            return
        }
        if json {
            if let line = record.line { Terminal.print(String(decoding: line, as: UTF8.self)) }
        } else if let told {
            let words =
                told.gap.map {
                    "events \($0.first) to \($0.last) are in no stream: the broker was away too long, or lost them"
                }
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
}
