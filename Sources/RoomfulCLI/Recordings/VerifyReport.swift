import FlightRecorder
import EveningFiles
import Foundation
import RecordingExports
import Roomful
import WireProtocol

/// Whether a recording comes to the same again, and what stands in the way.
struct VerifyReport: Codable {
    var file: String
    /// Everything that is there came out as it was recorded; ``finished`` and ``complete`` say whether the end is there.
    var same: Bool
    var events: Int
    var motions: Int
    var marks: Int
    var entries: Int
    var datagrams: Int
    /// From the room's opening to the end of the tape, in s.
    var seconds: Double
    var finished: Bool
    /// Whether its recorder ended it in peace: else what came last may be missing.
    var complete: Bool
    /// Why it ended before its time.
    var failure: String?
    /// That, or what else may have become of its end, in words.
    var missingEnd: String?
    var difference: String?
    var holes: [String]
    var damage: [String]
    /// Whether it begins with the room: else nothing can be compared, and ``events`` were kept.
    var fromTheStart: Bool
    /// By what it was recorded.
    var recordedBy: String
    /// By what it is played, where that is another build: its rules of recognition may be others.
    var playedBy: String?

    init(_ player: EveningPlayer) {
        file = player.evening.paths.joined(separator: ", ")
        fromTheStart = player.evening.opening.isFromTheStart
        events = fromTheStart ? player.same : player.events
        motions = Int(clamping: player.replay.motions)
        marks = player.marks
        entries = player.entries
        datagrams = player.datagrams
        seconds = player.moment(player.now) / 1e3
        finished = player.evening.isFinished
        complete = player.isComplete
        failure = player.failure
        missingEnd = player.missingEnd
        holes = player.holes
        // What a killed recorder did not write is missing, and said to be; it is no damage to what it wrote.
        damage = player.evening.isCut ? [] : player.evening.damage
        difference = player.difference
        if difference == nil, let at = player.replay.motionDifference {
            difference = String(format: "the players' motion differs from %.3f s on", player.moment(at) / 1e3)
        }
        same = difference == nil && holes.isEmpty && damage.isEmpty
        let opening = player.evening.opening
        recordedBy = "\(opening.program), \(opening.compiler), \(opening.architecture)"
        playedBy = opening.program == ProgramVersion.ofRecordings ? nil : ProgramVersion.ofRecordings
    }

    var text: String {
        var lines: [String] = []
        let tape = plural(entries, "entry", "entries") + String(format: " in %.1f s", seconds)
        if let difference {
            let other = playedBy.map { ", and played by \($0): its rules may be others" } ?? ""
            lines.append("differs: \(difference)\n(recorded by \(recordedBy)\(other))")
        } else if !fromTheStart {
            lines.append("nothing to compare with: \(plural(events, "event was", "events were")) kept, of \(tape)")
        } else {
            let told =
                motions > 0
                ? " and \(plural(motions, "motion")), of \(tape)"
                : ", of \(tape); motion was told to nobody: not compared"
            lines.append(
                "\(same && complete ? "the same" : "the same as far as it goes"): \(plural(events, "event"))" + told)
        }
        if let missingEnd {
            // What is wrong elsewhere, too, no end mends.
            let isCurable = !finished && damage.isEmpty
            let cure = "; other tools want it mended: roomful recordings --mend \(shellWord(file))"
            lines.append(missingEnd + (isCurable ? cure : ""))
        }
        lines += holes + damage
        return lines.joined(separator: "\n")
    }
}
