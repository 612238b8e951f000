internal import CDatagrams
internal import Glibc
internal import WireProtocol

/// Waits for many descriptors at once, each known by a label; for one thread.
package final class Watch: Sendable {
    private let descriptor: Int32

    package init() throws(SocketError) {
        let opened = datagram_watch_open()
        guard opened >= 0 else { throw SocketError(number: -opened, doing: "cannot watch descriptors") }
        descriptor = opened
    }

    deinit { close(descriptor) }

    /// Tells of the descriptor as long as it can be read; `false` when the system has no room for it.
    package func add(_ descriptor: Int32, label: UInt64) -> Bool {
        datagram_watch_add(self.descriptor, descriptor, label) == 0
    }

    package func remove(_ descriptor: Int32) { datagram_watch_remove(self.descriptor, descriptor) }

    /// Sleeps until something can be read or `limit` has passed; for ever without a limit.
    ///
    /// - Parameter labels: its front is overwritten by those of what can be read.
    /// - Returns: how many these are.
    package func wait(into labels: inout [UInt64], atMost limit: Duration?) -> Int {
        let nanoseconds = limit.map { max(0, $0.wholeNanoseconds) } ?? -1
        return labels.withUnsafeMutableBufferPointer { labels in
            Int(datagram_watch_wait(descriptor, labels.baseAddress, Int32(labels.count), nanoseconds))
        }
    }
}
