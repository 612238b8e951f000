import WireProtocol

/// One joining of one peer: its keys, its datagrams' numbers and ledger, and the way back to it.
struct Link: Sendable {
    /// How its datagrams come.
    enum Way: Sendable {
        /// Sealed, over UDP, to and from wherever its newest datagram came from.
        case udp(LinkKeys)
        /// Inside a browser's connection, which is its control connection too. There is one key, for the ids of probes.
        case reliable(Transport, probe: LinkKey)
    }

    // What every datagram needs lies together, in the order of its steps; then what feedback needs; then the rest.

    let connection: ConnectionID
    let way: Way
    var path = LinkPath()
    var window = ReplayWindow()
    private(set) var runs = LossRuns()
    var ledger = DatagramLedger()
    private(set) var holes = HoleList()
    /// While the controller pauses: the last number that it used before, so that copies of its goodbye do not wake it.
    var pausedAfter: UInt32?
    /// How soon what came wants its answer, at the latest since the last feedback.
    enum Urgency: Sendable {
        case calm, busy
        /// The first of a stream came, which its sender waits to hear of.
        case atOnce
    }
    var urgency = Urgency.calm
    var budget: PeerBudget
    var jitter = InterarrivalJitter()
    var transit = TransitMeter()
    /// How often the device's clock had changed when jitter and queueing were begun.
    var clockChanges: UInt64 = 0
    /// Queueing delay of the last datagram, in nanoseconds.
    var queueing: Int64 = 0
    /// One-way delay of the last datagram in nanoseconds, while the clocks are known.
    var oneWay: Int64?

    private(set) var feedbackSentAt: Int64?
    /// The next feedback's number.
    private(set) var nextNumber: UInt32
    private(set) var feedbackSent: UInt64 = 0
    private(set) var feedbackBytes: UInt64 = 0

    /// Its control connection, until that is gone.
    var conversation: ConversationID?
    var quality = QualityMeter()
    /// Who speaks on it.
    let program: Program

    init(
        connection: ConnectionID, way: Way, program: Program, conversation: ConversationID?, firstNumber: UInt32 = 0
    ) {
        nextNumber = firstNumber
        self.connection = connection
        self.way = way
        self.program = program
        self.conversation = conversation
        budget = PeerBudget(program.declarations)
    }

    var transport: Transport {
        switch way {
        case .udp: .udp
        case .reliable(let transport, _): transport
        }
    }

    /// What events say of it.
    var wayReport: WayReport {
        WayReport(
            transport: transport, delay: oneWay,
            datagramsMissing: transport.countsLosses ? ledger.missing + ledger.tailMissing : nil)
    }

    /// How losses lie, what is still in the window counted as it stands.
    var losses: LossReport {
        runs.report { runs in window.forEachHeld { runs.take(isReceived: $0, count: $1) } }
    }

    /// Where its feedback goes; `nil` while nobody knows.
    var feedbackDestination: FeedbackDestination? {
        switch way {
        case .udp: path.address.map { .address($0) }
        case .reliable: conversation.map { .conversation($0) }
        }
    }

    /// All numbers but the last are used, and none ever seals two datagrams: nothing more leaves. The controller takes
    /// the link for silent, and joins again under fresh keys.
    @inline(__always)
    var isWornOut: Bool { nextNumber == .max }

    /// Whether feedback of so many bytes can be sent now. Inlined, so that asking copies no link.
    @inline(__always)
    func maySend(_ bytes: Int) -> Bool {
        guard !isWornOut else { return false }
        return switch way {
        case .udp: path.address != nil && path.allowance >= bytes
        case .reliable: conversation != nil
        }
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

    /// Notes that a feedback datagram of this size left.
    mutating func noteSent(bytes: Int, at now: Int64) {
        path.noteSent(bytes: bytes)
        nextNumber += 1
        feedbackSentAt = now
        feedbackSent += 1
        feedbackBytes += UInt64(bytes)
        urgency = .calm
    }
}

/// What a link over UDP is sealed with.
struct LinkKeys: Sendable {
    /// Controller to host.
    let motion: LinkKey
    /// Host to controller.
    let feedback: LinkKey
    /// Makes the ids of probes, which the peer must not guess.
    let probe: LinkKey
}

/// A controller's program, as it introduced itself on the control channel.
struct Program: Hashable, Sendable {
    /// Tells a return of the same program from its restart.
    let process: String
    let declarations: [StreamDeclaration]
    let hasHaptics: Bool
    let context: [UInt8]

    var hasButtonGestures: Bool { declarations.contains(where: \.hasButtonGestures) }

    /// Whether it goes on where the other was: its streams, its clock and its messages.
    func continues(_ other: Program) -> Bool { process == other.process && declarations == other.declarations }
}
