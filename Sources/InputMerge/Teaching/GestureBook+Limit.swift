/// How far a motion may lie from what was taught.
extension GestureBook {
    /// So many examples, evenly chosen, show how far gestures lie from each other.
    private static let mostMeasured = 64
    /// How far examples of one gesture usually lie from each other, and those of two gestures.
    private static let (usualSpread, usualRoom) = (0.45, 0.85)
    /// The second where there is one gesture alone, so that nothing shows what else a player may do.
    private static let loneRoom = 0.9
    /// A few examples that are more alike than this show luck.
    private static let leastSpread = 0.2
    /// What is usual counts as much as so many pairs of gestures that were taught.
    private static let usualPairs = 2.0

    /// own^⅖ · far^⅗: see ``GestureBook``.
    static func reach(of entries: [Entry]) -> Double {
        let examples = entries.filter(\.isExample)
        var (own, other, far) = (Mean(), Mean(), Mean())
        /// Of each gesture, by its number.
        var nearest = [Double](repeating: .infinity, count: 1 + (examples.map(\.gesture).max() ?? -1))
        // A mean needs no more than so many, and a book is made on the room's thread.
        let stride = max(1, (examples.count + mostMeasured - 1) / mostMeasured)
        for place in Swift.stride(from: 0, to: examples.count, by: stride) {
            let one = examples[place]
            for gesture in nearest.indices { nearest[gesture] = .infinity }
            for (index, example) in examples.enumerated() where index != place {
                let known = nearest[example.gesture]
                nearest[example.gesture] = min(known, distance(one.shape, example, below: known))
            }
            own.note(nearest[one.gesture])
            nearest[one.gesture] = .infinity
            for distance in nearest { far.note(distance) }
            other.note(nearest.min() ?? .infinity)
        }
        let gestures = Set(examples.map(\.gesture)).count
        let pairs = Double(gestures * (gestures - 1) / 2)
        let room = far.value.map { (pairs * $0 + usualPairs * usualRoom) / (pairs + usualPairs) } ?? loneRoom
        // A sloppy hand must not reach as far as another gesture.
        let spread = min(max(own.value ?? usualSpread, leastSpread), 0.8 * (other.value ?? .infinity))
        let (near, away) = (max(spread, 0.01), max(room, 0.01))
        return min(fifthRoot(near * near * away * away * away), 1)
    }

    /// By Newton's method from above: the same to the bit on every machine.
    ///
    /// - Parameter value: 1e-10 to 1e3.
    private static func fifthRoot(_ value: Double) -> Double {
        var root = max(value, 1)
        for _ in 0..<64 {
            let fourth = (root * root) * (root * root)
            root -= (root * fourth - value) / (5 * fourth)
        }
        return root
    }

    private struct Mean {
        private var sum = 0.0
        private var count = 0

        /// Infinite where there was nobody.
        mutating func note(_ distance: Double) {
            guard distance.isFinite else { return }
            sum += distance
            count += 1
        }

        var value: Double? { count > 0 ? sum / Double(count) : nil }
    }

    /// - Parameter sensitivity: 1 as measured best.
    static func factor(_ sensitivity: Double) -> Double {
        let usual = 0.73
        let sensitivity = sensitivity.asSensitivity
        return sensitivity < 1
            ? usual * (0.89 + 0.11 * (sensitivity - 0.5) / 0.5) : usual * (1 + 0.125 * (sensitivity - 1))
    }
}
