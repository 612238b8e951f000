internal import CDatagrams
internal import Glibc
internal import WireProtocol

/// Wakes a thread that waits for datagrams: an eventfd.
///
/// Rings from any thread are one until the waiting thread has answered.
package final class Doorbell: Sendable {
    /// Readable while somebody rings; nobody else reads, writes or closes it.
    package let descriptor: Int32

    package init() throws(SocketError) {
        let opened = datagram_doorbell_open()
        guard opened >= 0 else { throw SocketError(number: -opened, doing: "cannot make an event descriptor") }
        descriptor = opened
    }

    deinit { close(descriptor) }

    package func ring() { datagram_doorbell_ring(descriptor) }

    /// Sleeps until somebody rings, and forgets it.
    package func wait(atMost limit: Duration) {
        var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        if poll(&watched, 1, Int32(clamping: limit.wholeNanoseconds / 1_000_000)) > 0 { silence() }
    }

    /// Forgets all rings so far; what they announced must be looked for after this, not before.
    package func silence() { datagram_doorbell_silence(descriptor) }
}
