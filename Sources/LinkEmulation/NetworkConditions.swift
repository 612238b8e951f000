/// What a bad network does to the datagrams that cross it, in the words of Linux's NetEm.
///
/// ```
/// loss=5%,burst=3,delay=20±10ms,reorder=1%,dup=0.5%
/// ```
///
/// reads: of a hundred datagrams five are lost, in bursts of three on average; each takes 10 to 30 ms; one in a hundred
/// takes longer, so that later ones overtake it; one in two hundred comes twice. The default is a perfect link.
public struct NetworkConditions: Hashable, Sendable {
    /// The probability that a datagram is lost by itself, 0 to 1.
    public var loss = 0.0
    /// Losses that come in bursts, beside ``loss``.
    public var burst: BurstLoss?
    /// The time that a datagram takes in the middle, 0 to 10 minutes.
    public var delay = Duration.zero
    /// How far the time deviates from ``delay`` either way, evenly; never more than the delay itself.
    public var jitter = Duration.zero
    /// The probability that a datagram is held back by ``reorderDelay`` on top, 0 to 1.
    public var reorder = 0.0
    /// How long a reordered datagram is held back, 0 to 10 minutes.
    public var reorderDelay = Duration.milliseconds(25)
    /// The probability that a datagram comes twice, 0 to 1.
    public var duplication = 0.0
    /// The probability that one bit of a datagram is flipped on the way, 0 to 1.
    public var corruption = 0.0
    /// A narrow place that datagrams pass one after another.
    public var bottleneck: Bottleneck?

    public init() {}

    /// The Gilbert model: in the good state nothing is lost, in the bad state everything (Gilbert, 1960).
    public struct BurstLoss: Hashable, Sendable {
        /// The probability, at each datagram, of going from good to bad: more than 0, at most 1.
        public var entry: Double
        /// The probability, at each datagram, of going from bad to good: more than 0, at most 1.
        public var exit: Double

        public init(entry: Double, exit: Double) {
            self.entry = entry
            self.exit = exit
        }

        /// The model that loses this part of all datagrams in bursts of this mean length.
        ///
        /// - Parameters:
        ///   - loss: more than 0, less than 1.
        ///   - meanLength: in datagrams, at least 1.
        public init(loss: Double, meanLength: Double) {
            exit = 1 / meanLength
            entry = min(1, exit * loss / (1 - loss))
        }

        /// The part of all datagrams that are lost in the long run, 0 to 1.
        public var loss: Double { entry / (entry + exit) }
        /// Datagrams that a burst lasts on average.
        public var meanLength: Double { 1 / exit }
    }

    /// A link that carries so many bits a second and lets so many bytes wait.
    public struct Bottleneck: Hashable, Sendable {
        /// Bits a second, more than 0.
        public var rate: Double
        /// Bytes that may wait; what comes on top is lost.
        public var queue: Int

        public init(rate: Double, queue: Int = 65_536) {
            self.rate = rate
            self.queue = queue
        }
    }
}
