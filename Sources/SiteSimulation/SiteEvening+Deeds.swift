import LinkEmulation
import RoomOwnership
import WireProtocol

/// What happens to the hosts, the broker and the network, and what the operator does.
extension SiteEvening {
    mutating func doSomething() {
        guard now < plan.calmAt else { return calmDown() }
        nextDeedAt = min(plan.calmAt, now + 100_000_000 + Moment(random.fraction() * Double(plan.deedEvery) * 2))
        let owner = hosts.indices.first { hosts[$0].acts(at: now) }
        let anyone = Int(random.next() % UInt64(hosts.count))
        let target = random.chance(0.6) ? owner ?? anyone : anyone
        switch random.next() % 20 {
        case 0..<4: kill(target, for: draw(200, 8_000))
        case 4..<7: stop(target, for: draw(50, 10_000))
        case 7..<11: cut(target, for: draw(100, 10_000))
        case 11..<13: brokerFails(for: draw(100, 8_000))
        case 13..<15: worsen(target, for: draw(500, 8_000))
        case 15..<17: handOver(owner)
        case 17: close(owner)
        case 18: operatorTakesOver(anyone)
        default: plan.hasFloods ? flood() : meddle()
        }
    }

    /// From so many to so many milliseconds.
    private mutating func draw(_ least: Double, _ most: Double) -> Moment {
        Moment((least + random.fraction() * (most - least)) * 1e6)
    }

    // MARK: Faults

    /// Nothing is lost or late, and nothing is on its way any more from when something was.
    private var areLinesClean: Bool {
        lines.allSatisfy(\.isClean) && now - linesHealedAt > LineConditions.longest
    }

    /// A standby stands by, the log says that it may take over, and nothing is wrong that it could suffer from.
    private func hasHealthyStandby(besides owner: Int) -> Bool {
        guard isBrokerUp, hosts[owner].participant?.isOpenToTakeover == true, areLinesClean else { return false }
        return hosts.contains {
            $0.number != owner && $0.isRunning && $0.isReachable
                && $0.participant?.standing($0.clock.shows(now)) == .standingBy
        }
    }

    /// Whoever falls: the owner's end begins a takeover, everyone else's makes it no promise any more.
    private mutating func falls(_ place: Int) {
        if hosts[place].acts(at: now) {
            takeover.ownerFell(place, isClean: hasHealthyStandby(besides: place), now: now)
        } else {
            takeover.spoil()
        }
    }

    private mutating func kill(_ place: Int, for time: Moment) {
        guard case .running = hosts[place].power else { return }
        falls(place)
        report.note("kills")
        hosts[place].end(until: now + time)
    }

    private mutating func stop(_ place: Int, for time: Moment) {
        guard hosts[place].isRunning else { return }
        falls(place)
        report.note("stops")
        hosts[place].power = .stopped(until: now + time)
        if fault == .stoppedClocks { hosts[place].clock.missed += time }
    }

    private mutating func cut(_ place: Int, for time: Moment) {
        guard hosts[place].healsAt == .max else { return }
        report.note("cuts")
        // Some of them one way alone, or the feed alone, which an owner does not need.
        let way = random.next() % 5
        if way == 0 { takeover.spoil() } else { falls(place) }
        hosts[place].isUplinkCut = way > 1
        hosts[place].isDownlinkCut = way == 1 || way > 2
        hosts[place].isFeedCut = way == 0
        hosts[place].isFanCut = way != 0 && random.chance(0.5)
        hosts[place].healsAt = now + time
        if fault == .diverges { log.isSplit = true }
    }

    private mutating func brokerFails(for time: Moment) {
        guard isBrokerUp else { return }
        takeover.spoil()
        report.note("broker failures")
        (isBrokerUp, brokerBackAt) = (false, now + time)
        if fault == .emptied { log.empty() }
    }

    private mutating func worsen(_ place: Int, for time: Moment) {
        takeover.spoil()
        report.note("lines worsened")
        lines[place].loss = 0.3 * random.fraction()
        lines[place].doubling = 0.2 * random.fraction()
        lines[place].straggling = 0.5 * random.fraction()
        linesHealAt = min(linesHealAt, now + time)
    }

    mutating func heal() {
        if now >= brokerBackAt { (isBrokerUp, brokerBackAt) = (true, .max) }
        if now >= linesHealAt { (lines, linesHealAt, linesHealedAt) = (plan.lines, .max, now) }
        for place in hosts.indices where now >= hosts[place].healsAt {
            (hosts[place].isUplinkCut, hosts[place].isDownlinkCut) = (false, false)
            (hosts[place].isFanCut, hosts[place].isFeedCut) = (false, false)
            hosts[place].healsAt = .max
            log.isSplit = false
        }
    }

    /// Somebody who has the right to write and is no host of ours: the beginning of a record.
    private mutating func meddle() {
        guard plan.hasStranger, isBrokerUp else { return }
        takeover.spoil()
        report.note("strangers' records")
        let entry = log.scribble(
            [SiteLogRecord.major] + (0..<random.next() % 40).map { _ in UInt8(truncatingIfNeeded: random.next()) })
        logLaw.scribbled(entry)
        spread(entry)
    }

