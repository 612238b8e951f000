import WireProtocol

/// One joining of one peer: its keys, its datagrams' numbers and books, and the way back to it.
struct Link: Sendable {
    let connection: ConnectionID
    let transport: Transport
    let motionKey: LinkKey
    let feedbackKey: LinkKey
    /// Makes the ids of probes, which the peer must not guess.
    let probeKey: LinkKey

    var window = ReplayWindow()
    var ledger = DatagramLedger()
    var jitter = InterarrivalJitter()
    var transit = TransitMeter()
    var quality = QualityMeter()
    private(set) var runs = LossRuns()
    private(set) var holes = HoleList()
    var budget: PeerBudget
    /// One-way delay of the last datagram in nanoseconds, while the clocks are known.
    var oneWay: Int64?
    /// Queueing delay of the last datagram, in nanoseconds.
    var queueing: Int64 = 0

    /// Where the datagram with the highest number came from; `nil` before the first.
    private(set) var address: PeerAddress?
    /// Until a probe is echoed from the address, at most three times the bytes that came from it are sent there
    /// (RFC 9000, section 9.3).
    private(set) var isPathValidated = false
    private var firstProbeOnPath = 0
    private var wrongEchoes = 0
    private var bytesFromPath = 0
    private var bytesToPath = 0
    private(set) var pathChanges: UInt64 = 0

    /// The next feedback's number.
    var nextNumber: UInt32 = 0
    var feedbackSentAt: Int64?
    var feedbackSent: UInt64 = 0
    var feedbackBytes: UInt64 = 0
    /// Something came that is worth answering before the regular feedback.
    var wantsPromptFeedback = false
    /// Farewells still to be sent, and why.
    var farewell: (reason: GoodbyeReason, remaining: Int)?

    /// An id has 16 bits and up to 32 are out: after so many wrong ones an echo from the address proves nothing more.
    private static let mostWrongEchoes = 8

    init(
        connection: ConnectionID, transport: Transport = .udp, motionKey: LinkKey, feedbackKey: LinkKey,
        probeKey: LinkKey, budget: PeerBudget
    ) {
        self.connection = connection
        self.transport = transport
        self.motionKey = motionKey
        self.feedbackKey = feedbackKey
        self.probeKey = probeKey
        self.budget = budget
    }

    /// Judges an authenticated datagram's number, and books it.
    mutating func book(_ number: UInt32, bytes: Int, arrivedAt: HostTime) -> ReplayWindow.Verdict {
        let previous = window.highest
        var runs = self.runs
        let verdict = window.admit(number) { runs.take(isReceived: $0, count: $1) }
        self.runs = runs
        ledger.book(verdict, number: number, bytes: bytes)
        switch verdict {
        case .newest: holes.noteNewest(number, after: previous, at: arrivedAt)
        case .reordered: holes.noteReordered(number)
        case .duplicate, .tooOld: break
        }
        assert(ledger.isBalanced, "the datagram ledger's law is broken")
        return verdict
    }

    /// How losses lie, what is still in the window counted as it stands.
    var losses: LossReport {
        runs.report { runs in window.forEachHeld { runs.take(isReceived: $0, count: $1) } }
    }

    /// Notes that authenticated bytes came from an address. Only a number above all others moves the path there.
    ///
    /// - Parameter probesSent: how many were sent to this peer before.
    mutating func noteArrival(from source: PeerAddress, bytes: Int, isNewest: Bool, probesSent: Int) {
        if isNewest, address != source {
            if address != nil { pathChanges += 1 }
            address = source
            isPathValidated = false
            firstProbeOnPath = probesSent
            wrongEchoes = 0
            bytesFromPath = 0
            bytesToPath = 0
        }
        if address == source { bytesFromPath += bytes }
    }

    /// Notes an echoed probe by its place among all: one that was sent to the present address proves that the peer is
    /// there. `nil` is an echo of what nobody sent.
    mutating func noteEcho(of probe: Int?) {
        guard let probe else { return wrongEchoes += 1 }
        if probe >= firstProbeOnPath, wrongEchoes < Self.mostWrongEchoes { isPathValidated = true }
    }

    /// How many bytes may be sent now.
    var allowance: Int { isPathValidated ? .max : max(0, 3 * bytesFromPath - bytesToPath) }

    /// Notes that a feedback datagram of this size left.
    mutating func noteSent(bytes: Int, at now: Int64) {
        bytesToPath += bytes
        nextNumber += 1
        feedbackSentAt = now
        feedbackSent += 1
        feedbackBytes += UInt64(bytes)
        wantsPromptFeedback = false
    }
}
