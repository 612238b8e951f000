import Foundation
import InputMerge
import RecordingExports
import RoomRecords
import Roomful
import WireProtocol

/// Gestures as they were and as they would have been, side by side.
///
/// Two are the same gesture when player and kind are and their beginnings lie within 250 ms.
struct RuleComparison {
    struct Row: Codable {
        var player: Int
        var gesture: String
        var was: Int
        var wouldBe: Int
        var kept: Int
        var lost: Int
        var gained: Int
        /// Of those kept: how far they moved in the mean, in ms.
        var moved: Double?
    }

    struct Result: Codable {
        var gestures: [Row]
        /// Of contests: who won, as it was and as it would have been.
        var verdicts: [String]
        var verdictsUnderOtherRules: [String]

        var text: String {
            var lines = ["player  gesture          was  would be  kept  lost  gained  moved (mean)"]
            for row in gestures {
                let player = "P\(row.player)".padding(toLength: 8, withPad: " ", startingAt: 0)
                let gesture = row.gesture.padding(toLength: 15, withPad: " ", startingAt: 0)
                let counts = String(format: "%5d %9d %5d %5d %7d", row.was, row.wouldBe, row.kept, row.lost, row.gained)
                let moved = row.moved.map { String(format: "%+.1f ms", $0) } ?? "-"
                lines.append("\(player)\(gesture)\(counts)  \(moved)")
            }
            if gestures.isEmpty { lines.append("no gesture, with either rules") }
            func list(_ title: String, _ all: [String]) {
                if !all.isEmpty { lines += ["", title] + all.map { "  " + $0 } }
            }
            list("verdicts as they were:", verdicts)
            list("verdicts under the other rules:", verdictsUnderOtherRules)
            return lines.joined(separator: "\n")
        }
    }

    private struct Key: Hashable, Comparable {
        var player: Int
        var gesture: String
        static func < (a: Key, b: Key) -> Bool { (a.player, a.gesture) < (b.player, b.gesture) }
    }

    private static let near = 250.0
    private let openedAt: HostTime
    private var were: [Key: [Double]] = [:]
    private var wouldBe: [Key: [Double]] = [:]
    private var verdicts: [String] = []
    private var others: [String] = []

    init(openedAt: HostTime) { self.openedAt = openedAt }

    mutating func take(_ step: EveningPlayer.Step) {
        switch step {
        case .event(.gesture(let event)) where event.phase == .began:
            were[Key(player: event.player, gesture: event.gesture), default: []].append(event.at)
        case .event(.verdict(let event)):
            verdicts.append(Self.line(event.at, event.order, event.gesture))
        case .passenger(let gesture) where gesture.phase == .began:
            let at = (gesture.occurredAt - openedAt).milliseconds
            wouldBe[Key(player: gesture.player, gesture: gesture.gesture.rawValue), default: []].append(at)
        case .passengerVerdict(let verdict):
            others.append(Self.line(verdict.at, verdict.order, verdict.gesture))
        case .event, .mark, .passenger, .motion: break
        }
    }

    private static func line(_ at: Double, _ order: [[Int]], _ gesture: String) -> String {
        let ranks = order.map { $0.map { "P\($0)" }.joined(separator: " = ") }.joined(separator: " > ")
        return String(format: "%.3f s", at / 1e3) + "  \(gesture): \(ranks)"
    }

    var result: Result {
        let rows = Set(were.keys).union(wouldBe.keys).sorted().map { key in
            let (was, will) = ((were[key] ?? []).sorted(), (wouldBe[key] ?? []).sorted())
            var (i, j, kept, moved) = (0, 0, 0, 0.0)
            while i < was.count, j < will.count {
                let apart = will[j] - was[i]
                if abs(apart) <= Self.near {
                    kept += 1
                    moved += apart
                    i += 1
                    j += 1
                } else if apart < 0 {
                    j += 1
                } else {
                    i += 1
                }
            }
            return Row(
                player: key.player, gesture: key.gesture, was: was.count, wouldBe: will.count, kept: kept,
                lost: was.count - kept, gained: will.count - kept, moved: kept > 0 ? moved / Double(kept) : nil)
        }
        return Result(gestures: rows, verdicts: verdicts, verdictsUnderOtherRules: others)
    }
}
