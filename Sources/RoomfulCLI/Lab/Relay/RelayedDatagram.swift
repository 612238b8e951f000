import LinkEmulation
import WireProtocol

/// A datagram on its way to a room, and the name that it bears.
struct RelayedDatagram: EmulatedPayload {
    struct Label: Hashable, Sendable {
        var connection: ConnectionID
        var number: UInt32
    }

    private(set) var bytes: [UInt8]
    /// `nil` for what has no header.
    let label: Label?

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = Array(bytes)
        label = (try? DatagramHeader(reading: bytes)).map { Label(connection: $0.connection, number: $0.number) }
    }

    var byteCount: Int { bytes.count }
    mutating func flipBit(_ choice: UInt64) { bytes.flipBit(choice) }
}
