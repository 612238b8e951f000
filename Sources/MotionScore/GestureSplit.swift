import InputMerge
import WireProtocol

/// Which performances of a set are shown as examples, and which are tried afterwards.
struct GestureSplit: Hashable, Sendable {
    var taught: [Int]
    var tried: [Int]

    /// So many examples of each label and everything else of the same person tried: a book belongs to one player, so a
    /// draw across people would measure what nobody does. The same seed draws the same.
    static func drawn(_ examples: Int, of set: GestureSet, times: Int) -> [GestureSplit] {
        var random = SplitMix64(seed: 1)
        let able = set.people.filter { person in
            set.labels.count { set.places(of: $0, by: person).count > examples } > 1
        }
        let turns = max(1, (times + max(1, able.count) - 1) / max(1, able.count))
        return (0..<turns).flatMap { _ in
            able.map { person in
                var split = GestureSplit(taught: [], tried: [])
                for label in set.labels {
                    let places = set.places(of: label, by: person).shuffled(using: &random)
                    guard places.count > examples else { continue }
                    split.taught += places.prefix(examples)
                    split.tried += places.dropFirst(examples)
                }
                split.taught.sort()
                split.tried.sort()
                return split
            }
        }
    }

    /// Each performance is tried once, a tenth of each label at a time, and the rest taught.
    static func tenfold(_ set: GestureSet) -> [GestureSplit] {
        var random = SplitMix64(seed: 1)
        var folds = [GestureSplit](repeating: GestureSplit(taught: [], tried: []), count: 10)
        for label in set.labels {
            for (turn, place) in set.places(of: label).shuffled(using: &random).enumerated() {
                for fold in folds.indices {
                    if turn % 10 == fold { folds[fold].tried.append(place) } else { folds[fold].taught.append(place) }
                }
            }
        }
        return folds.filter { !$0.tried.isEmpty }
    }

    /// The first half of each label's performances is taught, the second tried: hands change from day to day.
    static func earlyAndLate(_ set: GestureSet) -> GestureSplit {
        let taught = set.labels.flatMap { label in
            let places = set.places(of: label)
            return Array(places.prefix(places.count / 2))
        }
        return GestureSplit(taught: taught.sorted(), tried: set.items.indices.filter { !taught.contains($0) })
    }

    /// For each person: the others show, this one tries. Empty with fewer than two people.
    ///
    /// - Parameter examples: so many of each label, taken in turn from each of the others; all without.
    static func acrossPeople(_ set: GestureSet, examples: Int = .max) -> [GestureSplit] {
        guard set.people.count > 1 else { return [] }
        return set.people.map { person in
            var split = GestureSplit(taught: [], tried: set.items.indices.filter { set.items[$0].subject == person })
            for label in set.labels {
                var queues = set.people.filter { $0 != person }.map { set.places(of: label, by: $0)[...] }
                var taken: [Int] = []
                while taken.count < examples, queues.contains(where: { !$0.isEmpty }) {
                    for place in queues.indices where taken.count < examples {
                        if let next = queues[place].popFirst() { taken.append(next) }
                    }
                }
                split.taught += taken
            }
            return split
        }
    }
}
