import Identity
package import RoomEngine
package import SessionCoordinator
package import WireProtocol

extension PeerStatus {
    /// - Parameter network: what befell that of the host's own machine.
    package init(_ state: PeerState, openedAt: HostTime, network: RoomStatus.Network? = nil) {
        let report = state.report
        self.init(
            name: report.name, controller: report.controller.description, seat: report.seat, player: report.player,
            color: SeatColor.text(report.color), state: report.seatState.rawValue, link: report.link.rawValue,
            transport: report.transport.rawValue, address: report.address?.description,
            lastHeardMs: Double(report.silentFor) / 1e6, datagrams: Datagrams(report), samples: Samples(report),
            witness: Witness(report),
            jitterMs: Double(report.jitter) / 1e6, roundTripMs: report.roundTrip.map { Double($0) / 1e6 },
            delay: state.oneWay.map(Percentiles.init),
            delayUncertaintyMs: state.oneWayUncertainty.map { Double($0) / 1e6 },
            queueing: state.queueing.map(Percentiles.init), quality: report.quality,
            clock: .init(
                state: report.clock?.state.rawValue ?? "none",
                uncertaintyMs: report.clock?.uncertaintyNanoseconds.map { Double($0) / 1e6 }),
            sensor: report.sensor)
        submersion = state.submersion.map {
            .init($0, player: report.player, controller: report.controller, RecordClock(openedAt: openedAt))
        }
        detail = state.detail.map {
            Detail(
                $0.detail, report: report, sensors: $0.sensors, sensitivity: $0.sensitivity, openedAt: openedAt)
        }
        // What plays on the host's machine needs no network.
        if isSilent, report.address?.isLoopback != true, let network, network.explains(silenceOf: lastHeardMs) {
            hostNetwork = network
        }
        if let glance = state.glance { recent = Recent(glance, of: self, report) }
    }
}

extension RoomStatus.Newcomer {
    package init(_ newcomer: Newcomer, now: HostTime) {
        self.init(
            name: newcomer.name, controller: newcomer.controller.description,
            waitingMs: Double(max(0, (now - newcomer.since).wholeNanoseconds)) / 1e6,
            address: newcomer.source?.description, transport: newcomer.transport.rawValue, place: newcomer.place,
            isPresent: newcomer.isPresent)
    }
}

extension PeerStatus.Percentiles {
    init(_ delays: DelaySummary) {
        func milliseconds(_ microseconds: UInt64) -> Double { Double(microseconds) / 1_000 }
        self.init(
            n: delays.count, p50Ms: milliseconds(delays.p50), p95Ms: milliseconds(delays.p95),
            p99Ms: milliseconds(delays.p99), maxMs: milliseconds(delays.maximum))
    }
}

extension PeerStatus.Witness {
    fileprivate init(_ report: PeerReport) {
        let tally = report.word.tally
        let (agreement, reasons) =
            switch report.agreement {
            case .confirmed: ("confirmed", [String]())
            case .unconfirmed(let why): ("unconfirmed", [why])
            case .contradicted(let how): ("contradicted", how)
            }
        self.init(
            agreement: agreement, reasons: reasons, datagrams: tally.map { Int(clamping: $0.datagrams) },
            samples: tally.map { Int(clamping: $0.samples) }, confirmed: tally.map { Int(clamping: $0.confirmed) },
            isFinal: report.word.isFinal)
    }
}

extension PeerStatus.Datagrams {
    fileprivate init(_ report: PeerReport) {
        let totals = report.datagrams
        let isNumbered = report.transport.countsLosses
        self.init(
            sent: totals.epochs == 1 && report.lastSent != nil ? Int(totals.expected + totals.tailMissing) : nil,
            authenticated: Int(totals.authenticated), expected: isNumbered ? Int(totals.expected) : nil,
            unique: Int(totals.unique), missing: isNumbered ? Int(totals.missing) : nil,
            tailMissing: isNumbered ? Int(totals.tailMissing) : nil, duplicate: Int(totals.duplicate),
            tooOld: Int(totals.tooOld), reordered: Int(totals.reordered), unreadable: Int(totals.unreadable),
            rateLimited: Int(totals.rateLimited),
            bytes: Int(totals.bytes), epochs: Int(totals.epochs),
            inEpoch: isNumbered ? Int(report.epoch.authenticated) : nil)
    }
}

extension PeerStatus.Samples {
    fileprivate init(_ report: PeerReport) {
        let totals = report.samples
        let isNumbered = report.transport.numbersSamples
        self.init(
            expected: isNumbered ? Int(totals.expected) : nil, delivered: Int(totals.delivered), late: Int(totals.late),
            abandoned: Int(totals.abandoned), missing: isNumbered ? Int(totals.missing) : nil,
            redundant: Int(totals.redundant),
            epochs: Int(totals.epochs), beforeSeat: Int(totals.beforeSeat),
            lastMinute: .init(
                all: report.recentSamples.all, late: report.recentSamples.late, old: report.recentSamples.old,
                missedByHost: report.recentSamples.missedByHost, abandoned: report.recentSamples.abandoned))
    }
}
