import WireProtocol

/// A controller whose every datagram a test writes itself.
struct Pad {
    var connection: ConnectionID
    var motionKey: LinkKey
    var feedbackKey: LinkKey
    var address: PeerAddress
    var nextNumber: UInt32 = 0

    init?(_ seated: Seated?, address: PeerAddress = .lan(10)) {
        guard let grant = seated?.link, let motion = Hexadecimal.decode(grant.motionKey),
            let feedback = Hexadecimal.decode(grant.feedbackKey), let motionKey = LinkKey(bytes: motion),
            let feedbackKey = LinkKey(bytes: feedback)
        else { return nil }
        connection = ConnectionID(rawValue: grant.connection)
        self.motionKey = motionKey
        self.feedbackKey = feedbackKey
        self.address = address
    }

    /// A link as a browser has it: the key is the test's own business.
    init?(connection: ConnectionID, key: LinkKey) {
        (self.connection, motionKey, feedbackKey, address) = (connection, key, key, .lan(10))
    }

    /// The next datagram, or the one with the given number, with the blocks that `write` adds.
    mutating func datagram(
        number: UInt32? = nil, sentAt: Int64 = 0, kind: DatagramHeader.Kind = .motion,
        _ write: (inout ByteWriter) -> Void = { _ in }
    ) -> [UInt8] {
        let header = DatagramHeader(kind: kind, connection: connection, number: number ?? nextNumber)
        nextNumber = max(nextNumber, header.number + 1)
        var bytes = [UInt8](repeating: 0, count: WireFormat.maximumDatagramSize)
        let size = bytes.withUnsafeMutableBytes { buffer in
            var writer = ByteWriter(UnsafeMutableRawBufferPointer(rebasing: buffer[..<(buffer.count - sealTagLength)]))
            header.write(to: &writer)
            writer.write(sentAt)
            write(&writer)
            let size = writer.count + sealTagLength
            TestCipher().seal(
                UnsafeMutableRawBufferPointer(rebasing: buffer[..<size]), headerLength: DatagramHeader.size,
                key: motionKey, number: header.number)
            return size
        }
        return Array(bytes[..<size])
    }

    /// A datagram with consecutive samples of stream 0, ten milliseconds apart.
    mutating func samples(_ indexes: Range<UInt32>, floor: UInt32 = 0, epoch: UInt8 = 0) -> [UInt8] {
        let codec = SampleCodec(StreamDeclaration())
        return datagram { writer in
            guard var block = StreamBlockWriter(stream: 0, epoch: epoch, floor: floor, codec: codec, to: &writer)
            else { return }
            for index in indexes {
                let sample = Sample(sampledAt: DeviceTime(nanoseconds: Int64(index) * 10_000_000))
                _ = block.append(sample, index: index, to: &writer)
            }
            block.finish(&writer)
        }
    }

    mutating func goodbye(_ reason: GoodbyeReason) -> [UInt8] {
        let number = nextNumber
        return datagram { _ = $0.writeGoodbye(reason, lastSent: number) }
    }

    /// Opens what the host sent; `nil` when it is not for this link.
    func read<Result>(_ datagram: [UInt8], _ body: (DatagramHeader, Payload) -> Result) -> Result? {
        var bytes = datagram
        return bytes.withUnsafeMutableBytes { buffer -> Result? in
            guard let header = try? DatagramHeader(reading: UnsafeRawBufferPointer(buffer)),
                header.connection == connection,
                TestCipher().open(buffer, headerLength: DatagramHeader.size, key: feedbackKey, number: header.number),
                let payload = try? Payload(
                    reading: UnsafeRawBufferPointer(
                        rebasing: buffer[DatagramHeader.size..<buffer.count - sealTagLength]))
            else { return nil }
            return body(header, payload)
        }
    }

    /// The probes in a feedback.
    func probes(in datagram: [UInt8]) -> [UInt16] {
        read(datagram) { _, payload in
            payload.blocks.compactMap { if case .probe(let id) = $0 { id } else { nil } }
        } ?? []
    }

    /// Why the host says goodbye in a datagram, if it does.
    func farewell(in datagram: [UInt8]) -> GoodbyeReason? {
        read(datagram) { _, payload in
            payload.blocks.compactMap { if case .goodbye(let reason, _) = $0 { reason } else { nil } }.first
        } ?? nil
    }
}
