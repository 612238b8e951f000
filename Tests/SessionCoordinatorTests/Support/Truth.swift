import SessionCoordinator
import WireProtocol

/// What the host's books must say, worked out anew and naively: the sender's log of what each datagram carried, joined
/// with the injector's word on which of them arrived, in the order of arrival.
///
/// It knows sets and loops only: no window, no bitmap, no code of the coordinator.
struct Truth {
    private(set) var log: [SentEntry] = []
    /// By place in the host's table.
    private(set) var peers: [PeerIndex: PeerTruth] = [:]
    /// The books of those who left, in the order of their leaving.
    private(set) var departed: [[UInt64]] = []
    private(set) var strangers = StrangerCounts()
    /// Every datagram that reached the host's socket, whole or not.
    private(set) var arrivals: UInt64 = 0
    /// The samples that were new, in order of arrival.
    private(set) var taken: [RecordingSink.Taken] = []

    // MARK: The sender's log

    /// - Returns: the entry's place, which the datagram bears through the network.
    mutating func sent(_ entry: SentEntry) -> Int {
        log.append(entry)
        return log.count - 1
    }

    // MARK: What happened to links

    mutating func linkOpened(_ keys: Pad, continues: Bool) {
        let place = PeerIndex(keys.connection.index)
        if peers[place] == nil { peers[place] = PeerTruth() }
        peers[place]?.open(keys, continues: continues)
    }

    mutating func left(_ peer: PeerIndex) {
        departed.append((peers.removeValue(forKey: peer) ?? PeerTruth()).books)
    }

    /// The host's memory is gone; what nobody's ledger held was counted by a process that is dead, too.
    mutating func hostRestarted() {
        peers = [:]
        departed = []
        strangers = StrangerCounts()
        arrivals = 0
        taken = []
    }

    // MARK: The injector's word

    /// - Parameter isLimited: the host did not read it, since its peer sends more than it declared.
    mutating func arrived(
        _ place: Int, from source: PeerAddress, damaged bytes: [UInt8]? = nil, isLimited: Bool = false
    ) {
        if let bytes { return strayed(bytes) }
        arrivals += 1
        let entry = log[place]
        let peer = PeerIndex(entry.connection.index)
        guard let link = peers[peer]?.link, link.connection == entry.connection else {
            strangers.unknown += 1
            return
        }
        // A host that died may give a connection id of its earlier life to another link; the keys are always new.
        guard link.key == entry.key else {
            strangers.badAuth += 1
            return
        }
        taken += peers[peer]?.arrived(entry, from: source, peer: peer, isLimited: isLimited) ?? []
    }

    /// Bytes that nobody sealed so: the first few decide what the host takes them for.
    mutating func strayed(_ bytes: [UInt8]) {
        arrivals += 1
        let intact: UInt8 = 0x11
        guard (33...1_200).contains(bytes.count), bytes[0] == intact else {
            strangers.malformed += 1
            return
        }
        let connection = ConnectionID(rawValue: bytes[1...4].reduce(0) { $0 << 8 | UInt32($1) })
        if peers[PeerIndex(connection.index)]?.link?.connection == connection {
            strangers.badAuth += 1
        } else {
            strangers.unknown += 1
        }
    }
}

/// One datagram as its sender logged it.
struct SentEntry {
    struct Block: Hashable {
        var stream: StreamID
        var epoch: UInt8
        var floor: UInt32
        /// In the order in which they stand.
        var indexes: [UInt32]
    }

    var connection: ConnectionID
    /// What it is sealed with.
    var key: LinkKey
    var number: UInt32
    var size: Int
    var blocks: [Block] = []
    /// What its goodbye says was the last number, if it holds one.
    var lastSent: UInt32?
}
