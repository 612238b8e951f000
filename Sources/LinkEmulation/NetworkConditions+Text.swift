import WireProtocol

extension NetworkConditions {
    /// Reads `key=value` pairs with commas between them; an empty text is a perfect link.
    ///
    /// | key | value |
    /// |---|---|
    /// | `loss` | part lost: `5%` or `0.05` |
    /// | `burst` | `3`: the loss comes in bursts of this mean length; `0.005:0.25`: Gilbert's two probabilities |
    /// | `delay` | `20ms`, `20±10ms` or `20+-10ms`; units `us`, `ms`, `s` |
    /// | `jitter` | `8ms`: the same as `±8ms` behind the delay |
    /// | `reorder` | part held back: `1%`, or `1%:40ms` with how long |
    /// | `dup`, `corrupt` | part that comes twice, or with a flipped bit |
    /// | `rate`, `queue` | `2Mbit`, `500kbit` or `64000bit` a second; bytes that may wait: `64KiB` or `65536` |
    ///
    /// - Throws: ``NetworkConditionsError``, which names the key and what it takes.
    public init(parsing text: String) throws(NetworkConditionsError) {
        self.init()
        var fields = try Fields(text)
        if let loss = try fields.take("loss", Quantity.part) { self.loss = loss }
        try readBurst(fields.take("burst", Quantity.burst))
        if let delay = try fields.take("delay", Quantity.delay) { (self.delay, jitter) = delay }
        if let jitter = try fields.take("jitter", Quantity.duration) { self.jitter = jitter }
        guard jitter <= delay else {
            throw NetworkConditionsError("jitter", .outOfRange, takes: "at most the delay")
        }
        if let (part, delay) = try fields.take("reorder", Quantity.reorder) {
            reorder = part
            if let delay { reorderDelay = delay }
        }
        if let part = try fields.take("dup", Quantity.part) { duplication = part }
        if let part = try fields.take("corrupt", Quantity.part) { corruption = part }
        if let rate = try fields.take("rate", Quantity.rate) { bottleneck = Bottleneck(rate: rate) }
        if let queue = try fields.take("queue", Quantity.bytes) {
            guard bottleneck != nil else {
                throw NetworkConditionsError("queue", .incomplete, takes: "bytes, together with a rate")
            }
            bottleneck?.queue = queue
        }
        try fields.finish()
    }

    /// A mean length needs to know how much is lost; two probabilities stand beside a loss of single datagrams.
    private mutating func readBurst(_ burst: Quantity.Burst?) throws(NetworkConditionsError) {
        switch burst {
        case nil: return
        case .probabilities(let entry, let exit): self.burst = BurstLoss(entry: entry, exit: exit)
        case .meanLength(let length):
            guard loss > 0, loss < 1 else {
                throw NetworkConditionsError(
                    "burst", .incomplete, takes: "a mean length, together with a loss between 0 and 100%")
            }
            guard loss <= length / (length + 1) else {
                throw NetworkConditionsError(
                    "burst", .outOfRange, takes: "for so much loss a longer mean length, since a datagram lies between")
            }
            self.burst = BurstLoss(loss: loss, meanLength: length)
            loss = 0
        }
    }
}

/// The pairs of a description, each to be taken once.
private struct Fields {
    private var pairs: [(key: String, value: Substring)] = []
    private static let keys = ["loss", "burst", "delay", "jitter", "reorder", "dup", "corrupt", "rate", "queue"]

    init(_ text: String) throws(NetworkConditionsError) {
        for field in text.split(separator: ",") {
            let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let key = String(parts[0].trimmed)
            if pairs.contains(where: { $0.key == key }) {
                throw NetworkConditionsError(key, .repeatedKey, takes: "one value")
            }
            pairs.append((key, parts.count == 2 ? parts[1].trimmed : ""))
        }
    }

    mutating func take<Value>(
        _ key: String, _ quantity: Quantity.Reading<Value>
    ) throws(NetworkConditionsError) -> Value? {
        guard let place = pairs.firstIndex(where: { $0.key == key }) else { return nil }
        switch quantity.read(pairs.remove(at: place).value) {
        case .value(let value): return value
        case .unreadable: throw NetworkConditionsError(key, .unreadable, takes: quantity.takes)
        case .outOfRange: throw NetworkConditionsError(key, .outOfRange, takes: quantity.takes)
        }
    }

    func finish() throws(NetworkConditionsError) {
        guard let stranger = pairs.first else { return }
        throw NetworkConditionsError(
            stranger.key, .unknownKey, takes: "one of " + Self.keys.joined(separator: ", "))
    }
}
