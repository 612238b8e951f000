import WireProtocol

/// When each peer is to be looked at next, so that a room of thousands costs no more than those with whom something
/// happened.
///
/// Whoever is looked at says so in the same look; whoever else is touched is worked out anew when the time is asked
/// for. The times of all others stand in a tree of minima: the earliest of all is at its root, and whoever is due is found
/// without a look at those who are not.
struct Agenda: Sendable {
    /// In nanoseconds: the leaves by ``PeerIndex`` behind `leaves - 1` inner places, each the earlier of its two children;
    /// `.max` where nobody sits, and for those who are touched.
    private var tree: [Int64] = []
    /// A power of two, or 0.
    private var leaves = 0
    private var isTouched: [Bool] = []
    private(set) var touched: [PeerIndex] = []

    /// Something about this peer changed.
    mutating func touch(_ index: PeerIndex) {
        if index >= leaves { grow(beyond: index) }
        guard !isTouched[index] else { return }
        isTouched[index] = true
        touched.append(index)
        set(.max, at: index)
    }

    /// Notes when those who were touched are due.
    mutating func settle(_ dueOf: (PeerIndex) -> Int64) {
        for index in touched {
            isTouched[index] = false
            set(dueOf(index), at: index)
        }
        touched.removeAll(keepingCapacity: true)
    }

    /// Notes when a peer is due that was looked at just now, unless something changed that is to be worked out still.
    mutating func note(_ due: Int64, of index: PeerIndex) {
        if index >= leaves { grow(beyond: index) }
        if !isTouched[index] { set(due, at: index) }
    }

    /// The first peer from this one on that is due, of those who were settled; `nil` when none is.
    func firstDue(from index: PeerIndex, at now: Int64) -> PeerIndex? {
        guard index < leaves else { return nil }
        var node = leaves - 1 + index
        // Up, until what lies to the right holds somebody; then down to the first of them.
        while tree[node] > now {
            while node & 1 == 0, node > 0 { node = (node - 1) / 2 }
            guard node > 0 else { return nil }
            node += 1
        }
        while node < leaves - 1 { node = tree[2 * node + 1] <= now ? 2 * node + 1 : 2 * node + 2 }
        return node - (leaves - 1)
    }

    /// The earliest time of those who are not touched.
    var earliestSettled: Int64 { tree.first ?? .max }

    private mutating func set(_ due: Int64, at index: PeerIndex) {
        var node = leaves - 1 + index
        tree[node] = due
        while node > 0 {
            node = (node - 1) / 2
            let earlier = min(tree[2 * node + 1], tree[2 * node + 2])
            guard tree[node] != earlier else { return }
            tree[node] = earlier
        }
    }

    private mutating func grow(beyond index: PeerIndex) {
        let times = tree.suffix(leaves)
        var more = max(leaves, 1)
        while more <= index { more *= 2 }
        var larger = [Int64](repeating: .max, count: 2 * more - 1)
        larger.replaceSubrange(more - 1..<more - 1 + times.count, with: times)
        for node in (0..<more - 1).reversed() { larger[node] = min(larger[2 * node + 1], larger[2 * node + 2]) }
        (tree, leaves) = (larger, more)
        isTouched += [Bool](repeating: false, count: more - isTouched.count)
    }
}
