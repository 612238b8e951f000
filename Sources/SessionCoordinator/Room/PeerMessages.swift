import WireProtocol

/// What a game and a controller say to each other: reliable messages, newest-wins data, and haptics with their receipts.
struct PeerMessages: Sendable {
    /// A haptic that was commanded and has no receipt yet.
    struct OpenHaptic: Sendable {
        let id: UInt32
        /// When it first left the host.
        var sentAt: HostTime?
    }

    /// Data to be sent; newer data of the same channel takes its place.
    struct Newest: Sendable {
        let sequence: UInt32
        let channel: UInt8
        let body: [UInt8]
    }

    private static let mostOpenHaptics = 64
    private static let mostChannels = 16

    private(set) var outbox = ReliableOutbox()
    private(set) var inbox = ReliableInbox()
    private(set) var haptics: [OpenHaptic] = []
    /// One piece a channel at most, in the order in which they began to wait.
    private(set) var newest: [Newest] = []
    private var newestSequence: UInt32 = 0
    private var heardOn: [(channel: UInt8, sequence: UInt32)] = []

    /// A program speaks that knows nothing of what the one before heard and said; what waits for the peer goes on waiting.
    mutating func restart() {
        // A haptic was meant for the moment, and for who was there then; its receipt would be waited for for ever.
        outbox.restart { !LinkMessage.isHaptic($0) }
        haptics = []
        inbox = ReliableInbox()
        heardOn = []
    }

    // MARK: To the controller

    /// Queues a reliable message; false when too many wait already.
    mutating func send(_ body: [UInt8]) -> Bool { outbox.append(body) != nil }

    mutating func sendNewest(_ body: [UInt8], channel: UInt8) {
        newestSequence &+= 1
        let piece = Newest(sequence: newestSequence, channel: channel, body: body)
        guard let place = newest.firstIndex(where: { $0.channel == channel }) else { return newest.append(piece) }
        newest[place] = piece
    }

    /// Whether one more haptic may wait for its receipt.
    var takesHaptics: Bool { haptics.count < Self.mostOpenHaptics }

    /// A haptic was queued under this id.
    mutating func noteHaptic(_ id: UInt32) { haptics.append(OpenHaptic(id: id)) }

    /// Writes what the host owes: the receipt first.
    mutating func writeReceipt(to writer: inout ByteWriter) { inbox.writeReceipt(to: &writer) }

    /// Writes the messages that are due, then the newest data, as far as they fit.
    mutating func write(to writer: inout ByteWriter, now: HostTime) {
        outbox.write(to: &writer, now: now.nanoseconds, retryAfter: .nanoseconds(PeerTimer.messageRetry))
        if !outbox.hasUnsent { noteHapticsSent(at: now) }
        if !newest.isEmpty {
            newest.removeAll { writer.writeData(channel: $0.channel, sequence: $0.sequence, body: $0.body) }
        }
    }

    /// Everything that waited in the outbox has left.
    private mutating func noteHapticsSent(at now: HostTime) {
        for place in haptics.indices where haptics[place].sentAt == nil { haptics[place].sentAt = now }
    }

    /// The controller has every message below this one.
    mutating func acknowledge(below next: UInt32) { outbox.acknowledge(below: next) }

    // MARK: From the controller

    /// Whether to act on the message with this id.
    mutating func admit(_ id: UInt32) -> Bool { inbox.admit(id) }

    /// Whether newest-wins data is newer than all before it on its channel; a peer may use 16 channels.
    mutating func isNewest(_ sequence: UInt32, on channel: UInt8) -> Bool {
        if let place = heardOn.firstIndex(where: { $0.channel == channel }) {
            guard sequence > heardOn[place].sequence else { return false }
            heardOn[place].sequence = sequence
            return true
        }
        guard heardOn.count < Self.mostChannels else { return false }
        heardOn.append((channel, sequence))
        return true
    }

    /// The haptic that a receipt is for; `nil` when none waits for it.
    mutating func takeHaptic(_ id: UInt32) -> OpenHaptic? {
        haptics.firstIndex { $0.id == id }.map { haptics.remove(at: $0) }
    }
}
