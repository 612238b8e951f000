/// How badly a camera would read a masked code (7.8.3, table 11): the least penalty is the mask to use.
extension Modules {
    var penalty: Int {
        var penalty = blockPenalty + balancePenalty
        for line in 0..<size {
            penalty += linePenalty { self[$0, line] }
            penalty += linePenalty { self[line, $0] }
        }
        return penalty
    }

    /// Runs of five or more of one colour, and what looks like a finder pattern, in one row or column.
    private func linePenalty(_ isDark: (Int) -> Bool) -> Int {
        var penalty = 0
        var runs = Runs(size: size)
        var color = false
        var length = 0
        for place in 0..<size {
            if isDark(place) == color {
                length += 1
                // Three for the fifth in a row, one for each more.
                if length == 5 { penalty += 3 } else if length > 5 { penalty += 1 }
            } else {
                runs.add(length)
                if !color { penalty += 40 * runs.finders }
                color.toggle()
                length = 1
            }
        }
        if color {
            runs.add(length)
            length = 0
        }
        runs.add(length + size)
        return penalty + 40 * runs.finders
    }

    /// Blocks of 2 by 2 of one colour, overlapping ones each.
    private var blockPenalty: Int {
        var penalty = 0
        for y in 0..<(size - 1) {
            for x in 0..<(size - 1) {
                let isDark = self[x, y]
                if isDark == self[x + 1, y], isDark == self[x, y + 1], isDark == self[x + 1, y + 1] { penalty += 3 }
            }
        }
        return penalty
    }

    /// Ten for each 5 % that the share of dark modules is beyond 45 to 55 %.
    private var balancePenalty: Int {
        var dark = 0
        for y in 0..<size { for x in 0..<size where self[x, y] { dark += 1 } }
        let total = size * size
        let steps = (abs(dark * 20 - total * 10) + total - 1) / total - 1
        return 10 * max(0, steps)
    }

    /// The lengths of the last seven runs of a line, the newest first; the edge counts as light.
    private struct Runs {
        private var lengths = [0, 0, 0, 0, 0, 0, 0]
        private let size: Int
        private var isFirst = true

        init(size: Int) { self.size = size }

        mutating func add(_ length: Int) {
            lengths.removeLast()
            lengths.insert(isFirst ? length + size : length, at: 0)
            isFirst = false
        }

        /// How many patterns 1:1:3:1:1 with four light modules before or after end here, at the end of a light run.
        var finders: Int {
            let unit = lengths[1]
            let isCore =
                unit > 0 && lengths[2] == unit && lengths[3] == unit * 3 && lengths[4] == unit && lengths[5] == unit
            guard isCore else { return 0 }
            return (lengths[0] >= unit * 4 && lengths[6] >= unit ? 1 : 0)
                + (lengths[6] >= unit * 4 && lengths[0] >= unit ? 1 : 0)
        }
    }
}
