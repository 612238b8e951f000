import WireProtocol

/// A block that outlives its datagram: what the golden vectors say of it, and what tests compare.
///
/// 64-bit numbers are text, because JSON's readers often have no more than 53 bits.
struct BlockDescription: Codable, Equatable {
    var type: String
    var stream, epoch: UInt8?
    var measures: [String]?
    /// Full scale in m/s² and rad/s, as the stream was declared.
    var accelerationRange, rotationRange: Double?
    var floor: UInt32?
    var runs: [RunDescription]?
    var cumulative: UInt32?
    /// The indexes above `cumulative` whose bits are set.
    var arrived: [UInt32]?
    var bitmapBytes: Int?
    var id: UInt32?
    var receivedAt: String?
    /// Of a clock that moves in steps.
    var grain: UInt32?
    var body: String?
    var next: UInt32?
    var channel: UInt8?
    var sequence: UInt32?
    var reason: String?
    var lastSent: UInt32?
    var highest, unique: UInt32?
    var links: UInt16?
    /// Counts of a tally.
    var datagrams, sampled, confirmed: String?

    init(type: String) { self.type = type }
}

/// A run: its first index, the microseconds from which its times count, its samples.
struct RunDescription: Codable, Equatable {
    var first: UInt32
    var start: String
    var samples: [SampleDescription]
}

/// A sample in physical units; only what the stream measures.
struct SampleDescription: Codable, Equatable {
    /// Nanoseconds on the device's clock.
    var sampledAt: String
    var acceleration, rotationRate, attitude: [Float]?
    var buttons: UInt16?
    var battery: UInt8?
    var submersion: SubmersionDescription?

    init(_ sample: Sample) {
        sampledAt = String(sample.sampledAt.nanoseconds)
        func axes(_ v: SIMD3<Float>) -> [Float] { [v.x, v.y, v.z] }
        if sample.measures.contains(.acceleration) { acceleration = axes(sample.acceleration) }
        if sample.measures.contains(.rotationRate) { rotationRate = axes(sample.rotationRate) }
        if sample.measures.contains(.attitude) { attitude = (0..<4).map { sample.attitude[$0] } }
        if sample.measures.contains(.buttons) { buttons = sample.buttons }
        if sample.measures.contains(.battery) { battery = sample.battery }
        if sample.measures.contains(.submersion) { submersion = SubmersionDescription(sample.submersion) }
    }
}

/// A reading of a water sensor in its units; only what is there.
struct SubmersionDescription: Codable, Equatable {
    var condition: String
    var depth, depthUncertainty, pressure, surfacePressure, temperature, temperatureUncertainty: Double?

    init(_ reading: Submersion) {
        condition = reading.condition.rawValue
        (depth, depthUncertainty) = (reading.depth, reading.depthUncertainty)
        (pressure, surfacePressure) = (reading.pressure, reading.surfacePressure)
        (temperature, temperatureUncertainty) = (reading.temperature, reading.temperatureUncertainty)
    }
}

extension BlockDescription {
    /// - Parameter declarations: the ranges of the datagram's streams.
    init(_ block: Block, declarations: [StreamDeclaration]) {
        switch block {
        case .stream(let block):
            self.init(block, declarations.first { $0.stream == block.stream } ?? StreamDeclaration())
        case .acknowledgement(let acknowledgement):
            self.init(acknowledgement)
        case .probe(let id):
            self.init(type: "probe")
            self.id = UInt32(id)
        case .probeAnswer(let id, let receivedAt, let grain):
            self.init(type: "probeAnswer")
            self.id = UInt32(id)
            self.receivedAt = String(receivedAt.nanoseconds)
            if grain > 0 { self.grain = grain }
        case .message(let id, let body):
            self.init(type: "message")
            self.id = id
            self.body = Hexadecimal.encode(body)
        case .receipt(let next):
            self.init(type: "receipt")
            self.next = next
        case .data(let channel, let sequence, let body):
            self.init(type: "data")
            self.channel = channel
            self.sequence = sequence
            self.body = Hexadecimal.encode(body)
        case .goodbye(let reason, let lastSent):
            self.init(type: "goodbye")
            self.reason = String(describing: reason)
            self.lastSent = lastSent
        case .account(let highest, let unique):
            self.init(type: "account")
            self.highest = highest
            self.unique = unique
        case .tally(let tally):
            self.init(type: "tally")
            links = tally.links
            datagrams = String(tally.datagrams)
            sampled = String(tally.samples)
            confirmed = String(tally.confirmed)
        }
    }

    private init(_ block: StreamBlock, _ declaration: StreamDeclaration) {
        self.init(type: "stream")
        stream = block.stream
        epoch = block.epoch
        measures = block.measures.words
        if block.measures.contains(.acceleration) { accelerationRange = declaration.accelerationRange }
        if block.measures.contains(.rotationRate) { rotationRange = declaration.rotationRange }
        floor = block.floor
        var declaration = declaration
        declaration.measures = block.measures
        let codec = SampleCodec(declaration)
        runs = block.runs.map { run in
            var samples: [SampleDescription] = []
            run.forEach(codec: codec) { _, sample in samples.append(SampleDescription(sample)) }
            return RunDescription(first: run.first, start: String(run.start), samples: samples)
        }
    }

    private init(_ acknowledgement: StreamAcknowledgement) {
        self.init(type: "acknowledgement")
        stream = acknowledgement.stream
        epoch = acknowledgement.epoch
        cumulative = acknowledgement.cumulative
        let above = acknowledgement.end - acknowledgement.cumulative
        arrived = (0..<above).map { acknowledgement.cumulative + $0 }.filter { acknowledgement.covers($0) }
        bitmapBytes = above > 0 ? Int(above - 1) / 8 : 0
    }
}

extension Sample.Measures {
    /// The names of the parts, in the order in which they stand on the wire.
    var words: [String] {
        let names: [(String, Sample.Measures)] = [
            ("acceleration", .acceleration), ("rotationRate", .rotationRate), ("attitude", .attitude),
            ("buttons", .buttons), ("battery", .battery), ("submersion", .submersion),
        ]
        return names.filter { contains($0.1) }.map(\.0)
    }
}