    /// Somebody has another stream laid into the log, which discards what it held.
    private mutating func flood() {
        guard isBrokerUp else { return }
        takeover.spoil()
        report.note("floods")
        let entries = log.flood(plan.keeps + Int(random.next() % 20) - 10)
        logLaw.flooded(entries)
        spread(entries[entries.count - 1])
    }

    // MARK: The operator

    private mutating func handOver(_ owner: Int?) {
        guard let owner, let next = hosts.indices.filter({ $0 != owner }).randomElement(using: &random) else { return }
        let isReady =
            hosts[next].isRunning && hosts[next].isReachable && hosts[owner].isReachable && isBrokerUp
            && areLinesClean && hosts[next].participant?.isFollowing(log.last(for: 0)) == true
        takeover.handsOver(owner, isClean: isReady, now: now)
        report.note("handovers asked for")
        turn(owner, .command(.handOver(to: hosts[next].id)))
    }

    private mutating func close(_ owner: Int?) {
        guard let owner else { return }
        takeover.spoil()
        guard random.chance(0.3) else { return leave(owner) }
        report.note("releases")
        turn(owner, .command(.release))
        hosts[owner].ambition = .host
    }

    /// Its machine is to start anew: a standby that is ready goes on with the room, or else this host when it is back.
    /// The program waits for the log's word for a while, and then ends without.
    private mutating func leave(_ owner: Int) {
        guard let participant = hosts[owner].participant, hosts[owner].leaves == nil else { return }
        report.note("leaves")
        let (time, gone) = (hosts[owner].clock.shows(now), participant.configuration.timing.gone)
        let successor = participant.standbys.rows.last { $0.presence.isReady && time - $0.heardAt < gone }
        let end = now + draw(20, 2_000)
        hosts[owner].leaves = (end, end + draw(200, 8_000))
        turn(owner, .command(.handOver(to: successor?.presence.host ?? hosts[owner].id)))
    }

    /// The operator looks whether another host plays on without the log, if the page says that one might; a mistaken one does
    /// not. Of a room that yields anybody may take possession.
    private mutating func operatorTakesOver(_ place: Int) {
        guard hosts[place].isRunning else { return }
        let othersAreOff = hosts.allSatisfy {
            if case .off = $0.power { return true }
            return $0.number == place
        }
        let yields = hosts[place].participant?.ownership.policy == .yield
        guard othersAreOff || yields || fault == .mistakenOperator else { return }
        takeover.spoil()
        report.note("taken over by hand")
        turn(place, .command(.takeOver))
    }

    // MARK: The calm

    /// Everything is mended. If nobody acts for 6 s all the same, the operator does what the page says.
    private mutating func calmDown() {
        nextDeedAt = now + 1_000_000_000
        if !isCalm {
            (isCalm, nobodyActsSince) = (true, now)
            (brokerBackAt, linesHealAt) = (min(brokerBackAt, now), min(linesHealAt, now))
            for place in hosts.indices {
                hosts[place].healsAt = min(hosts[place].healsAt, now)
                switch hosts[place].power {
                case .off: hosts[place].power = .off(until: now)
                case .stopped: hosts[place].power = .stopped(until: now)
                case .running: break
                }
            }
            for place in lines.indices { lines[place] = LineConditions(delay: 500_000, jitter: 500_000) }
            linesHealAt = .max
            heal()
            takeover.spoil()
        }
        guard now - nobodyActsSince > 6_000_000_000 else { return }
        nobodyActsSince = now
        for place in hosts.indices where hosts[place].isRunning {
            let standing = hosts[place].participant?.standing(hosts[place].clock.shows(now))
            if standing == .waiting(.closed), report.counts["releases"] == nil {
                report.broken("host \(place) takes a room for closed that nobody closed", at: now)
            }
            switch standing {
            case .waiting(.closed), .waiting(.neverOpened), .closed:
                hosts[place].ambition = .host
                report.note("opened anew")
                return hosts[place].end(until: now)
            case .waiting(.operatorDecides), .waiting(.unreadable), .waiting(.trouble), .waiting(.recordsLost):
                report.note("taken over by hand")
                return turn(place, .command(.takeOver))
            case .reading, .standingBy, .waiting(.unfit), .claiming, .acting, .suspended, nil: break
            }
        }
    }

    /// Every host that acts has something to keep.
    mutating func offer() {
        nextOfferAt =
            now < plan.end - 2_000_000_000 ? now + 1 + Moment(random.fraction() * Double(plan.offerEvery) * 2) : .max
        for place in hosts.indices where hosts[place].acts(at: now) {
            things += 1
            hosts[place].offered.append(things)
            report.note("things offered")
            let name = (0..<8).map { UInt8(truncatingIfNeeded: things >> (56 - 8 * UInt64($0))) }
            let filling = [UInt8](repeating: 0, count: Int(random.next() % 200))
            turn(place, .offered(SiteItem(kind: random.chance(0.7) ? 0 : 1, sealed: name + filling)))
        }
    }
}
