import EveningFiles
import FlightRecorder
package import Foundation
import InputMerge
import PrivateFiles
import RoomRecords
import SessionCoordinator
package import WireProtocol

/// Motion that somebody showed on purpose, taken out of a recording and written as `roomful lab score` reads it.
///
/// Acceleration is specific force in m/s² and rotation in rad/s, in the device's axes, as the room's motion stage has them:
/// the gyroscope's bias is taken out. Each sample stands once, by the device's own clock.
package struct CollectedMotion {
    /// What is collected: each has a file of its own.
    package enum Kind: Equatable {
        /// `gestures/collected.csv`
        case gesture
        /// `events/shakes.csv`, and when each was in `events/shakes_labels.csv`.
        case shake
        /// `events/everyday.csv`
        case everyday
    }

    /// Who showed what, and what may be done with it.
    package struct Session {
        package var kind: Kind
        /// What was shown; no commas, quotes or line ends.
        package var label: String
        /// A label for who showed it.
        package var subject: String
        package var consent: String
        package var licence: String
        package var program: String

        package init(
            kind: Kind, label: String, subject: String, consent: String, licence: String, program: String
        ) {
            self.kind = kind
            self.label = label
            self.subject = subject
            self.consent = consent
            self.licence = licence
            self.program = program
        }

        /// What its trials are called: this, and a number.
        package var trialPrefix: String { "\(subject)-\(label.replacingOccurrences(of: " ", with: "-"))-" }
    }

    /// What came of it.
    package struct Summary: Encodable {
        package var file: String
        package var trials: Int
        package var samples: Int
        /// Samples a second, of the median interval.
        package var rate: Double
        /// Trials that were left out, and why.
        package var leftOut: [String]
    }

    private struct Sensor: Hashable {
        var controller: ControllerID
        var stream: StreamID
    }

    private struct Trial {
        var name: String
        var samples: [DeviceMotion] = []
        /// In ms since the room opened.
        var begins: Double
        var ends: Double
    }

    private static let begin = "collect begin "
    private static let end = "collect end "
    /// Of a shake, so much before it and after it is kept, too.
    package static let around: Duration = .seconds(1)
    /// A longer gap within a trial makes it worth nothing, in ms.
    private static let longestGap = 150.0

    /// What marks a trial's beginning, and its end.
    package static func marks(of trial: String) -> (begin: String, end: String) { (begin + trial, end + trial) }

    /// Takes the trials that are marked in a recording, of the player's first sensor, and adds them to the folder's files.
    package static func take(
        from path: String, player: PlayerNumber, _ session: Session, to folder: URL
    ) throws -> Summary {
        let (motions, trials, openedAt) = try read(path, player: player)
        var (kept, leftOut): ([Trial], [String]) = ([], [])
        let margin = session.kind == .shake ? around / .milliseconds(1) : 0
        for var trial in trials {
            trial.samples = motions.filter {
                let at = openedAt.milliseconds($0.occurredAt)
                return at >= trial.begins - margin && at < trial.ends + margin
            }
            if let fault = fault(of: trial, openedAt) {
                leftOut.append("\(trial.name): \(fault)")
            } else {
                kept.append(trial)
            }
        }
        let file = folder.appending(path: session.kind.file).path
        guard !kept.isEmpty else {
            return Summary(file: file, trials: 0, samples: 0, rate: 0, leftOut: leftOut)
        }
        try write(kept, session, in: folder)
        if session.kind == .shake {
            try writeLabels(kept, openedAt, in: folder)
        }
        let rate = Self.rate(of: kept)
        try note(kept, session, rate: rate, in: folder)
        return Summary(
            file: file, trials: kept.count, samples: kept.reduce(0) { $0 + $1.samples.count }, rate: rate,
            leftOut: leftOut)
    }

    private static func read(
        _ path: String, player number: PlayerNumber
    ) throws -> (motions: [DeviceMotion], trials: [Trial], openedAt: RecordClock) {
        var player = try EveningPlayer(path, tellsMotion: true)
        let clock = RecordClock(openedAt: player.evening.opening.openedAt)
        var (motions, trials): ([Sensor: [DeviceMotion]], [Trial]) = ([:], [])
        while try player.step({ step, _ in
            switch step {
            case .motion(let batch, let owner) where owner.player == number:
                let sensor = Sensor(controller: owner.controller, stream: batch.sensor.stream)
                motions[sensor, default: []] += batch.motions
            case .mark(let text, let at) where text.hasPrefix(begin):
                trials.append(Trial(name: String(text.dropFirst(begin.count)), begins: at, ends: .infinity))
            case .mark(let text, let at) where text.hasPrefix(end):
                let name = text.dropFirst(end.count)
                if let place = trials.lastIndex(where: { $0.name == name }) { trials[place].ends = at }
            default: break
            }
        }) {}
        // What was begun and not ended was interrupted.
        // Of several devices of one player, and of whoever had the number before or after, nothing is filed under somebody
        // else's consent: it is the device that moved as the first trial began, by its first sensor.
        let begins = trials.first?.begins ?? 0
        let first = motions.filter { clock.milliseconds($0.value.last?.occurredAt ?? .distantFuture) >= begins }.keys
            .min { ($0.controller, $0.stream) < ($1.controller, $1.stream) }
        let found = first.flatMap { motions[$0] } ?? []
        return (found, trials.filter { $0.ends.isFinite }, clock)
    }

    private static func fault(of trial: Trial, _ clock: RecordClock) -> String? {
        guard trial.samples.count >= 8 else { return "\(plural(trial.samples.count, "sample")) came" }
        let (samples, pairs) = (trial.samples, zip(trial.samples, trial.samples.dropFirst()))
        let gap = pairs.map { ($1.sampledAt - $0.sampledAt) / .milliseconds(1) }.max() ?? 0
        if gap > longestGap { return String(format: "%.0f ms are missing in it", gap) }
        // What lies around a shake does not make up for what is missing of it.
        let first = max(trial.begins, clock.milliseconds(samples[0].occurredAt))
        let covered = min(trial.ends, clock.milliseconds(samples[samples.count - 1].occurredAt)) - first
        if covered < 0.8 * (trial.ends - trial.begins) {
            return String(format: "only %.0f of %.0f ms came", covered, trial.ends - trial.begins)
        }
        return nil
    }

    private static func rate(of trials: [Trial]) -> Double {
        let intervals = trials.flatMap { trial in
            zip(trial.samples, trial.samples.dropFirst()).map { ($1.sampledAt - $0.sampledAt) / .seconds(1) }
        }.sorted()
        return intervals.isEmpty ? 0 : (1 / intervals[intervals.count / 2] * 10).rounded() / 10
    }

    // MARK: Files

    /// - Throws: where a file of the folder has other columns, or others may write in the folder: to be asked before anybody
    ///   moves.
    package static func check(_ kind: Kind, in folder: URL) throws {
        try append("", under: kind.head, to: kind.file, in: folder, makesFile: false)
        guard kind == .shake else { return }
        try append("", under: labelsHead, to: labelsFile, in: folder, makesFile: false)
    }

    static let (labelsFile, labelsHead) = ("events/shakes_labels.csv", "rec,activity,start_ms,end_ms")

    static let notesFile = "collected.jsonl"

    private static func write(_ trials: [Trial], _ session: Session, in folder: URL) throws {
        var text = ""
        for trial in trials {
            let name =
                session.kind == .shake ? trial.name : "\(trial.name),\(session.label),\(session.subject)"
            for sample in trial.samples {
                let time = (sample.sampledAt - trial.samples[0].sampledAt) / .milliseconds(1)
                let force = -standardGravity * (sample.gravity + sample.userAcceleration)
                let turn = sample.rotationRate
                text += name
                text += String(
                    format: ",%.3f,%.4f,%.4f,%.4f,%.5f,%.5f,%.5f\n", time, force.x, force.y, force.z, turn.x, turn.y,
                    turn.z)
            }
        }
        try append(text, under: session.kind.head, to: session.kind.file, in: folder)
    }

    private static func writeLabels(_ trials: [Trial], _ clock: RecordClock, in folder: URL) throws {
        var text = ""
        for trial in trials {
            let first = clock.milliseconds(trial.samples[0].occurredAt)
            text += String(format: "\(trial.name),shake,%.1f,%.1f\n", trial.begins - first, trial.ends - first)
        }
        try append(text, under: labelsHead, to: labelsFile, in: folder)
    }

    /// Who showed what, when, and under which licence: a line of JSON for each session.
    private static func note(_ trials: [Trial], _ session: Session, rate: Double, in folder: URL) throws {
        struct Note: Encodable {
            var date, kind, label, subject: String
            var trials: [String]
            var rate: Double
            var consent, licence, program: String
        }
        let note = Note(
            date: Date().formatted(.iso8601), kind: session.kind.file, label: session.label, subject: session.subject,
            trials: trials.map(\.name), rate: rate, consent: session.consent, licence: session.licence,
            program: session.program)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let line = String(decoding: try encoder.encode(note), as: UTF8.self) + "\n"
        try append(line, under: nil, to: notesFile, in: folder)
    }

    /// Others may not write in the folder: they could put a link, or a pipe that nobody reads, where a file belongs.
    ///
    /// - Parameter head: the first line of a file that is new; one that is there must begin with it.
    private static func append(
        _ text: String, under head: String?, to name: String, in folder: URL, makesFile: Bool = true
    ) throws {
        let place = folder.appending(path: name)
        _ = try PrivateFolder.named(folder.standardizedFileURL.path)
        let own = try PrivateFolder.named(place.deletingLastPathComponent().standardizedFileURL.path)
        guard let file = try own.openedToAppend(place.lastPathComponent, makesFile: makesFile) else { return }
        let handle = FileHandle(fileDescriptor: file.number, closeOnDealloc: false)
        if try handle.seekToEnd() == 0 {
            return try handle.write(contentsOf: Data(((head.map { $0 + "\n" } ?? "") + text).utf8))
        }
        try handle.seek(toOffset: 0)
        if let head, try handle.read(upToCount: head.utf8.count + 1) != Data((head + "\n").utf8) {
            throw RecordingFileError(
                "\(place.path) is there and has other columns than \(head): name another folder with --collect")
        }
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(text.utf8))
    }

    /// Recordings of whole rooms that older programs left in the folder.
    static let leftovers = ".collecting-"

    /// Removes them once they are a day old: they hold everybody who was there.
    package static func removeLeftovers(in folder: URL) {
        (try? PrivateFolder.named(folder.standardizedFileURL.path))?.removeLeftovers(leftovers)
    }

    /// The names of trials that a folder's file has already, so that new ones are counted on from there.
    package static func names(of kind: Kind, in folder: URL) -> Set<String> {
        guard let text = try? handedInText(folder.appending(path: kind.file).path, limit: 1 << 30) else { return [] }
        return Set(text.split(separator: "\n").compactMap { $0.split(separator: ",").first.map(String.init) })
    }

    /// How often this was shown by this person, with what the folder had before.
    package static func count(of session: Session, in folder: URL) -> Int {
        let prefix = session.trialPrefix
        return names(of: session.kind, in: folder).count { isTrial($0, of: prefix) }
    }

    /// Whether this names one of the trials that begin so: they are numbered.
    static func isTrial(_ name: some StringProtocol, of prefix: String) -> Bool {
        name.hasPrefix(prefix) && Int(name.dropFirst(prefix.count)) != nil
    }
}

extension CollectedMotion.Kind {
    var head: String {
        let axes = "t_ms,ax,ay,az,gx,gy,gz"
        return switch self {
        case .gesture: "gid,label,subject," + axes
        case .shake: "rec," + axes
        case .everyday: "rec,activity,subject," + axes
        }
    }

    var file: String {
        switch self {
        case .gesture: "gestures/collected.csv"
        case .shake: "events/shakes.csv"
        case .everyday: "events/everyday.csv"
        }
    }
}
