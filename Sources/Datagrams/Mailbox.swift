internal import Synchronization

/// Where other threads leave commands for the one that owns a room, without ever making it wait.
///
/// It holds a fixed number of letters and refuses more, counted: whoever posts too much loses its own. Bulk has a number
/// of its own, so that a flood of it keeps nothing else out, and what is vital is never refused: whoever posts that sees to
/// its bound. The order of each sender is kept, of all sorts together.
package final class Mailbox<Letter: Sendable>: Sendable {
    /// How many ordinary letters it holds at most, and as many of bulk.
    package let capacity: Int

    package enum Sort: Sendable { case ordinary, bulk, vital }

    private struct Contents {
        var letters: [Letter] = []
        var ordinary = 0
        var bulk = 0
        var refused = 0

        mutating func takes(_ sort: Sort, capacity: Int) -> Bool {
            switch sort {
            case .vital: return true
            case .ordinary where ordinary < capacity: ordinary += 1
            case .bulk where bulk < capacity: bulk += 1
            case .ordinary, .bulk: return false
            }
            return true
        }
    }

    private let contents = Mutex(Contents())
    private let waits = Atomic(false)
    private let bell: Doorbell

    /// The bell rings when the first letter comes into an empty mailbox; several mailboxes may share one.
    package init(capacity: Int, bell: Doorbell) {
        precondition(capacity > 0, "a mailbox holds something")
        self.capacity = capacity
        self.bell = bell
        contents.withLock { $0.letters.reserveCapacity(capacity) }
    }

    /// Letters that found no room since the mailbox was made.
    package var refused: Int { contents.withLock { $0.refused } }

    /// Leaves a letter; `false` when there is no room for it.
    @discardableResult
    package func post(_ letter: Letter, as sort: Sort = .ordinary) -> Bool {
        let (isAccepted, wasEmpty) = contents.withLock { contents in
            guard contents.takes(sort, capacity: capacity) else {
                contents.refused += 1
                return (false, false)
            }
            contents.letters.append(letter)
            waits.store(true, ordering: .releasing)
            return (true, contents.letters.count == 1)
        }
        if wasEmpty { bell.ring() }
        return isAccepted
    }

    /// Whether a letter waits. A busy loop asks this first: a drain in vain costs it more, as it knows no letter's type.
    package var hasMail: Bool { waits.load(ordering: .acquiring) }

    /// Takes all letters, in the order of their posting, in place of what `letters` held before.
    ///
    /// Swaps two buffers when there are some.
    package func drain(into letters: inout [Letter]) {
        letters.removeAll(keepingCapacity: true)
        guard hasMail else { return }
        contents.withLock { contents in
            swap(&contents.letters, &letters)
            (contents.ordinary, contents.bulk) = (0, 0)
            waits.store(false, ordering: .releasing)
        }
    }
}
