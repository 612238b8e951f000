/// Keeps the messages of one direction until the other side has them all, in order.
///
/// Receipts are cumulative: the receiver takes only the message it expects next, so the oldest always goes first.
package struct ReliableOutbox: Sendable {
    private struct Entry: Sendable {
        let id: UInt32
        var body: [UInt8]
        var lastSentAt: Int64?
    }

    private var entries: [Entry] = []
    private var nextID: UInt32 = 0
    /// The most messages that may wait.
    package let capacity: Int

    package init(capacity: Int = 256) { self.capacity = capacity }

    package var isEmpty: Bool { entries.isEmpty }
    package var count: Int { entries.count }
    /// Whether the message with this id waits for its receipt still.
    package func holds(_ id: UInt32) -> Bool { place(of: id) != nil }
    /// Whether the message with this id was sent already.
    package func hasSent(_ id: UInt32) -> Bool { place(of: id).map { entries[$0].lastSentAt != nil } ?? true }

    /// Ids have no gaps.
    private func place(of id: UInt32) -> Int? {
        guard let first = entries.first?.id, id >= first, Int(id - first) < entries.count else { return nil }
        return Int(id - first)
    }

    /// Takes a message for delivery, and says its id; `nil` when too many wait already, when it is too long, or when
    /// the link epoch has used up its ids.
    package mutating func append(_ body: [UInt8]) -> UInt32? {
        guard entries.count < capacity, body.count <= WireFormat.maximumMessageSize, nextID < .max else { return nil }
        let id = nextID
        entries.append(Entry(id: id, body: body))
        nextID += 1
        return id
    }

    /// What a message says from its next sending on, if it waits still. Who has it already will not notice: a message
    /// that was sent may only be made to say less.
    package mutating func amend(_ id: UInt32, _ change: (inout [UInt8]) -> Void) {
        if let place = place(of: id) { change(&entries[place].body) }
    }

    /// When a message is due (again), in nanoseconds on the sender's clock; `nil` when nothing waits.
    package func nextDue(retryAfter: Duration) -> Int64? {
        guard let oldest = entries.first, let newest = entries.last else { return nil }
        guard let sentAt = oldest.lastSentAt, newest.lastSentAt != nil else { return .min }
        return sentAt.saturatingAdd(retryAfter.wholeNanoseconds)
    }

    /// Writes, oldest first, the messages that are due and fit.
    package mutating func write(to writer: inout ByteWriter, now: Int64, retryAfter: Duration) {
        let retry = retryAfter.wholeNanoseconds
        for place in entries.indices {
            if let sent = entries[place].lastSentAt, now.saturatingSubtract(sent) < retry { continue }
            guard writer.writeMessage(id: entries[place].id, body: entries[place].body) else { return }
            entries[place].lastSentAt = now
        }
    }

    /// Forgets every message below `next`; ids never sent are not believed.
    package mutating func acknowledge(below next: UInt32) {
        guard next <= nextID else { return }
        entries.removeAll { $0.id < next }
    }

    /// The other side knows nothing any more: what was not acknowledged is sent again, numbered from 0.
    package mutating func restart() { restart { _ in true } }

    /// The same, without what would mean nothing to whoever is there now.
    package mutating func restart(keeping isMeant: ([UInt8]) -> Bool) {
        let waiting = entries
        entries = []
        nextID = 0
        for entry in waiting where isMeant(entry.body) { _ = append(entry.body) }
    }
}

/// Takes the messages of one direction once each and in order.
package struct ReliableInbox: Sendable {
    /// The id expected next: what a receipt says.
    package private(set) var next: UInt32 = 0
    /// A message came since the last receipt was written.
    package private(set) var owesReceipt = false

    package init() {}

    /// Whether to act on the message with this id. A copy, or one that came too early, is not acted on.
    package mutating func admit(_ id: UInt32) -> Bool {
        owesReceipt = true
        guard id == next, next < .max else { return false }
        next += 1
        return true
    }

    /// Writes the receipt that is owed, if any.
    package mutating func writeReceipt(to writer: inout ByteWriter) {
        if owesReceipt, writer.writeReceipt(next: next) { owesReceipt = false }
    }
}

/// Takes newest-wins data of one direction: of each channel only what is newer than all before, by serial number
/// arithmetic (RFC 1982): a room that is open for months uses up 32 bits.
package struct NewestInbox: Sendable {
    private var heard: [(channel: UInt8, sequence: UInt32)] = []
    private let most: Int

    /// - Parameter most: channels beyond so many are ignored; there are no more than 256.
    package init(most: Int = 256) { self.most = most }

    /// Whether to act on a piece; it is remembered.
    package mutating func admit(_ sequence: UInt32, on channel: UInt8) -> Bool {
        if let place = heard.firstIndex(where: { $0.channel == channel }) {
            guard Int32(bitPattern: sequence &- heard[place].sequence) > 0 else { return false }
            heard[place].sequence = sequence
            return true
        }
        guard heard.count < most else { return false }
        heard.append((channel, sequence))
        return true
    }
}
