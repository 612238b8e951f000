import WireProtocol

/// How a peer's datagrams come to the host, with all that exists only while they come that way.
///
/// ```
/// awaited ── its controller joins ──> linked ── joins again ──> linked (the next link epoch)
/// awaited ── the operator lets a source of unsealed frames in ──> legacy
/// ```
enum Attachment: Sendable {
    /// Nothing can come: the seat was kept over a restart of the host, and its controller has not come back yet.
    case awaited
    /// Numbered datagrams, over UDP or a browser's connection.
    case linked(Boxed<Link>)
    /// Unsealed frames from one address.
    case legacy(Boxed<LegacyStream>)

    /// Takes the link out, to be changed and put back: an enum's payload cannot be changed where it is. It is boxed, so
    /// that this moves a pointer, and not a kilobyte for each datagram.
    mutating func takeLink() -> Boxed<Link>? {
        guard case .linked = self else { return nil }
        let taken = consume self
        self = .awaited
        guard case .linked(let link) = consume taken else { return nil }
        return link
    }

    /// Changes the link, if there is one.
    mutating func withLink<Result>(_ body: (inout Link) -> Result) -> Result? {
        guard var link = takeLink() else { return nil }
        let result = link.update(body)
        self = .linked(consume link)
        return result
    }

    /// Asks the link, if there is one.
    func readLink<Answer>(_ question: (borrowing Link) -> Answer) -> Answer? {
        if case .linked(let link) = self { link.read(question) } else { nil }
    }

    /// Takes the source's state out, to be changed and put back.
    mutating func takeLegacy() -> Boxed<LegacyStream>? {
        guard case .legacy = self else { return nil }
        let taken = consume self
        self = .awaited
        guard case .legacy(let source) = consume taken else { return nil }
        return source
    }

    /// Where the link lies, if there is one, until this is changed.
    var linkPlace: UnsafePointer<Link>? { if case .linked(let link) = self { link.place } else { nil } }

    /// What events say of it.
    var wayReport: WayReport {
        switch self {
        // Most come back over UDP, where nothing is missing yet.
        case .awaited: WayReport(transport: .udp, delay: nil, datagramsMissing: 0)
        case .linked(let link): link.read { $0.wayReport }
        case .legacy: .legacy
        }
    }
}

/// What events say of the way on which a peer's datagrams come.
struct WayReport: Sendable {
    var transport: Transport
    /// One way, of the last datagram, in nanoseconds; `nil` while the clocks are not known.
    var delay: Int64?
    /// `nil` where nothing is numbered.
    var datagramsMissing: UInt64?

    static let legacy = WayReport(transport: .legacy, delay: nil, datagramsMissing: nil)
}
