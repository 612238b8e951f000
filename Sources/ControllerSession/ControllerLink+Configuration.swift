import WireProtocol

extension ControllerLink {
    /// The link's times and bounds; the defaults are those of `Documentation/WIRE-FORMAT.md`.
    public struct Configuration: Hashable, Sendable {
        /// Datagrams with fresh samples are at least this far apart; samples that come faster share one.
        public var minimumSendInterval = Duration.milliseconds(8)
        /// A link with nothing to say shows this often that it lives.
        public var heartbeatInterval = Duration.milliseconds(500)
        /// How often a host with nothing to say gives feedback.
        public var feedbackInterval = Duration.milliseconds(200)
        /// Without authentic feedback for so long the link is quiet: time to join again. Longer, up to 8 s, for a while
        /// after silences that healed by themselves, or that led from one joining to the next.
        public var feedbackTimeout = Duration.seconds(1)
        /// How long a receipt or a probe's answer may wait for a datagram that leaves anyway.
        public var answerDelay = Duration.milliseconds(5)
        /// How often a goodbye is said, and how far apart.
        public var goodbyeCount = 3
        /// See ``goodbyeCount``.
        public var goodbyeInterval = Duration.milliseconds(20)
        /// How long a sample is held for a host that does not confirm it.
        public var historyDuration = Duration.seconds(10)
        /// Samples held of each stream: a power of two, at most `WireFormat.streamWindow`.
        public var historyCapacity = Int(WireFormat.streamWindow)
        /// Messages that may wait for their receipt.
        public var messageCapacity = 256
        /// Within how much readings of one moment lie apart on the clock that stamps samples and datagrams: a step of one that
        /// moves in steps. The host is told, and is no surer of that clock.
        public var clockGrain = Duration.zero
        /// Whether ``SentDatagram`` names the samples that each datagram carries: the sender's log of a test.
        public var recordsRuns = false

        /// The usual values, which suit up to 200 samples a second on a Wi-Fi network.
        public init() {}
    }

    /// The configuration in nanoseconds, worked out once.
    struct Pace: Sendable {
        let minimumSendInterval, heartbeat, feedback, feedbackTimeout, answerDelay, goodbye, history: Int64
        let clockGrain: UInt32

        /// No sending interval counts for longer: the repeats of a slow stream do not wait for its next sample.
        static let longestInterval: Int64 = 100_000_000
        /// Repeats without fresh samples come at least this often.
        static let slowestRepeat: Int64 = 500_000_000

        init(_ configuration: Configuration) {
            minimumSendInterval = configuration.minimumSendInterval.wholeNanoseconds
            heartbeat = configuration.heartbeatInterval.wholeNanoseconds
            feedback = configuration.feedbackInterval.wholeNanoseconds
            feedbackTimeout = configuration.feedbackTimeout.wholeNanoseconds
            answerDelay = configuration.answerDelay.wholeNanoseconds
            goodbye = configuration.goodbyeInterval.wholeNanoseconds
            history = configuration.historyDuration.wholeNanoseconds
            clockGrain = UInt32(clamping: configuration.clockGrain.wholeNanoseconds)
        }
    }
}
