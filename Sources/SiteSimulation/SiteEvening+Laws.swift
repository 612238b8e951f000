import RoomOwnership
import WireProtocol

/// The laws that are checked with every turn.
extension SiteEvening {
    /// From asking whether it may act until it has acted, a host takes up to 100 ms here; a room's turn takes 2.
    static let actTakes: Moment = 100_000_000

    /// What the turn came to: whether the host acts, and whether another one does.
    mutating func judge(_ place: Int, _ participant: Participant, _ time: HostTime) {
        let end = participant.actsUntil(time)
        let before = hosts[place].acts(at: now)
        if before { hosts[place].lastActedAt = now }
        hosts[place].isActing = end != nil
        hosts[place].actsUntil =
            end.map { $0 == .distantFuture ? .max : hosts[place].clock.moment(of: $0) + Self.actTakes } ?? .min
        checkBounds(participant)
        guard end != nil else { return }
        if case .acting(let epoch) = participant.standing(time), epoch != hosts[place].actsInEpoch || !before {
            hosts[place].actsInEpoch = epoch
            report.mix(UInt64(bitPattern: now) ^ UInt64(place))
            takeover.acts(place, hosts, now, &report)
        }
        for other in hosts where other.number != place && other.acts(at: now) {
            report.broken(
                "host \(place) acts in epoch \(hosts[place].actsInEpoch) while host \(other.number) does in epoch "
                    + "\(other.actsInEpoch)", at: now)
        }
    }

    private mutating func checkBounds(_ participant: Participant) {
        let account = participant.account
        let most = UInt64(plan.buffer.items + SiteLogRecord.maximumItems)
        if account.uncommitted > most {
            report.broken("\(account.uncommitted) items wait, beyond every bound", at: now)
        }
        if participant.uncommittedBytes > plan.buffer.bytes + SiteLogRecord.maximumSize {
            report.broken("\(participant.uncommittedBytes) bytes wait, beyond every bound", at: now)
        }
    }

    /// A room that nobody could take over never stops for want of a log.
    mutating func stands(_ standing: Standing, _ place: Int) {
        guard case .suspended = standing else { return }
        report.note("suspended")
        guard let participant = hosts[place].participant, !participant.isDeparting,
            !participant.isWaitingToBegin
        else { return }
        if hosts.count == 1 || plan.whenCut == .play { report.broken("a room without a standby stopped", at: now) }
    }

    /// Every host reads the same log, each record once and in order.
    mutating func learned(_ entry: LogEntry, by place: Int) {
        if entry.sequence != hosts[place].learned + 1 {
            report.broken("host \(place) read record \(entry.sequence) after \(hosts[place].learned)", at: now)
        }
        hosts[place].learned = entry.sequence
        if logLaw.bytes(of: entry.sequence) != entry.bytes {
            report.broken("host \(place) read another record \(entry.sequence) than was taken", at: now)
        }
    }

    mutating func checkTime() {
        takeover.check(hosts, now, &report)
        if hosts.contains(where: { $0.acts(at: now) }) { nobodyActsSince = now }
    }

    /// All was well for 20 s: somebody acts, one alone, and everything that was offered has an end.
    mutating func close() {
        let acting = hosts.filter { $0.acts(at: now) }
        if acting.count != 1 { report.broken("\(acting.count) hosts act at the end", at: now) }
        for host in acting {
            guard let participant = host.participant else { continue }
            let account = participant.account
            if account.uncommitted > 0 {
                report.broken("\(account.uncommitted) items are uncommitted at the end", at: now)
            }
            report.note("committed by the last owner", Int(account.committed))
        }
        for place in log.replicas.indices.dropFirst() where log.replicas[place] != log.replicas[0] {
            report.broken("the log's replicas 0 and \(place) differ", at: now)
        }
        logLaw.close(log.replicas[0], now, &report)
    }
}
