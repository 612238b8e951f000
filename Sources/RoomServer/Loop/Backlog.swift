import WireProtocol

/// How far what came to a room has been read, where it came on several ways.
///
/// A host that stood still finds seconds of datagrams in its sockets, and reads them over many turns. A turn in between
/// must not take what it has not read for what never came. Unsealed frames are not looked at: they have no numbers, so none
/// is awaited, and any stranger may send more of them than are read.
struct Backlog {
    /// Where things wait until the room's thread reads them.
    struct Ways: OptionSet {
        let rawValue: Int
        static let link = Ways(rawValue: 1)
        static let letters = Ways(rawValue: 2)
    }

    /// Connections are read by other threads, which stood still with this one: so long what they find is awaited.
    private static let grace: Duration = .milliseconds(150)

    /// In which something may wait, and until when each was read at least: what came later may be unread.
    private var unread: Ways = []
    private var readUntil: [HostTime]
    /// Until when letters are awaited that lie with the kernel since the host stood still; `nil` where it did not.
    private var lettersAwaitedUntil: HostTime?

    init(now: HostTime) { readUntil = [now, now] }

    /// Something was found in these ways, and nothing in the others.
    mutating func begin(_ ways: Ways, now: HostTime) {
        unread = isAwaitingLetters ? ways.union(.letters) : ways
        for place in readUntil.indices where !unread.contains(Ways(rawValue: 1 << place)) { readUntil[place] = now }
    }

    /// Whatever arrived on this way until then has been read.
    mutating func read(_ way: Ways, until arrivedAt: HostTime) {
        // They are stamped as they are read: that says nothing of those which are not.
        if way == .letters, isAwaitingLetters { return }
        let place = way.rawValue.trailingZeroBitCount
        readUntil[place] = max(readUntil[place], arrivedAt)
    }

    /// When it was looked last, nothing more waited there.
    mutating func emptied(_ way: Ways, at asked: HostTime) {
        if way == .letters, let lettersAwaitedUntil {
            if asked < lettersAwaitedUntil { return }
            self.lettersAwaitedUntil = nil
        }
        read(way, until: asked)
        unread.remove(way)
    }

    /// The whole program stood still until now: what connections brought meanwhile no thread has read.
    mutating func stoodStill(until now: HostTime) {
        // Where it does so again and again, letters count as read in between all the same.
        guard lettersAwaitedUntil == nil else { return }
        lettersAwaitedUntil = now + Self.grace
        unread.insert(.letters)
    }

    /// Whether that lies less than a moment back.
    var isAwaitingLetters: Bool { lettersAwaitedUntil != nil }

    /// Until when everything that arrived has been read; `nil` where nothing waits.
    var heardUntil: HostTime? {
        if unread.isEmpty { return nil }
        var heard = HostTime.distantFuture
        for place in readUntil.indices where unread.contains(Ways(rawValue: 1 << place)) {
            heard = min(heard, readUntil[place])
        }
        return heard
    }
}
