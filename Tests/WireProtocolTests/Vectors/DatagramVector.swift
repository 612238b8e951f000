import WireProtocol

/// One datagram in every form that it has between a sample and the network.
struct DatagramVector: Codable, Equatable {
    /// The first bytes of a datagram, in words.
    struct Header: Codable, Equatable {
        var kind: String
        var connectionIndex, connectionGeneration: UInt16
        var number: UInt32
    }

    /// A block that this version does not know, and how many blocks stand before it.
    struct UnknownBlock: Codable, Equatable {
        var position: Int
        var type: UInt8
        var body: String
    }

    var name, description: String
    var header: Header
    /// 64 hexadecimal digits; absent for a browser's datagram, which TLS seals.
    var key: String?
    /// Nanoseconds on the sender's clock.
    var sentAt: String
    var blocks: [BlockDescription]
    var unknownBlocks: [UnknownBlock]?
    var headerBytes, payloadBytes: String
    /// The whole datagram under each suite: written by `Scripts/check-wire-format.py`, never by Swift.
    var sealed: [String: String]?

    /// Makes the payload with the writer and describes it with the reader.
    init(
        _ name: String, _ description: String, kind: DatagramHeader.Kind = .motion, number: UInt32,
        sentAt: Int64 = 5_000_000_000, declarations: [StreamDeclaration] = [StreamDeclaration()],
        unknownBlocks: [UnknownBlock]? = nil, _ write: (inout ByteWriter) -> Void
    ) throws {
        self.name = name
        self.description = description
        let header = DatagramHeader(
            kind: kind, connection: ConnectionID(index: 3, generation: 1), number: number)
        let again = try DatagramHeader(header.bytes)
        self.header = Header(
            kind: String(describing: again.kind), connectionIndex: again.connection.index,
            connectionGeneration: again.connection.generation, number: again.number)
        headerBytes = Hexadecimal.encode(header.bytes)
        switch kind {
        case .motion: key = Hexadecimal.encode(0x00...0x1F)
        case .feedback: key = Hexadecimal.encode(0x20...0x3F)
        case .browserMotion, .browserFeedback: key = nil
        }
        let content = payload(sentAt: sentAt, write)
        payloadBytes = Hexadecimal.encode(content)
        self.sentAt = try Payload.reading(content) { String($0.sentAt) }
        blocks = try Payload.reading(content) { payload in
            payload.blocks.map { BlockDescription($0, declarations: declarations) }
        }
        self.unknownBlocks = unknownBlocks
    }

    /// Everything but what the script adds.
    var withoutSeal: DatagramVector {
        var copy = self
        copy.sealed = nil
        return copy
    }
}

extension ByteWriter {
    /// Writes one stream's block with these samples; the samples' indexes as given.
    mutating func writeStream(
        of declaration: StreamDeclaration = StreamDeclaration(), epoch: UInt8 = 0, floor: UInt32 = 0,
        _ samples: [(UInt32, Sample)]
    ) {
        let codec = SampleCodec(declaration)
        guard
            var block = StreamBlockWriter(
                stream: declaration.stream, epoch: epoch, floor: floor, codec: codec, to: &self)
        else { return }
        for (index, sample) in samples { _ = block.append(sample, index: index, to: &self) }
        block.finish(&self)
    }
}

extension Sample {
    /// A reading of acceleration in m/s² and rotation in rad/s at this many milliseconds.
    init(
        at milliseconds: Int64, _ acceleration: SIMD3<Float> = SIMD3(0, 0, 9.80665), _ rotation: SIMD3<Float> = .zero
    ) {
        self.init(
            sampledAt: DeviceTime(nanoseconds: milliseconds * 1_000_000), acceleration: acceleration,
            rotationRate: rotation)
    }
}
