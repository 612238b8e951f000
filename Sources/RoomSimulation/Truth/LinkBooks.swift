import SessionCoordinator
import WireProtocol

/// One link epoch: every number that arrived, in a set.
struct LinkBooks: Sendable {
    let connection: ConnectionID
    let key: LinkKey
    /// Which run of its controller's program it belongs to, from 1.
    let program: Int
    /// Until when what comes on it is booked, once it has ended.
    var until: HostTime?
    private(set) var numbers: Set<UInt32> = []
    private(set) var duplicate: UInt64 = 0
    private(set) var tooOld: UInt64 = 0
    private(set) var reordered: UInt64 = 0
    private(set) var bytes: UInt64 = 0
    /// Of those whose peer sends more than it declared.
    var limited: UInt64 = 0
    /// How often the datagram with the highest number came from elsewhere than the one before.
    private(set) var moves: UInt64 = 0
    private var highest: Int64 = -1
    private var lastSent: Int64 = -1
    private var source: PeerAddress?

    init(connection: ConnectionID, key: LinkKey, program: Int) {
        (self.connection, self.key, self.program) = (connection, key, program)
    }

    var missing: UInt64 { UInt64(highest + 1) - UInt64(numbers.count) }
    var tailMissing: UInt64 { UInt64(max(0, lastSent - highest)) }

    /// Whether the datagram had not arrived before.
    ///
    /// - Parameter address: where it came from; `nil` on a browser's connection.
    mutating func arrived(_ sent: SentRecord, from address: PeerAddress?) -> Bool {
        bytes += UInt64(sent.bytes)
        if highest - Int64(sent.number) >= 1_024 {
            tooOld += 1
            return false
        }
        guard numbers.insert(sent.number).inserted else {
            duplicate += 1
            return false
        }
        if Int64(sent.number) < highest {
            reordered += 1
        } else {
            highest = Int64(sent.number)
            if until == nil {
                if let source, let address, source != address { moves += 1 }
                source = address
            }
        }
        if let last = sent.lastSent { lastSent = max(lastSent, Int64(last)) }
        return true
    }
}
