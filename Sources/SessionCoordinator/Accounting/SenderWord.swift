public import WireProtocol

/// What a controller's program says that it sent, as the host heard it.
public struct SenderWord: Hashable, Sendable {
    /// The newest; `nil` while it has said nothing.
    public private(set) var tally: SenderTally?
    /// It was said with a goodbye for good: there is nothing to come.
    public private(set) var isFinal = false

    package init() {}

    mutating func learn(_ tally: SenderTally, isFinal: Bool) {
        // Copies may overtake each other; only what counts more is newer.
        if tally.datagrams >= self.tally?.datagrams ?? 0 { self.tally = tally }
        self.isFinal = self.isFinal || isFinal
    }
}

/// How a host's account of a peer stands to what the peer's controller says: two witnesses, who count apart.
public enum Agreement: Hashable, Sendable {
    /// Both say the same.
    case confirmed
    /// One of them is missing, or spoke of something else: why, in words.
    case unconfirmed(String)
    /// They contradict each other: how, in words.
    case contradicted([String])
}

extension PeerReport {
    /// Holds the host's account against the controller's word.
    ///
    /// What is contradicted at any moment stays so: counts only grow. Whether all is confirmed shows after the goodbye.
    public var agreement: Agreement {
        guard transport.numbersSamples else { return .unconfirmed("its frames bear no numbers") }
        guard let tally = word.tally else {
            return .unconfirmed(
                datagrams.epochs == 0 ? "it was not heard since the host began" : "it never said how much it sent")
        }
        guard programs == 1 else {
            return .unconfirmed("it began anew, and its word is only of what it sent since")
        }
        guard UInt64(tally.links) == heardLinks else {
            return .unconfirmed("it speaks of \(plural(tally.links, "link")), and the host knows \(heardLinks)")
        }
        let contradictions = contradictions(of: tally)
        if !contradictions.isEmpty { return .contradicted(contradictions) }
        return word.isFinal ? .confirmed : .unconfirmed("it never said goodbye")
    }

    private var heardLinks: UInt64 { datagrams.epochs - unheardLinks }

    /// What a word of any moment cannot be beside the host's account of now.
    private func contradictions(of tally: SenderTally) -> [String] {
        var found: [String] = []
        let arrived = samples.delivered + samples.late
        if tally.confirmed > arrived {
            found.append(
                "\(plural(tally.confirmed, "sample was", "samples were")) confirmed to it, and only "
                    + "\(plural(arrived, "is", "are")) booked as arrived")
        }
        guard word.isFinal else { return found }
        let known = datagrams.expected + datagrams.tailMissing
        if heardLinks == 1 ? tally.datagrams != known : tally.datagrams < known {
            let sent = plural(tally.datagrams, "datagram")
            found.append("it says that it sent \(sent), and the host accounts for \(known)")
        }
        if tally.samples < samples.expected {
            let made = plural(tally.samples, "sample")
            found.append("it says that it made \(made), and the host accounts for \(samples.expected)")
        }
        return found
    }
}
