internal import CDatagrams
package import WireProtocol

/// Up to 64 datagrams to send in one system call, written where they will be sent from.
///
/// ```swift
/// if batch.isFull { socket.send(batch) }
/// let length = write(into: batch.room)
/// batch.append(length, to: peer)
/// ```
///
/// Belongs to one thread.
package final class OutgoingBatch {
    /// The longest datagram that fits, in bytes.
    package static var capacity: Int { IncomingBatch.capacity }

    let memory: UnsafeMutablePointer<datagram_batch>
    /// How many wait to be sent.
    package internal(set) var count = 0

    package init() {
        guard let memory = datagram_batch_create() else { preconditionFailure("a batch of datagrams needs its memory") }
        self.memory = memory
    }

    deinit { datagram_batch_destroy(memory) }

    package var isEmpty: Bool { count == 0 }
    package var isFull: Bool { count == IncomingBatch.depth }

    /// Where the next datagram is to be written; only while the batch is not full.
    package var room: UnsafeMutableRawBufferPointer {
        precondition(!isFull, "a full batch is sent before more is written")
        return UnsafeMutableRawBufferPointer(
            start: memory.pointee.bytes + count * OutgoingBatch.capacity, count: OutgoingBatch.capacity)
    }

    /// Takes the first `length` bytes of ``room`` as a datagram for `address`.
    ///
    /// - Parameter own: from where it leaves; where that cannot be, as it is this machine's no more, the system chooses.
    package func append(_ length: Int, to address: PeerAddress, from own: OwnAddress = .unknown) {
        precondition(!isFull, "a full batch is sent before more is written")
        precondition((0...OutgoingBatch.capacity).contains(length), "a datagram fits into its room")
        memory.pointee.lengths[count] = UInt32(length)
        datagram_batch_address(memory, Int32(count), datagram_address(address), datagram_own_address(own))
        count += 1
    }
}
