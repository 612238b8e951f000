import RoomOwnership

/// How long a room is without an owner that acts, and that it is not for longer than was promised.
struct TakeoverLaw: Sendable {
    /// What the issue promises in the median; on clean lines it is a bound, whatever the clocks.
    static let bound: Moment = 3_000_000_000
    static let handoverBound: Moment = 1_000_000_000

    private struct Pending: Sendable {
        var owner: Int
        var since: Moment
        var isHandover: Bool
        /// A standby is there, and nothing is wrong but the owner.
        var isClean: Bool
    }

    private var pending: Pending?

    /// The owner died, was stopped or cut off.
    mutating func ownerFell(_ owner: Int, isClean: Bool, now: Moment) {
        pending = Pending(owner: owner, since: now, isHandover: false, isClean: isClean && pending == nil)
    }

    mutating func handsOver(_ owner: Int, isClean: Bool, now: Moment) {
        pending = Pending(owner: owner, since: now, isHandover: true, isClean: isClean && pending == nil)
    }

    /// Something else went wrong meanwhile.
    mutating func spoil() { pending?.isClean = false }

    mutating func acts(_ place: Int, _ hosts: [SimulatedSiteHost], _ now: Moment, _ report: inout SiteReport) {
        guard let case_ = pending else { return }
        guard place != case_.owner || !case_.isHandover else { return }
        pending = nil
        guard place != case_.owner else { return }
        report.note(case_.isHandover ? "handovers" : "takeovers")
        guard case_.isClean else { return }
        if case_.isHandover {
            let last = hosts[case_.owner].lastActedAt
            report.handovers.append(.nanoseconds(now - max(last, case_.since)))
        } else {
            report.takeovers.append(.nanoseconds(now - case_.since))
        }
    }

    mutating func check(_ hosts: [SimulatedSiteHost], _ now: Moment, _ report: inout SiteReport) {
        guard let case_ = pending, case_.isClean else { return }
        let bound = case_.isHandover ? Self.handoverBound : Self.bound
        // Until a successor acts; an owner that came back in time is one, too.
        if hosts[case_.owner].acts(at: now), !case_.isHandover, hosts[case_.owner].reachesLog { return pending = nil }
        guard now - case_.since > bound else { return }
        pending = nil
        report.broken(
            "nobody took over within \(bound / 1_000_000) ms from host \(case_.owner), "
                + (case_.isHandover ? "which handed over" : "which fell"), at: now)
    }
}
