import ArgumentParser
import EveningFiles
import FlightRecorder
import Foundation
import RecordingExports
import RoomRecords
import Roomful
import WireProtocol

/// Lists the recordings of a folder, and mends those that were cut.
struct Recordings: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recordings",
        abstract: "List recordings, and mend those whose recorder was killed.",
        discussion: """
            Examples:  roomful recordings /srv/evenings
                       roomful recordings --mend evening.mcap
            --mend cuts off a record that its recorder had begun to write, and nothing else: what is damaged, cannot be read
            here, or is another program's, is left as it is.
            """)
    @Argument(help: "Folders and files; this folder by default.", completion: .file()) var paths: [String] = ["."]
    @Flag(help: "Give files that were cut their end, so that every tool opens them.") var mend = false
    @Flag(help: "Print JSON, an object a line.") var json = false

    struct Row: Codable {
        var path: String
        var bytes: Int
        var room: String?
        /// When the room opened and when the recording began: ISO 8601, UTC.
        var openedAt: String?
        var startedAt: String?
        var finished: Bool?
        var exact: Bool?
        var description: String?
        var problem: String?
        /// With `--mend`: whether it got its end, how many bytes were cut off, and why it was left as it is.
        var mended: Bool?
        var cutOff: Int?
        var left: String?

        mutating func tell(_ mending: RecordedEvening.Mending?) {
            mended = mending.map { _ in false }
            switch mending {
            case .mended(let bytes): (mended, cutOff) = (true, Int(clamping: bytes))
            case .left(let reason): left = printable(reason)
            case .empty: left = "nothing was recorded in it before its recorder ended; it may be deleted"
            case .whole, nil: break
            }
        }
    }

    func run() async throws {
        try await Failure.explained {
            var isBad = false
            for path in files() {
                // What cannot be opened says so below.
                let mending = mend ? (try? RecordedEvening.mend(path)) : nil
                var row = RecordingList.row(of: path)
                row.tell(mending)
                // Of a folder's files, some may be others' own; who names one, or mends a room's, wants it to be good. Of one
                // in which nothing was recorded nothing is lost.
                let isMended = mend && mending != .empty && RecordedEvening.isRecording(path)
                let isWanted = paths.contains(path) || isMended
                isBad = isBad || isWanted && (row.problem != nil || row.left != nil)
                if !json, let fate = words(row) { Terminal.print("\(path): \(fate)") }
                Terminal.print(json ? try Terminal.json(row) : line(row))
            }
            if isBad { throw Failure.refused }
        }
    }

    private func files() -> [String] {
        paths.flatMap { path -> [String] in
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue else {
                return [path]
            }
            guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else { return [path] }
            return names.filter { $0.hasSuffix(".mcap") }.sorted().map { path == "." ? $0 : path + "/" + $0 }
        }
    }

    /// What became of it by mending.
    private func words(_ row: Row) -> String? {
        if let left = row.left { return "is left as it is: \(left)" }
        guard let cutOff = row.cutOff else { return row.mended.map { _ in "is as whole as it can be" } }
        return "mended; cut off: " + (cutOff == 0 ? "nothing" : plural(cutOff, "byte"))
    }

    private func line(_ row: Row) -> String {
        let size = RecordingPaths.size(row.bytes)
        if let problem = row.problem { return "\(row.path)  \(size)  \(problem)" }
        let state =
            row.finished == true
            ? "" : "  no whole end: still recorded, cut, or followed by more; roomful replay --verify says which"
        let exact = row.exact == true ? "" : "  (begun in the middle)"
        return "\(row.path)  \(size)  \(row.startedAt ?? "")  \"\(row.room ?? "")\"\(exact)\(state)"
            + (row.description.map { "  \($0)" } ?? "")
    }
}

enum RecordingList {
    private static func date(_ wallClock: Int64) -> String {
        Date(timeIntervalSince1970: Double(wallClock / 1_000_000_000)).ISO8601Format()
    }

    static func row(of path: String) -> Recordings.Row {
        var row = Recordings.Row(path: path, bytes: Int(clamping: RecordedEvening.size(of: path)))
        do {
            let evening = try RecordedEvening(path)
            row.room = evening.opening.room
            row.openedAt = date(evening.opening.wallClock)
            row.startedAt = date(evening.opening.wallClockAtStart)
            row.exact = evening.opening.isFromTheStart
            row.description = evening.about.first { $0.0 == "description" }?.1
            row.finished = RecordedEvening.hasEnd(path)
        } catch {
            row.problem = "\(error)"
        }
        return row
    }
}
