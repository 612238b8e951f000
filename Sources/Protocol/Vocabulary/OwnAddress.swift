/// Which of this machine's addresses a datagram was sent to, so that what answers it leaves from there: whoever dialled it,
/// and every firewall between, takes nothing from another.
///
/// Held as in ``PeerAddress``; the port is the socket's, and the interface whatever the system's routes say.
package struct OwnAddress: Hashable, Sendable {
    package var high: UInt64
    package var low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// None is known: the system chooses.
    package static var unknown: OwnAddress { OwnAddress(high: 0, low: 0) }
}
