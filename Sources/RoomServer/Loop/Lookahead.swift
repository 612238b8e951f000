import RoomEngine
import SessionCoordinator
import WireProtocol

/// Whose datagrams are about to be read: what the room keeps of them is looked up all together; see `Prefetch`.
struct Lookahead {
    private var peers: [PeerIndex] = []
    /// Means nothing.
    private var glimpsed: UInt = 0

    /// One that waits; whose it says that it is, it may say of anybody.
    mutating func note(_ datagram: UnsafeRawBufferPointer) {
        if let header = try? DatagramHeader(reading: datagram) { peers.append(Int(header.connection.index)) }
    }

    /// Of all that were noted since the last time. One alone needs no company.
    mutating func prefetch(_ engine: inout Engine) {
        if peers.count > 1 { glimpsed &+= engine.prefetch(peers) }
        peers.removeAll(keepingCapacity: true)
    }
}
