public import WireProtocol

/// What a controller knows of its link so far: exact counts over its whole life, and the latest measurements.
public struct ControllerReport: Hashable, Sendable {
    /// Datagrams sent, of all kinds and link epochs.
    public var sentDatagrams: Int
    /// Their bytes, header and tag included, without those of UDP and IP.
    public var sentBytes: Int
    /// Those of them that were sent only because nothing else was.
    public var heartbeats: Int
    /// The highest number used in the present link epoch; `nil` before the first.
    public var lastSent: UInt32?
    /// The sensors, in the order of their declaration.
    public var streams: [Stream]
    /// Samples refused because their stream was never declared.
    public var refusedUnknownStream: Int
    /// What came from the host, or claimed to.
    public var feedback: FeedbackLedger
    /// What the host has received of the present link epoch, as it last said.
    public var account: Account?
    /// The least time between a datagram and the host's word about it: the round trip, and the host's wait.
    public var roundTrip: Duration?
    /// Datagrams that repeat each sample from the start: 1 to 3.
    public var redundancy: Int
    /// The part of the datagrams that the host missed lately, 0 to 1.
    public var loss: Double?
    /// Reliable messages that wait for their receipt.
    public var waitingMessages: Int

    /// One sensor's samples. The law: `appended == acknowledged + unacknowledged + abandoned`.
    public struct Stream: Hashable, Sendable {
        /// The number under which it was declared.
        public var stream: StreamID
        /// Counts the index bases: it moved on when the host had forgotten the stream, or its indexes were used up.
        public var epoch: UInt8
        /// Samples taken; what was held when its indexes were used up counts anew, as abandoned under the old one.
        public var appended: Int
        /// Samples refused, by reason, in the order in which the reasons came up.
        public var refusals: [Refusal]
        /// Samples that the host has.
        public var acknowledged: Int
        /// Samples still held for it.
        public var unacknowledged: Int
        /// Samples that fell off the history before the host had confirmed them.
        public var abandoned: Int
        /// Copies of samples sent beyond the first.
        public var resent: Int
        /// The oldest index still held, or the next when none is.
        public var floor: UInt32
        /// The index that the next sample gets.
        public var next: UInt32

        /// Whether each sample is in exactly one class. It cannot fail unless the code is wrong.
        public var isBalanced: Bool { appended == acknowledged + unacknowledged + abandoned }

        /// Samples refused, for whatever reason.
        public var refused: Int { refusals.reduce(0) { $0 + $1.samples } }

        /// Samples that were refused for one reason.
        public struct Refusal: Hashable, Sendable {
            /// The reason.
            public var code: SampleError.Code
            /// How many.
            public var samples: Int
        }
    }

    /// The host's word about a link epoch.
    public struct Account: Hashable, Sendable {
        /// The highest number that it received.
        public var highest: UInt32
        /// Different numbers that it received.
        public var unique: UInt32
    }
}

extension ControllerLink {
    /// Whether the host has every sample and message that the link took.
    public var isSettled: Bool { outbox.count == 0 && streams.allSatisfy { $0.buffer.isEmpty } }

    /// The highest number of this link epoch that the host says to have heard.
    package var lastHeard: UInt32? { tally.account?.highest }

    /// The host's newest datagram of this link epoch.
    package var newestFeedback: UInt32? { window.highest }

    /// The link's books.
    public var report: ControllerReport {
        var feedback = tally.feedback
        feedback.expected = tally.closedExpected + (window.highest.map { Int($0) + 1 } ?? 0)
        return ControllerReport(
            sentDatagrams: tally.sentDatagrams, sentBytes: tally.sentBytes, heartbeats: tally.heartbeats,
            lastSent: tally.lastSent, streams: streams.map(\.report), refusedUnknownStream: tally.refusedUnknown,
            feedback: feedback, account: tally.account, roundTrip: roundTrip.least.map { .nanoseconds($0) },
            redundancy: loss.redundancy, loss: loss.loss, waitingMessages: outbox.count)
    }

    /// The link's own counts, kept where they arise.
    struct Tally: Sendable {
        private(set) var sentDatagrams = 0
        /// Since the host knows this program: link epochs, and what had been sent and taken before.
        private(set) var links: UInt16 = 0
        private(set) var sentBefore = 0
        private(set) var samplesBefore = 0
        private(set) var confirmedBefore = 0
        private(set) var sentBytes = 0
        private(set) var heartbeats = 0
        private(set) var lastSent: UInt32?
        /// Numbers that the host used in earlier link epochs, as far as they are known.
        private(set) var closedExpected = 0
        var refusedUnknown = 0
        var feedback = FeedbackLedger()
        var account: ControllerReport.Account?

        mutating func sent(_ number: UInt32, bytes: Int, isHeartbeat: Bool) {
            sentDatagrams += 1
            sentBytes += bytes
            lastSent = number
            if isHeartbeat { heartbeats += 1 }
        }

        /// - Parameter streams: `nil` where the host goes on with what it knows of the program.
        mutating func openEpoch(highest: UInt32?, anew streams: [OutgoingStream]?) {
            links = links == .max ? .max : links + 1
            if let streams {
                (links, sentBefore, samplesBefore, confirmedBefore) = (1, sentDatagrams, 0, 0)
                for stream in streams {
                    // What is still held is sent to this host, too.
                    samplesBefore += stream.counts.appended - stream.buffer.heldCount
                    confirmedBefore += stream.counts.acknowledged
                }
            }
            closedExpected += highest.map { Int($0) + 1 } ?? 0
            lastSent = nil
            account = nil
        }
    }
}

extension OutgoingStream {
    fileprivate var report: ControllerReport.Stream {
        ControllerReport.Stream(
            stream: id, epoch: epoch, appended: counts.appended, refusals: counts.refusals,
            acknowledged: counts.acknowledged, unacknowledged: buffer.heldCount, abandoned: counts.abandoned,
            resent: counts.resent, floor: buffer.floor, next: buffer.next)
    }
}
