import InputMerge
import SessionCoordinator
import WireProtocol

extension PeerStatus {
    /// What is told of one peer alone, of its present link epoch and its last minute.
    public struct Detail: Hashable, Sendable, Codable {
        /// RFC 3550's extended highest sequence number; numbers begin at 0 with each link epoch.
        public var highestNumber: Int?
        /// RFC 3550's cumulative number of packets lost: expected minus received, copies counted as received, so that it
        /// may be negative.
        public var cumulativeLost: Int?
        /// RFC 3550's fraction lost of the last complete 5 s: 0 to 1, in 256ths.
        public var fractionLost: Double?
        /// Of the last complete 5 s, UDP payload.
        public var bytesPerSecond: Double?
        public var datagramsPerSecond: Double?
        /// UDP payload of all datagrams, for each sample that arrived.
        public var bytesPerSample: Double?
        public var feedbackDatagrams: Int
        public var feedbackBytes: Int
        public var messagesWaiting: Int
        /// Whether an echoed probe has shown that the peer is at its address.
        public var isPathValidated: Bool
        public var pathChanges: Int
        /// One way, of the last datagram, and how far it may be wrong.
        public var lastDelayMs: Double?
        public var lastDelayUncertaintyMs: Double?
        public var losses: Losses?
        /// The newest stretches of numbers that did not all arrive, oldest first, at most 64.
        public var holes: [Hole]
        public var streams: [Stream]
        /// How readily the player's gestures are recognised: 0.5 to 2, 1 is as defined.
        public var sensitivity: Double
        /// The complete seconds of the last minute, oldest first.
        public var minute: [Second]
    }

    /// RFC 3611, section 4.7.2, with Gmin = 16; what is in the replay window counts as it stands.
    public struct Losses: Hashable, Sendable, Codable {
        /// 0 to 1.
        public var lossRate: Double?
        /// Datagrams behind the replay window: RFC 3611's discards, 0 to 1 of those expected.
        public var discardRate: Double?
        public var bursts: Int
        public var burstDensity: Double?
        /// Numbers in a burst on average, and the time that the sender took for them.
        public var meanBurst: Double?
        public var meanBurstMs: Double?
        public var gaps: Int
        public var gapDensity: Double?
        public var meanGap: Double?
        public var meanGapMs: Double?
    }

    /// Consecutive numbers of which some did not arrive.
    public struct Hole: Hashable, Sendable, Codable {
        public var first: Int
        public var count: Int
        public var missing: Int
        /// When the numbers before and after it arrived: ms since the room opened.
        public var afterMs: Double
        public var beforeMs: Double
    }

    public struct Stream: Hashable, Sendable, Codable {
        public var stream: Int
        public var epoch: Int
        /// As declared, samples a second.
        public var nominalRate: Double
        public var samples: Samples
        /// How long ago new samples came.
        public var ageMs: Double?
        /// Nothing new for 50 ms, or two samples' time if that is longer.
        public var isStale: Bool
        /// Where on its person the sensor sits: `default`, `left` or `right`.
        public var location: String
        /// Whether the controller's gestures are seen in this stream.
        public var isSpeaking: Bool
        /// What is wrong with what it sends.
        public var problems: [Problem]

        public struct Problem: Hashable, Sendable, Codable {
            /// `accelerationInG`, `stuck` …
            public var kind: String
            /// In words, and what to do.
            public var explanation: String
        }
    }

    public struct Second: Hashable, Sendable, Codable {
        public var unique: Int
        public var missing: Int
        public var samples: Int
        /// `null` when nothing arrived in that second.
        public var worstQueueingMs: Double?
    }
}

extension PeerStatus.Detail {
    /// - Parameters:
    ///   - sensors: as the merge sees them.
    init(
        _ detail: PeerDetail, report: PeerReport, sensors: [SensorState], sensitivity: Double, openedAt: HostTime
    ) {
        let isNumbered = report.transport.countsLosses
        let arrived = report.samples.delivered + report.samples.late
        let rate = detail.interval?.datagramsPerSecond
        self.init(
            highestNumber: report.epoch.highest.map(Int.init),
            cumulativeLost: isNumbered ? Int(report.epoch.cumulativeLost) : nil,
            fractionLost: detail.interval.map { Double($0.fractionLost) / 256 },
            bytesPerSecond: detail.interval?.bytesPerSecond, datagramsPerSecond: rate,
            bytesPerSample: arrived > 0 ? Double(report.datagrams.bytes) / Double(arrived) : nil,
            feedbackDatagrams: Int(report.feedbackSent), feedbackBytes: Int(report.feedbackBytes),
            messagesWaiting: report.messagesWaiting, isPathValidated: report.isPathValidated,
            pathChanges: Int(report.pathChanges),
            lastDelayMs: detail.oneWay.map { Double($0) / 1e6 },
            lastDelayUncertaintyMs: detail.oneWay == nil
                ? nil : report.clock?.uncertaintyNanoseconds.map { Double($0) / 1e6 },
            losses: detail.losses.map { .init($0, report: report, rate: rate) },
            holes: detail.holes.map { hole in
                .init(
                    first: Int(hole.first), count: Int(hole.count), missing: Int(hole.missing),
                    afterMs: (hole.after - openedAt).milliseconds, beforeMs: (hole.before - openedAt).milliseconds)
            },
            streams: detail.streams.sorted { $0.declaration.stream < $1.declaration.stream }.map { stream in
                .init(stream, sensors.first { $0.stream == stream.declaration.stream })
            },
            sensitivity: sensitivity,
            minute: detail.minute.map { second in
                .init(
                    unique: Int(second.unique), missing: Int(second.missing), samples: Int(second.samples),
                    worstQueueingMs: second.worstQueueing.map { Double($0) / 1e3 })
            })
    }
}

extension PeerStatus.Losses {
    fileprivate init(_ losses: LossReport, report: PeerReport, rate: Double?) {
        let interval = rate.flatMap { $0 > 0 ? 1_000 / $0 : nil }
        func time(_ numbers: Double?) -> Double? { numbers.flatMap { numbers in interval.map { numbers * $0 } } }
        let expected = report.epoch.expected
        self.init(
            lossRate: losses.lossRate,
            discardRate: expected > 0 ? Double(report.epoch.tooOld) / Double(expected) : nil,
            bursts: Int(losses.bursts), burstDensity: losses.burstDensity, meanBurst: losses.meanBurst,
            meanBurstMs: time(losses.meanBurst), gaps: Int(losses.gaps), gapDensity: losses.gapDensity,
            meanGap: losses.meanGap, meanGapMs: time(losses.meanGap))
    }
}

extension PeerStatus.Stream {
    fileprivate init(_ stream: StreamReport, _ sensor: SensorState?) {
        let ledger = stream.ledger
        let samples = PeerStatus.Samples(
            expected: Int(ledger.expected), delivered: Int(ledger.delivered), late: Int(ledger.late),
            abandoned: Int(ledger.abandoned), missing: Int(ledger.missing), redundant: Int(ledger.redundant), epochs: 1)
        self.init(
            stream: Int(stream.declaration.stream), epoch: Int(stream.epoch),
            nominalRate: stream.declaration.nominalRate, samples: samples,
            ageMs: stream.age.map { Double($0) / 1e6 }, isStale: stream.isStale,
            location: stream.declaration.location.rawValue, isSpeaking: sensor?.isSpeaking ?? false,
            problems: (sensor?.problems ?? []).map { Problem(kind: $0.rawValue, explanation: $0.explanation) })
    }
}
