import InputMerge

/// Which performances of a set are shown as examples, and which are tried afterwards.
struct GestureSplit: Hashable, Sendable {
    var taught: [Int]
    var tried: [Int]

    /// So many examples of each label, drawn by chance; everything else is tried. The same seed draws the same.
    static func drawn(_ examples: Int, of set: GestureSet, times: Int) -> [GestureSplit] {
        var random = SplitMix64(seed: 1)
        return (0..<times).map { _ in
            var taught: [Int] = []
            for label in set.labels { taught += set.places(of: label).shuffled(using: &random).prefix(examples) }
            return GestureSplit(taught: taught.sorted(), triedOf: set)
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
        GestureSplit(
            taught: set.labels.flatMap { label in
                let places = set.places(of: label)
                return places.prefix(places.count / 2)
            }.sorted(), triedOf: set)
    }

    /// For each person who shows every gesture: the others show, this one tries. Empty with fewer than two people.
    static func acrossPeople(_ set: GestureSet) -> [GestureSplit] {
        let people = Set(set.items.map(\.subject)).sorted()
        guard people.count > 1 else { return [] }
        return people.map { person in
            GestureSplit(taught: set.items.indices.filter { set.items[$0].subject != person }, triedOf: set)
        }
    }

    private init(taught: [Int], tried: [Int]) {
        self.taught = taught
        self.tried = tried
    }

    private init(taught: [Int], triedOf set: GestureSet) {
        self.taught = taught
        tried = set.items.indices.filter { !taught.contains($0) }
    }
}
