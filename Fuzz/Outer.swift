// What a stranger can reach without a key: the datagram's length and its clear header.

import WireProtocol

/// Called by libFuzzer with bytes of its choice; a trap is a finding.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOuter(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let datagram = UnsafeRawBufferPointer(start: start, count: count)
    if let sample = try? LegacyFrame(reading: datagram).sample {
        let isFinite = SampleCodec(LegacyFrame.declaration).canEncode(sample)
        precondition(count == LegacyFrame.size && isFinite, "a frame that says nothing was let through")
    }
    guard let header = try? DatagramHeader(reading: datagram) else { return 0 }
    precondition(count >= DatagramHeader.size && count <= WireFormat.maximumDatagramSize, "a length was let through")
    let connection = ConnectionID(index: header.connection.index, generation: header.connection.generation)
    precondition(connection == header.connection, "a connection id is its index and its generation")
    withUnsafeTemporaryAllocation(byteCount: DatagramHeader.size, alignment: 1) { buffer in
        var writer = ByteWriter(buffer)
        header.write(to: &writer)
        precondition(buffer.elementsEqual(datagram.prefix(DatagramHeader.size)), "a header is not what was read")
    }
    return 0
}
