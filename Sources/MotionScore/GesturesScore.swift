public import Foundation
import InputMerge

/// How well taught gestures are told apart, on every CSV file of a folder `gestures`.
///
/// *Right* is whether the nearest example has the right name. *Accepted* is what a room would name at all, *foreign* what
/// it would name although nobody taught that gesture: each label is left out of the book once.
public enum GesturesScore {
    /// - Parameter progress: is told in words what is being done.
    public static func report(in folder: URL, progress: (String) -> Void = { _ in }) -> ScoreReport {
        var report = ScoreReport()
        let files = OrientationScore.files(in: folder.appending(path: "gestures"), prefix: "")
        if files.isEmpty { report.skipped.append("gestures/*.csv: not there") }
        for file in files {
            guard let set = try? GestureSet(file, in: folder.appending(path: "gestures")), set.labels.count > 1 else {
                report.skipped.append("gestures/\(file): cannot be read, or holds fewer than two gestures")
                continue
            }
            progress("gestures/\(file): \(set.items.count) of \(set.labels.count) gestures")
            report.lines += lines(of: set)
            if set.isLifelike {
                progress("gestures/\(file), played to a room")
                report.lines += GesturesLive.lines(of: set)
            }
        }
        return report
    }

    /// What others reach and what we want, in per cent, by file and how it was taught.
    private static let goals: [String: (parity: Double, target: Double?)] = [
        "phone_digits, 3 examples each": (80, 88), "basicmotions, tenfold": (100, nil), "uwave8, tenfold": (94, 97),
        "tennis_swings, first half taught": (94, nil),
    ]

    private static func lines(of set: GestureSet) -> [ScoreLine] {
        var lines: [ScoreLine] = []
        func add(_ way: String, _ splits: [GestureSplit], withForeign: Bool = false) {
            guard !splits.isEmpty else { return }
            let tally = GestureTally(set, splits, withForeign: withForeign)
            let name = "\(set.name), \(way)"
            let goal = goals[name]
            lines.append(
                ScoreLine("\(name): right", tally.right, "%", parity: goal?.parity, target: goal?.target))
            guard withForeign else { return }
            lines.append(ScoreLine("\(name): accepted", tally.accepted, "%"))
            lines.append(ScoreLine("\(name): right among the accepted", tally.rightOfAccepted, "%"))
            lines.append(ScoreLine("\(name): foreign ones accepted", tally.foreign, "%", isCost: true))
        }
        add("3 examples each", GestureSplit.drawn(3, of: set, times: 20), withForeign: true)
        add("tenfold", GestureSplit.tenfold(set))
        add("first half taught", [GestureSplit.earlyAndLate(set)])
        add("taught by others", GestureSplit.acrossPeople(set))
        return lines
    }
}

/// What became of the performances that were tried, in per cent.
struct GestureTally {
    private var tried = 0
    private var rightOnes = 0
    private var acceptedOnes = 0
    private var rightAccepted = 0
    private var foreignTried = 0
    private var foreignAccepted = 0

    var right: Double { share(rightOnes, of: tried) }
    var accepted: Double { share(acceptedOnes, of: tried) }
    var rightOfAccepted: Double { share(rightAccepted, of: acceptedOnes) }
    var foreign: Double { share(foreignAccepted, of: foreignTried) }

    init(_ set: GestureSet, _ splits: [GestureSplit], withForeign: Bool) {
        for split in splits {
            let book = set.book(taught: split.taught)
            for place in split.tried {
                let item = set.items[place]
                tried += 1
                if book.nearestKind(to: item.trace)?.rawValue == item.label { rightOnes += 1 }
                guard let match = book.recognise(item.trace) else { continue }
                acceptedOnes += 1
                if match.kind.rawValue == item.label { rightAccepted += 1 }
            }
            for label in set.labels where withForeign {
                let others = set.book(taught: split.taught.filter { set.items[$0].label != label })
                for place in split.tried where set.items[place].label == label {
                    foreignTried += 1
                    if others.recognise(set.items[place].trace) != nil { foreignAccepted += 1 }
                }
            }
        }
    }

    private func share(_ part: Int, of whole: Int) -> Double { 100 * Double(part) / Double(max(1, whole)) }
}

extension GestureSet {
    /// What a player has taught who showed these; of each label the first as many as a gesture may have.
    fileprivate func book(taught: [Int]) -> GestureBook {
        GestureBook(
            labels.compactMap { label in
                let examples = taught.filter { items[$0].label == label }.map { items[$0].trace }
                guard !examples.isEmpty else { return nil }
                return TaughtGesture(
                    GestureKind(rawValue: label), examples: Array(examples.prefix(TaughtGesture.mostExamples)))
            })
    }
}
