internal import CDatagrams
package import WireProtocol

/// Up to 64 datagrams as they came out of the socket, in memory that is used again for the next batch.
///
/// Belongs to one thread. What an accessor lends is valid until the next `receive(into:)`.
package final class IncomingBatch {
    /// Datagrams that one system call brings at most.
    package static var depth: Int { datagram_batch_depth }
    /// Bytes kept of each; of a longer one the end is cut off.
    package static var capacity: Int { datagram_capacity }

    let memory: UnsafeMutablePointer<datagram_batch>
    private let bytes: UnsafeMutableRawPointer
    private let lengths: UnsafeMutablePointer<UInt32>
    /// How many the last call brought.
    package internal(set) var count = 0

    package init() {
        guard let memory = datagram_batch_create() else { preconditionFailure("a batch of datagrams needs its memory") }
        self.memory = memory
        bytes = UnsafeMutableRawPointer(memory.pointee.bytes)
        lengths = memory.pointee.lengths
    }

    deinit { datagram_batch_destroy(memory) }

    /// The datagram's bytes, to be opened where they lie; cut at ``capacity``.
    package subscript(index: Int) -> UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(
            start: bytes + index * IncomingBatch.capacity,
            count: min(Int(lengths[index]), IncomingBatch.capacity))
    }

    /// How long the datagram was on the network, even if its end was cut off.
    package func length(at index: Int) -> Int { Int(lengths[index]) }

    /// Where it says that it came from: to be believed only once its tag fits.
    package func sender(at index: Int) -> PeerAddress { PeerAddress(datagram_batch_sender(memory, Int32(index))) }

    /// Which of this machine's addresses it was sent to; ``OwnAddress/unknown`` unless the socket notes that.
    package func dialled(at index: Int) -> OwnAddress { OwnAddress(datagram_batch_dialled(memory, Int32(index))) }

    /// How long the datagram waited in the socket before this batch was read, in nanoseconds; `nil` unless the socket
    /// stamps arrivals.
    package func waited(at index: Int) -> Int64? {
        let waited = memory.pointee.waited[index]
        return waited < 0 ? nil : waited
    }
}
