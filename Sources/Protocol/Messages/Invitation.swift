/// A controller's wish to join (MultipeerConnectivity's `invitePeer(_:to:withContext:timeout:)`).
public struct Invitation: Hashable, Sendable, Codable {
    /// The version of the control messages that the controller speaks (``ControlMessage/version``).
    public var v: Int
    /// The controller's stable identity: 32 hexadecimal digits.
    public var controller: String
    /// 16 hexadecimal digits, new for each run of the controller's program: tells a return from a restart.
    public var process: String
    /// What people call it: 1 to 63 bytes.
    public var name: String
    /// The sensors that it will send, each with a number of its own.
    public var streams: [StreamOffer]
    /// Whether it can vibrate (or flash, or sound) on command.
    public var haptics: Bool
    /// The application's own bytes, hexadecimal, at most 1,024 of them.
    public var context: String?
    /// How long the controller will wait for an answer, in ms, 1 to 600,000.
    public var timeout: Int?
    /// The admission code, where the policy wants one. Sent only to a host whose pin is trusted.
    public var code: String?
    /// The resumption secret of an earlier seat: 64 hexadecimal digits.
    public var secret: String?
    /// The ticket of the host's own ``RoomOffer``: 64 hexadecimal digits. Admits in place of the code.
    public var ticket: String?
    /// Whether it will wait where all seats are taken; else it is refused as `full`.
    public var wait: Bool?

    /// One of another version, of which nothing else can be read: its fields may be others.
    init(ofVersion version: Int) {
        self.init(v: version, controller: "", process: "", name: "", streams: [], haptics: false)
    }

    /// An invitation as JSON takes it: identities and secrets in hexadecimal digits, times in milliseconds.
    public init(
        v: Int = ControlMessage.version, controller: String, process: String, name: String, streams: [StreamOffer],
        haptics: Bool, context: String? = nil, timeout: Int? = nil, code: String? = nil, secret: String? = nil,
        ticket: String? = nil, wait: Bool? = nil
    ) {
        self.v = v
        self.controller = controller
        self.process = process
        self.name = name
        self.streams = streams
        self.haptics = haptics
        self.context = context
        self.timeout = timeout
        self.code = code
        self.secret = secret
        self.ticket = ticket
        self.wait = wait
    }
}

/// A ``StreamDeclaration`` in JSON.
public struct StreamOffer: Hashable, Sendable, Codable {
    /// 0 to 255, unlike any other of the same controller.
    public var stream: UInt8
    /// Any of `acceleration`, `rotationRate`, `attitude`, `buttons`, `battery`, `submersion`.
    public var measures: [String]
    /// Full scale in m/s².
    public var accelerationRange: Double
    /// Full scale in rad/s.
    public var rotationRange: Double
    /// Samples a second.
    public var rate: Double
    /// Milliseconds from the motion to its time stamp.
    public var latency: Double?
    /// Milliseconds that the sensor collects before it hands over what it has.
    public var batch: Double?
    /// `left`, `right` or `default`; any other word counts as `default`.
    public var location: String?
    /// What a press of each button means, bit 0 first: a gesture, `*` for one that was taught, or nothing.
    public var buttonGestures: [String]?
    /// How deep its water sensor can measure, in m.
    public var maximumDepth: Double?

    /// The declaration with `latency` and `batch` in milliseconds, and without what is not worth a field.
    public init(_ declaration: StreamDeclaration) {
        stream = declaration.stream
        measures = Sample.Measures.names.filter { declaration.measures.contains($0.1) }.map(\.0)
        accelerationRange = declaration.accelerationRange
        rotationRange = declaration.rotationRange
        rate = declaration.nominalRate
        latency = declaration.sensorLatency.milliseconds
        batch = declaration.batch == .zero ? nil : declaration.batch.milliseconds
        location = declaration.location == .default ? nil : declaration.location.rawValue
        buttonGestures = declaration.buttonGestures.isEmpty ? nil : declaration.buttonGestures
        maximumDepth = declaration.measures.contains(.submersion) ? declaration.maximumDepth : nil
    }

    /// The declaration, or in words why it cannot be used.
    public func declaration() -> Result<StreamDeclaration, StreamOfferError> {
        guard measures.count <= Sample.Measures.names.count else {
            return .failure(StreamOfferError(problem: "measures must name each once"))
        }
        guard (location?.utf8.count ?? 0) <= 32 else {
            return .failure(StreamOfferError(problem: "location must be at most 32 bytes"))
        }
        var set = Sample.Measures()
        for name in measures {
            guard let known = Sample.Measures.names.first(where: { $0.0 == name }) else {
                let word = spoken(name, atMost: 32)
                return .failure(
                    StreamOfferError(problem: "measures names \"\(word)\", which this version does not know"))
            }
            set.insert(known.1)
        }
        let latency = latency ?? 0
        guard latency.isFinite, (0...1_000).contains(latency) else {
            return .failure(StreamOfferError(problem: "latency must be 0 to 1000 ms"))
        }
        let batch = batch ?? 0
        guard batch.isFinite, (0...10_000).contains(batch) else {
            return .failure(StreamOfferError(problem: "batch must be 0 to 10000 ms"))
        }
        guard (0.1...4_000).contains(rate) else {
            return .failure(StreamOfferError(problem: "rate must be 0.1 to 4000 samples a second"))
        }
        let declaration = StreamDeclaration(
            stream: stream, measures: set, accelerationRange: accelerationRange, rotationRange: rotationRange,
            nominalRate: rate, sensorLatency: .nanoseconds(Int64(latency * 1e6)),
            batch: .nanoseconds(Int64(batch * 1e6)),
            location: location.flatMap(SensorLocation.init(rawValue:)) ?? .default,
            buttonGestures: buttonGestures ?? [], maximumDepth: maximumDepth ?? 6)
        if let problem = declaration.problem { return .failure(StreamOfferError(problem: problem)) }
        return .success(declaration)
    }
}

/// Why an offered stream cannot be used, in words.
public struct StreamOfferError: Error, Hashable, Sendable {
    /// One sentence for the person who wrote the controller.
    public var problem: String
}

extension Sample.Measures {
    fileprivate static let names: [(String, Sample.Measures)] = [
        ("acceleration", .acceleration), ("rotationRate", .rotationRate), ("attitude", .attitude),
        ("buttons", .buttons), ("battery", .battery), ("submersion", .submersion),
    ]
}
