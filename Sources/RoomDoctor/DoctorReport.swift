import WireProtocol

/// What the doctor says about a machine and its network: every check, in the order in which to read them.
package struct DoctorReport: Hashable, Sendable, Codable {
    /// Whether nothing keeps rooms from being found, joined or hosted. Notes and warnings do not.
    package var ok: Bool
    package var checks: [DoctorCheck]

    package init(checks: [DoctorCheck]) {
        self.checks = checks
        ok = !checks.contains { $0.outcome == .problem }
    }

    /// Judges what was found. Pure: the same facts give the same words.
    package init(_ facts: DoctorFacts) {
        let checks = [
            facts.interfaceCheck, facts.portCheck, facts.multicastOutCheck, facts.multicastInCheck,
            facts.respondersCheck, facts.neighboursCheck, facts.daemonCheck, facts.backendCheck, facts.ownRoomCheck,
            facts.clockCheck, facts.receiveBufferCheck, facts.descriptorCheck, facts.sodiumCheck, facts.avahiCoreCheck,
            facts.stateCheck,
        ]
        let told = facts.datagramChecks + facts.standstillChecks + facts.certificateChecks + facts.siteChecks
        self.init(checks: checks + told)
    }

    /// The whole in one sentence.
    package var summary: String {
        func count(_ outcome: DoctorCheck.Outcome) -> Int { checks.count { $0.outcome == outcome } }
        let (problems, warnings) = (count(.problem), count(.warning))
        if problems > 0 {
            let names = checks.filter { $0.outcome == .problem }.map(\.title).joined(separator: ", ")
            return "\(plural(problems, "problem")): \(names)."
        }
        return warnings > 0
            ? "Nothing keeps rooms from being found or joined; \(plural(warnings, "warning"))." : "All is well."
    }
}
