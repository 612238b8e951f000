import RoomSimulation
import SessionCoordinator
import WireProtocol

/// What the host's books must say, worked out anew and naively: the sender's log of what each datagram carried, joined
/// with the injector's word on which of them arrived, in the order of arrival.
///
/// It knows sets and loops only: no window, no bitmap, no code of the coordinator.
struct Truth {
    private(set) var log: [SentRecord] = []
    /// By place in the host's table.
    private(set) var peers: [PeerIndex: LeaseBooks] = [:]
    /// Those who left, in the order of their leaving, and where they sat.
    private var gone: [(peer: LeaseBooks, index: PeerIndex)] = []
    /// Their books.
    var departed: [[UInt64]] { gone.map(\.peer.counts) }
    private(set) var strangers = StrangerCounts()
    /// Every datagram that reached the host's socket, whole or not.
    private(set) var arrivals: UInt64 = 0
    /// The samples that were new, in order of arrival.
    private(set) var taken: [RecordingSink.Taken] = []

    // MARK: The sender's log

    /// - Returns: the entry's place, which the datagram bears through the network.
    mutating func sent(_ entry: SentRecord) -> Int {
        log.append(entry)
        return log.count - 1
    }

    // MARK: What happened to links

    mutating func linkOpened(_ keys: Pad, continues: Bool, now: HostTime) {
        let place = PeerIndex(keys.connection.index)
        peers[place, default: Self.blank(now)].open(
            keys.connection, keys.motionKey, continues: continues, now: now)
    }

    mutating func left(_ index: PeerIndex, now: HostTime) {
        var peer = peers.removeValue(forKey: index) ?? Self.blank(now)
        peer.close(now: now)
        gone.append((peer, index))
    }

    /// The sink's own patience decides what is late.
    private static func blank(_ now: HostTime) -> LeaseBooks {
        LeaseBooks(.behind(RecordingSink.patience), admittedAt: now)
    }

    /// The host's memory is gone; what nobody's ledger held was counted by a process that is dead, too.
    mutating func hostRestarted() {
        peers = [:]
        gone = []
        strangers = StrangerCounts()
        arrivals = 0
        taken = []
    }

    // MARK: The injector's word

    /// - Parameter isLimited: the host did not read it, since its peer sends more than it declared.
    mutating func arrived(
        _ place: Int, from source: PeerAddress, now: HostTime, damaged bytes: [UInt8]? = nil, isLimited: Bool = false
    ) {
        if let bytes { return strayed(bytes) }
        arrivals += 1
        let entry = log[place]
        let peer = PeerIndex(entry.connection.index)
        var fresh: [LeaseBooks.Fresh] = []
        if peers[peer]?.knows(entry.connection, entry.key, now: now) == true {
            _ = peers[peer]?.arrived(entry, from: source, at: now, now: now, isLimited: isLimited, into: &fresh)
            for sample in fresh {
                let key = StreamKey(peer: peer, stream: sample.stream)
                let verdict: ArrivalVerdict = sample.lateness == .late ? .late : .delivered
                taken.append(RecordingSink.Taken(key: key, index: sample.index, verdict: verdict))
            }
            return
        }
        let drains = gone.lastIndex { $0.index == peer && $0.peer.knows(entry.connection, entry.key, now: now) }
        if let drains {
            _ = gone[drains].peer.arrived(
                entry, from: source, at: now, now: now, isLimited: isLimited, into: &fresh)
            return
        }
        // A host that died may give a connection id of its earlier life to another link; the keys are always new.
        if peers[peer]?.connection == entry.connection {
            strangers.badAuth += 1
        } else {
            strangers.unknown += 1
        }
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
        if peers[PeerIndex(connection.index)]?.connection == connection {
            strangers.badAuth += 1
        } else {
            strangers.unknown += 1
        }
    }
}
