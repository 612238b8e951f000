import Foundation
import InputMerge
import WireProtocol

/// Recorded gestures with their names: one CSV file of a folder `gestures`.
///
/// A file without `t_ms` holds z-scores, whose moments are taken to lie 10 ms apart; else units are told from the data.
struct GestureSet: Sendable {
    /// One performance.
    struct Item: Sendable {
        var label: String
        /// Who did it; empty where nobody noted it.
        var subject: String
        var moments: [MotionTrace.Moment]
        var trace: MotionTrace
    }

    let name: String
    /// In the file's order.
    let items: [Item]
    /// Every label once, in ascending order.
    let labels: [String]
    let hasGyroscope: Bool

    /// - Throws: when there is no such file. What cannot be read in it is left out.
    init(_ file: String, in folder: URL) throws {
        let table = try ScoreTable(file, in: folder)
        name = String(file.dropLast(".csv".count))
        hasGyroscope = table.has("gx")
        let isTimed = table.has("t_ms")
        let unit = isTimed ? Float(table.accelerationUnit / standardGravity) : 1
        let turn = isTimed ? Float(table.rotationUnit) : 1
        var items: [Item] = []
        for (_, rows) in table.recordings(by: "gid") {
            var moments: [MotionTrace.Moment] = []
            for row in rows {
                let time = isTimed ? table.number(row, "t_ms") / 1_000 : Double(moments.count) / 100
                let force = unit * SIMD3<Float>(table.vector(row, "a"))
                let rate = hasGyroscope ? turn * SIMD3<Float>(table.vector(row, "g")) : .zero
                guard time > moments.last?.time ?? -.infinity, (force + rate).sum().isFinite else { continue }
                moments.append(MotionTrace.Moment(time: time, force: force, rotationRate: rate))
            }
            guard let first = rows.first, let trace = MotionTrace(moments) else { continue }
            items.append(
                Item(
                    label: table.text(first, "label"), subject: table.text(first, "subject"), moments: moments,
                    trace: trace))
        }
        self.items = items
        labels = Set(items.map(\.label)).sorted()
        people = Set(items.map(\.subject)).sorted()
    }

    /// Who performed, in ascending order; one without a name where nobody noted it.
    let people: [String]

    /// Places of a label's performances.
    func places(of label: String) -> [Int] { items.indices.filter { items[$0].label == label } }

    /// Places of a label's performances by one person.
    func places(of label: String, by person: String) -> [Int] {
        items.indices.filter { items[$0].label == label && items[$0].subject == person }
    }
}

extension GestureSet {
    /// Sets of one person whose file does not say so.
    private static let ofOnePerson = ["phone_digits"]

    /// Whether it is known who performed: only then can examples and trials be drawn from one person.
    var knowsPeople: Bool { !people.contains("") || Self.ofOnePerson.contains(name) }

    /// How often somebody made each of two gestures at the least, who made them most often.
    var mostPerformed: Int {
        people.map { person in
            let counts = labels.map { places(of: $0, by: person).count }.sorted(by: >)
            return counts.count > 1 ? counts[1] : 0
        }.max() ?? 0
    }

    /// Whether force has gravity in it, as phones measure it.
    var hasGravity: Bool {
        let lengths = items.flatMap { $0.moments.map { ($0.force * $0.force).sum().squareRoot() } }.sorted()
        return !lengths.isEmpty && (0.8...1.3).contains(lengths[lengths.count / 2])
    }

    /// Whether a room's own stage can take it: all six axes, gravity in them, and rest at the beginning and the end.
    var isLifelike: Bool {
        guard hasGyroscope, hasGravity else { return false }
        let ends = items.flatMap { $0.moments.prefix(5) + $0.moments.suffix(5) }
            .map { ($0.rotationRate * $0.rotationRate).sum().squareRoot() }
        return ends.sorted()[ends.count / 2] < 0.3
    }

    /// Moments a second, on the whole.
    var rate: Double {
        let seconds = items.reduce(0) { $0 + $1.trace.duration }
        return Double(items.reduce(0) { $0 + $1.moments.count - 1 }) / max(seconds, 1e-3)
    }
}
