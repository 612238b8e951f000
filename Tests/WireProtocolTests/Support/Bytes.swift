import WireProtocol

/// What `write` puts into a buffer of this many bytes.
func written(room: Int = WireFormat.maximumPayloadSize, _ write: (inout ByteWriter) -> Void) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
        var writer = ByteWriter(UnsafeMutableRawBufferPointer(buffer))
        write(&writer)
        count = writer.count
    }
}

/// A datagram's content: the send time, then what `write` adds.
func payload(sentAt: Int64 = 0, _ write: (inout ByteWriter) -> Void = { _ in }) -> [UInt8] {
    written { writer in
        writer.write(sentAt)
        write(&writer)
    }
}

/// A block spelled out by hand, right or wrong.
func rawBlock(_ type: UInt8, _ body: [UInt8], claimedLength: Int? = nil) -> [UInt8] {
    [type] + UInt16(claimedLength ?? body.count).bigEndianBytes + body
}

/// The content of a stream block with one run spelled out by hand, of samples that measure `buttons` alone.
func rawRun(floor: UInt32 = 0, first: UInt32, count: UInt8, start: Int64 = 0, times: [UInt32]) -> [UInt8] {
    written { writer in
        writer.write([0, 0, Sample.Measures.buttons.rawValue])
        writer.write(floor)
        writer.write(first)
        writer.write(count)
        writer.write(start)
        for time in times {
            writer.write(time.bigEndianBytes.dropFirst())
            writer.write(UInt16(0))
        }
    }
}

extension Payload {
    /// Opens the bytes for the length of a call.
    static func reading<Result>(_ bytes: [UInt8], _ body: (Payload) throws -> Result) throws -> Result {
        try bytes.withUnsafeBytes { try body(try Payload(reading: $0)) }
    }
}

extension LinkMessage {
    init(_ bytes: [UInt8]) throws {
        self = try bytes.withUnsafeBytes { try LinkMessage(reading: $0[...]) }
    }
}

extension DatagramHeader {
    init(_ bytes: [UInt8]) throws {
        self = try bytes.withUnsafeBytes { try DatagramHeader(reading: $0) }
    }

    var bytes: [UInt8] { written { write(to: &$0) } }
}
