import WireProtocol

/// Keeps one peer from taking more than its share of the host: what it may send follows from what it declared.
///
/// Two buckets, one of datagrams and one of samples, each filled at about twice the rate that an honest controller
/// reaches while it repeats what was lost, and deep enough for all that it may hold back in an outage. What is beyond
/// is not read: it is not acknowledged either, so that it comes again when there is room. Who is limited second after
/// second for ``patience`` is not unlucky but wrong.
struct RateLimit: Sendable {
    /// How long a peer may be limited without a whole second in between in which it was not, in nanoseconds.
    static let patience: Int64 = 5_000_000_000
    private static let second: Int64 = 1_000_000_000
    /// A controller holds so many seconds of samples, and has them all to send when an outage ends.
    private static let depth = 12.0

    private let datagramsPerSecond: Double
    private let samplesPerSecond: Double
    private var datagrams: Double
    private var samples: Double
    private var filledAt: Int64?
    private var limitedSince: Int64?
    private var limitedLast: Int64 = 0

    init(_ declarations: [StreamDeclaration]) {
        var (samples, bytes) = (0.0, 0.0)
        for declaration in declarations {
            samples += declaration.nominalRate
            bytes += declaration.nominalRate * Double(SampleCodec(declaration).size)
        }
        // 125 a second is what the sending interval of 8 ms allows; fast streams fill several datagrams at once, and
        // carry each sample in up to three of them.
        datagramsPerSecond = 2 * (125 + 4 * bytes / Double(WireFormat.maximumPayloadSize))
        samplesPerSecond = 2 * samples + 1
        datagrams = datagramsPerSecond * Self.depth / 2
        self.samples = samplesPerSecond * Self.depth / 2
    }

    /// Takes a datagram into account; false when its content must not be read.
    mutating func admit(at time: Int64) -> Bool {
        let elapsed = Double(max(0, time.saturatingSubtract(filledAt ?? time))) / 1e9
        filledAt = max(filledAt ?? time, time)
        datagrams = min(datagrams + elapsed * datagramsPerSecond, datagramsPerSecond * Self.depth / 2)
        samples = min(samples + elapsed * samplesPerSecond, samplesPerSecond * Self.depth / 2)
        if datagrams >= 1, samples >= 1 {
            datagrams -= 1
            return true
        }
        if limitedSince == nil || time - limitedLast > Self.second { limitedSince = time }
        limitedLast = max(limitedLast, time)
        return false
    }

    /// New samples were read.
    mutating func spend(samples count: Int) { samples -= Double(count) }

    /// Whether the peer has used up the host's patience.
    var isExhausted: Bool {
        guard let limitedSince else { return false }
        return limitedLast - limitedSince >= Self.patience
    }
}
