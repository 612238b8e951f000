import Identity
import InputMerge
import SessionCoordinator
import WireProtocol

extension PeerStatus {
    /// What is told of one peer alone, of its present link epoch and its last minute.
    package struct Detail: Hashable, Sendable, Codable {
        /// RFC 3550's extended highest sequence number; numbers begin at 0 with each link epoch.
        package var highestNumber: Int?
        /// RFC 3550's cumulative number of packets lost: expected minus received, copies counted as received, so that it
        /// may be negative.
        package var cumulativeLost: Int?
        /// RFC 3550's fraction lost of the last complete 5 s: 0 to 1, in 256ths; `nil` where nothing was expected.
        package var fractionLost: Double?
        /// Of the last complete 5 s, UDP payload.
        package var bytesPerSecond: Double?
        package var datagramsPerSecond: Double?
        /// UDP payload of all datagrams, for each sample that arrived.
        package var bytesPerSample: Double?
        package var feedbackDatagrams: Int
        package var feedbackBytes: Int
        package var messagesWaiting: Int
        /// Whether an echoed probe has shown that the peer is at its address.
        package var isPathValidated: Bool
        package var pathChanges: Int
        /// One way, of the last datagram, and how far it may be wrong.
        package var lastDelayMs: Double?
        package var lastDelayUncertaintyMs: Double?
        package var losses: Losses?
        /// The newest stretches of numbers that did not all arrive, oldest first, at most 64.
        package var holes: [Hole]
        package var streams: [Stream]
        /// How readily the player's gestures are recognised: 0.5 to 2, 1 is as defined.
        package var sensitivity: Double
        /// The complete seconds of the last minute, oldest first.
        package var minute: [Second]
    }

    /// RFC 3611, section 4.7.2, with Gmin = 16; what is in the replay window counts as it stands.
    package struct Losses: Hashable, Sendable, Codable {
        /// 0 to 1.
        package var lossRate: Double?
        /// Datagrams behind the replay window: RFC 3611's discards, 0 to 1 of those expected.
        package var discardRate: Double?
        package var bursts: Int
        package var burstDensity: Double?
        /// Numbers in a burst on average, and the time that the sender took for them, at its mean pace.
        package var meanBurst: Double?
        package var meanBurstMs: Double?
        package var gaps: Int
        package var gapDensity: Double?
        package var meanGap: Double?
        package var meanGapMs: Double?
    }

    /// Consecutive numbers of which some did not arrive.
    package struct Hole: Hashable, Sendable, Codable {
        package var first: Int
        package var count: Int
        package var missing: Int
        /// When the numbers before and after it arrived: ms since the room opened.
        package var afterMs: Double
        package var beforeMs: Double
    }

    package struct Stream: Hashable, Sendable, Codable {
        package var stream: Int
        package var epoch: Int
        /// As declared, samples a second.
        package var nominalRate: Double
        package var samples: Samples
        /// How long ago new samples came.
        package var ageMs: Double?
        /// Nothing new for 50 ms, or two samples' time if that is longer.
        package var isStale: Bool
        /// Where on its person the sensor sits: `default`, `left` or `right`.
        package var location: String
        /// Whether the controller's gestures are seen in this stream.
        package var isSpeaking: Bool
        /// What is wrong with what it sends.
        package var problems: [Problem]

        package struct Problem: Hashable, Sendable, Codable {
            /// `accelerationInG`, `stuck` …
            package var kind: String
            /// In words, and what to do.
            package var explanation: String
        }
    }

    package struct Second: Hashable, Sendable, Codable {
        package var unique: Int
        package var missing: Int
        package var samples: Int
        /// `null` when nothing arrived in that second.
        package var worstQueueingMs: Double?
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
        self.init(
            highestNumber: report.epoch.highest.map(Int.init),
            cumulativeLost: isNumbered ? Int(report.epoch.cumulativeLost) : nil,
            fractionLost: detail.interval?.fractionLost.map { Double($0) / 256 },
            bytesPerSecond: detail.interval?.bytesPerSecond, datagramsPerSecond: detail.interval?.datagramsPerSecond,
            bytesPerSample: arrived > 0 ? Double(report.datagrams.bytes) / Double(arrived) : nil,
            feedbackDatagrams: Int(report.feedbackSent), feedbackBytes: Int(report.feedbackBytes),
            messagesWaiting: report.messagesWaiting, isPathValidated: report.isPathValidated,
            pathChanges: Int(report.pathChanges),
            lastDelayMs: detail.oneWay.map { Double($0) / 1e6 },
            lastDelayUncertaintyMs: detail.oneWay == nil
                ? nil : report.clock?.uncertaintyNanoseconds.map { Double($0) / 1e6 },
            losses: detail.losses.map { .init($0, epoch: report.epoch, pace: detail.pace) },
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
    /// - Parameter pace: nanoseconds from one number to the next, of the epoch that the losses are of: how fast the sender
    ///   counts, not how much of it arrives.
    init(_ losses: LossReport, epoch: DatagramLedger, pace: Double?) {
        func time(_ numbers: Double?) -> Double? { numbers.flatMap { numbers in pace.map { numbers * $0 / 1e6 } } }
        let expected = epoch.expected
        self.init(
            lossRate: losses.lossRate,
            discardRate: expected > 0 ? Double(epoch.tooOld) / Double(expected) : nil,
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
            abandoned: Int(ledger.abandoned), missing: Int(ledger.missing), redundant: Int(ledger.redundant), epochs: 1,
            beforeSeat: Int(ledger.beforeSeat))
        self.init(
            stream: Int(stream.declaration.stream), epoch: Int(stream.epoch),
            nominalRate: stream.declaration.nominalRate, samples: samples,
            ageMs: stream.age.map { Double($0) / 1e6 }, isStale: stream.isStale,
            location: stream.declaration.location.rawValue, isSpeaking: sensor?.isSpeaking ?? false,
            problems: (sensor?.problems ?? []).map { Problem(kind: $0.rawValue, explanation: $0.explanation) })
    }
}
