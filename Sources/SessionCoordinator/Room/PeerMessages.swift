import WireProtocol

/// What a game and a controller say to each other: reliable messages, newest-wins data, and haptics with their receipts.
struct PeerMessages: Sendable {
    /// A haptic that was commanded and has no receipt yet.
    ///
    /// ```
    ///    waits ──▶ sent ──▶ delivered ──▶ 5 s without a receipt: lost
    ///      │         │
    ///      └────┬────┘      In any state its receipt ends it: played, or refused.
    ///           ▼
    ///   its time is over: taken back ──▶ delivered ──▶ expired, at once if it was never sent; else after the same 5 s,
    ///                                                   as it may have been played all the same
    /// ```
    struct OpenHaptic: Sendable {
        let id: UInt32
        /// From then on it is not worth playing any more; `nil` for never.
        let expiresAt: HostTime?
        /// The message that commands it; `nil` once the controller has that.
        fileprivate(set) var message: UInt32?
        /// When it first left the host.
        fileprivate(set) var sentAt: HostTime?
        /// Its time was over before the controller was known to have it: its message says nothing any more.
        fileprivate(set) var isTakenBack = false
        /// Until when its receipt is waited for; `nil` while the controller does not have its message.
        fileprivate(set) var receiptDue: HostTime?
    }

    /// Data to be sent; newer data of the same channel takes its place.
    struct Newest: Sendable {
        let sequence: UInt32
        let channel: UInt8
        let body: [UInt8]
    }

    static let mostOpenHaptics = 64
    /// So long after a haptic was to be played its receipt is waited for: controllers repeat what was lost every second.
    private static let receiptPatience: Duration = .seconds(5)

    private(set) var outbox = ReliableOutbox()
    private(set) var inbox = ReliableInbox()
    private(set) var haptics: [OpenHaptic] = []
    /// What the host itself has to say and the outbox has no room for: the newest of each kind.
    private var words: [[UInt8]] = []
    /// One piece a channel at most, in the order in which they began to wait.
    private(set) var newest: [Newest] = []
    private var newestSequence: UInt32 = 0
    private var newestInbox = NewestInbox(most: WireFormat.mostChannels)

    /// A program speaks that knows nothing of what the one before heard and said; what waits for the peer goes on waiting.
    mutating func restart() {
        // A haptic was meant for the moment, and for who was there then; its receipt would be waited for for ever.
        outbox.restart { !LinkMessage.isHaptic($0) && $0 != LinkMessage.nothing }
        haptics = []
        sayWords()
        inbox = ReliableInbox()
        newestInbox = NewestInbox(most: WireFormat.mostChannels)
    }

    // MARK: To the controller

    /// Queues a reliable message; false when too many wait already.
    mutating func send(_ body: [UInt8]) -> Bool { outbox.append(body) != nil }

    /// Queues what the host itself has to say. It is never lost: where a game's messages leave no room, it waits for the
    /// first that there is, the newest of its kind in place of the one before.
    mutating func say(_ body: [UInt8]) {
        words.removeAll { $0.first == body.first }
        words.append(body)
        sayWords()
    }

    private mutating func sayWords() {
        while let word = words.first, outbox.append(word) != nil { words.removeFirst() }
    }

    mutating func sendNewest(_ body: [UInt8], channel: UInt8) {
        newestSequence &+= 1
        let piece = Newest(sequence: newestSequence, channel: channel, body: body)
        guard let place = newest.firstIndex(where: { $0.channel == channel }) else { return newest.append(piece) }
        newest[place] = piece
    }

    /// Whether one more haptic may wait for its receipt.
    var takesHaptics: Bool { haptics.count < Self.mostOpenHaptics }

    /// Queues a haptic under this id; false when too many messages wait already.
    mutating func play(_ body: [UInt8], id: UInt32, until expiresAt: HostTime?) -> Bool {
        guard let message = outbox.append(body) else { return false }
        haptics.append(OpenHaptic(id: id, expiresAt: expiresAt, message: message))
        return true
    }

    /// Writes what the host owes: the receipt first.
    mutating func writeReceipt(to writer: inout ByteWriter) { inbox.writeReceipt(to: &writer) }

    /// Writes the messages that are due, then the newest data, as far as they fit.
    mutating func write(to writer: inout ByteWriter, now: HostTime) {
        ageHaptics(at: now)
        outbox.write(to: &writer, now: now.nanoseconds, retryAfter: .nanoseconds(PeerTimer.messageRetry))
        noteHapticsSent(at: now)
        if !newest.isEmpty {
            newest.removeAll { writer.writeData(channel: $0.channel, sequence: $0.sequence, body: $0.body) }
        }
    }

    /// However long it has waited, each haptic says for how long it is worth playing still, and nothing once it is not.
    private mutating func ageHaptics(at now: HostTime) {
        for place in haptics.indices where !haptics[place].isTakenBack {
            guard let message = haptics[place].message, let expiresAt = haptics[place].expiresAt else { continue }
            if expiresAt > now {
                outbox.amend(message) { LinkMessage.setTimeToLive(expiresAt - now, in: &$0) }
            } else {
                outbox.amend(message) { $0 = LinkMessage.nothing }
                haptics[place].isTakenBack = true
            }
        }
    }

    private mutating func noteHapticsSent(at now: HostTime) {
        for place in haptics.indices where haptics[place].sentAt == nil && !haptics[place].isTakenBack {
            if let message = haptics[place].message, outbox.hasSent(message) { haptics[place].sentAt = now }
        }
    }

    /// The controller has every message below this one.
    mutating func acknowledge(below next: UInt32, at time: HostTime) {
        outbox.acknowledge(below: next)
        sayWords()
        for place in haptics.indices {
            guard let message = haptics[place].message, !outbox.holds(message) else { continue }
            haptics[place].message = nil
            // What it was never sent it did not play. Else its receipt may be behind the datagram that says this.
            let neverHadIt = haptics[place].isTakenBack && haptics[place].sentAt == nil
            let due = max(time, haptics[place].expiresAt ?? time) + Self.receiptPatience
            haptics[place].receiptDue = neverHadIt ? time : due
        }
    }

    // MARK: From the controller

    /// Whether to act on the message with this id.
    mutating func admit(_ id: UInt32) -> Bool { inbox.admit(id) }

    /// Whether newest-wins data is newer than all before it on its channel; a peer may use 16 channels.
    mutating func isNewest(_ sequence: UInt32, on channel: UInt8) -> Bool { newestInbox.admit(sequence, on: channel) }

    /// Takes a haptic whose receipt does not come any more; `nil` when there is none.
    mutating func takeOverdue(at now: HostTime) -> OpenHaptic? {
        haptics.firstIndex { $0.receiptDue.map { $0 <= now } ?? false }.map { haptics.remove(at: $0) }
    }

    /// The haptic that a receipt is for; `nil` when none waits for it.
    mutating func takeHaptic(_ id: UInt32) -> OpenHaptic? {
        haptics.firstIndex { $0.id == id }.map { haptics.remove(at: $0) }
    }
}
