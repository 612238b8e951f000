public import WireProtocol

/// Something about a sensor that whoever runs the room, or a game, wants to know: it came, it went, it is broken.
public struct SensorEvent: Hashable, Sendable {
    /// What became of it.
    public enum Change: Hashable, Sendable {
        /// Its first sample came, or the first after a silence.
        case connected
        /// Nothing came from it for ``MergeConfiguration/silence`` and its batch, or its controller is gone.
        case disconnected
        /// From now on its controller's gestures are seen in it; before, in another one (`nil`: in none).
        case tookOver(from: StreamID?)
        /// What it sends cannot be right. Told once a stream epoch for each kind.
        case problem(SensorProblem)
    }

    /// Which one, by its controller and number.
    public var sensor: StreamKey
    /// Where on its person it sits.
    public var location: SensorLocation
    /// What became of it.
    public var change: Change
    /// When it was noticed.
    public var occurredAt: HostTime

    /// A notice about a sensor; `occurredAt` is on the host's clock.
    public init(sensor: StreamKey, location: SensorLocation, change: Change, occurredAt: HostTime) {
        self.sensor = sensor
        self.location = location
        self.change = change
        self.occurredAt = occurredAt
    }
}

/// One of a controller's sensors, as it stands.
public struct SensorState: Hashable, Sendable {
    /// Its number within its controller.
    public var stream: StreamID
    /// Where on its person it sits.
    public var location: SensorLocation
    /// Samples come, or came less than ``MergeConfiguration/silence`` and its batch ago.
    public var isPresent: Bool
    /// Its controller's gestures are seen in it.
    public var isSpeaking: Bool
    /// What was found wrong with what it sends, since its epoch began.
    public var problems: [SensorProblem]
}

/// What can be wrong with what a sensor sends. It is said, and never mended by guessing.
public enum SensorProblem: String, Hashable, Sendable, Codable, CaseIterable {
    /// At rest it reads about 1: g, where m/s² is meant.
    case accelerationInG
    /// At rest it reads neither 9.81 m/s² nor what the other two cases tell.
    case accelerationScale
    /// At rest it reads about 0: gravity is taken out.
    case accelerationWithoutGravity
    /// It stays at the accelerometer's declared range.
    case saturatedAcceleration
    /// It stays at the gyroscope's declared range, so that orientation is lost.
    case saturatedRotation
    /// The rotation rate is always 0, though gravity says that the device turns.
    case silentGyroscope
    /// No axis has changed for seconds, not even by noise.
    case stuck
    /// Many samples are no numbers, or beyond their declared range.
    case outOfRange

    /// In words, for the person who wrote the controller.
    public var explanation: String {
        switch self {
        case .accelerationInG:
            "the acceleration reads about 1 at rest: it sends g as m/s²; multiply by 9.80665"
        case .accelerationScale:
            "the acceleration at rest is not 9.81 m/s²: its scale is wrong; calibrate it, or mend the conversion"
        case .accelerationWithoutGravity:
            "the acceleration reads about 0 at rest: send it with gravity in it (9.81 m/s² at rest)"
        case .saturatedAcceleration: "the acceleration stays at its declared range: declare a wider one"
        case .saturatedRotation:
            "the rotation rate stays at its declared range, and orientation is lost: declare a wider one"
        case .silentGyroscope: "the rotation rate is always 0 although the device turns: declare no rotationRate"
        case .stuck: "every axis has read the same for seconds: the sensor is stuck; restart the device, or its program"
        case .outOfRange:
            "many samples are no numbers or beyond their declared range: are the units m/s² and rad/s?"
        }
    }
}
