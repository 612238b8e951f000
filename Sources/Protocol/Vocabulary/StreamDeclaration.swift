/// What a controller says about one of its sensors when it joins.
///
/// The ranges scale the fixed-point axes on the wire, so both sides must know them before the first sample.
public struct StreamDeclaration: Hashable, Sendable {
    /// The stream's number within its controller.
    public var stream: StreamID
    /// What every sample of the stream measures.
    public var measures: Sample.Measures
    /// Full scale of the accelerometer in m/s², 1 to 10,000 (16 g is 156.9).
    public var accelerationRange: Double
    /// Full scale of the gyroscope in rad/s, 0.1 to 1,000 (2,000 °/s is 34.9).
    public var rotationRange: Double
    /// Samples a second that the sensor is meant to give, 0.1 to 4,000.
    public var nominalRate: Double
    /// Time from the motion to its time stamp inside the sensor, 0 to 1 s; widens every event's uncertainty.
    public var sensorLatency: Duration
    /// How much the sensor collects before it hands it over, 0 to 10 s; a sample may be as old when it is sent.
    public var batch: Duration
    /// Where on its person the sensor sits.
    public var location: SensorLocation
    /// What a press of each button means, bit 0 first: a gesture's name, ``taughtGesture``, ``otherGesture``, or nothing where
    /// it is empty.
    ///
    /// The first button that means ``taughtGesture`` means the first gesture that the player has taught, and so on; the first
    /// that means ``otherGesture`` the first of the room's gestures that none of the buttons names, and so on, and when there
    /// are no more of these what the player has taught. A bit that has no name here is the game's own. At most 16, each of at
    /// most 40 bytes.
    public var buttonGestures: [String]
    /// How deep its water sensor can measure, in m: 2 to 200; only of a stream that measures ``Sample/Measures/submersion``.
    public var maximumDepth: Double

    /// In ``buttonGestures``: one of those that the player taught.
    public static let taughtGesture = "*"
    /// In ``buttonGestures``: one that the room watches for and no other button names, as those to which its host gave a name;
    /// beyond these one of those that the player taught.
    public static let otherGesture = "+"

    /// A declaration, by default of a phone's accelerometer (16 g) and gyroscope (2,000 °/s) at 100 Hz. ``problem``
    /// says whether a host takes it.
    public init(
        stream: StreamID = 0, measures: Sample.Measures = [.acceleration, .rotationRate],
        accelerationRange: Double = 156.9064, rotationRange: Double = 34.90658503988659, nominalRate: Double = 100,
        sensorLatency: Duration = .zero, batch: Duration = .zero, location: SensorLocation = .default,
        buttonGestures: [String] = [], maximumDepth: Double = 6
    ) {
        self.stream = stream
        self.measures = measures
        self.accelerationRange = accelerationRange
        self.rotationRange = rotationRange
        self.nominalRate = nominalRate
        self.sensorLatency = sensorLatency
        self.batch = batch
        self.location = location
        self.buttonGestures = buttonGestures
        self.maximumDepth = maximumDepth
    }

    /// Why a declaration cannot be used, in words for the person who wrote the controller; `nil` when it can.
    public var problem: String? {
        if !measures.isSubset(of: .known) { return "measures has something that this version does not know" }
        if let problem = buttonProblem { return problem }
        if !measuresMotion, !hasButtonGestures, !measures.contains(.submersion) {
            return "measures has no motion and no submersion, and buttonGestures no button that means a gesture"
        }
        if !(1...10_000).contains(accelerationRange) { return "accelerationRange must be 1 to 10000 m/s²" }
        if !(0.1...1_000).contains(rotationRange) { return "rotationRange must be 0.1 to 1000 rad/s" }
        if !(0.1...4_000).contains(nominalRate) { return "nominalRate must be 0.1 to 4000 samples a second" }
        if !(Duration.zero...Duration.seconds(1)).contains(sensorLatency) { return "sensorLatency must be 0 to 1 s" }
        if !(Duration.zero...Duration.seconds(10)).contains(batch) { return "batch must be 0 to 10 s" }
        if !(2...200).contains(maximumDepth) { return "maximumDepth must be 2 to 200 m" }
        return nil
    }

    /// Whether a sample says how the device moves.
    public var measuresMotion: Bool { !measures.isDisjoint(with: [.acceleration, .rotationRate, .attitude]) }

    /// Whether a button means a gesture.
    public var hasButtonGestures: Bool { buttonGestures.contains { !$0.isEmpty } }

    private var buttonProblem: String? {
        if buttonGestures.isEmpty { return nil }
        if !measures.contains(.buttons) { return "buttonGestures are of a stream that measures buttons" }
        if buttonGestures.count > 16 {
            return "buttonGestures are \(buttonGestures.count), but a stream has 16 buttons"
        }
        let isPlain = buttonGestures.allSatisfy { name in
            name.utf8.count <= 40 && name.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
        }
        if !isPlain { return "a gesture in buttonGestures has at most 40 bytes, and no control characters" }
        let names = buttonGestures.filter { !["", Self.taughtGesture, Self.otherGesture].contains($0) }
        return Set(names).count == names.count ? nil : "two of buttonGestures mean the same gesture"
    }
}

/// The number of a stream within its controller.
public typealias StreamID = UInt8
