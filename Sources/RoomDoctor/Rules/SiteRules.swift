/// Whether rooms of this machine that belong to a site reach its broker.
extension DoctorFacts {
    /// None where no room belongs to a site.
    var siteChecks: [DoctorCheck] {
        func check(_ outcome: DoctorCheck.Outcome, _ sites: [OwnSite], _ advice: String? = nil) -> DoctorCheck {
            let found = sites.map { "\"\($0.room)\": \($0.line)." }.joined(separator: " ")
            return DoctorCheck("site", "Rooms reach their site's broker", outcome, found, advice: advice)
        }
        guard !sites.isEmpty else { return [] }
        let back = "Look whether nats-server runs there, and whether this machine reaches it"
        let silent = sites.filter(\.isSilent)
        if !silent.isEmpty {
            return [
                check(
                    .problem, silent,
                    "Nobody can join or play while it waits, as a standby may own the room. \(back); with "
                        + "--when-cut play a room never waits, and is taken over by hand alone.")
            ]
        }
        let away = sites.filter { !$0.isConnected }
        if away.isEmpty { return [check(.ok, sites)] }
        return [check(.warning, away, "\(back): until then the site hears nothing of it, and commands do not come.")]
    }
}
