/// One thing that the doctor looked at: what was found, and what to do about it, in words that need no network expert.
package struct DoctorCheck: Hashable, Sendable, Codable {
    package enum Outcome: String, Hashable, Sendable, Codable, CaseIterable {
        case ok
        /// Worth knowing; nothing is wrong with it.
        case note
        /// Something works worse than it could.
        case warning
        /// Keeps rooms from being found, joined or hosted.
        case problem
    }

    /// The same in all versions: `multicast-in`. Programs go by it.
    package var id: String
    package var title: String
    package var outcome: Outcome
    /// With figures and units.
    package var found: String
    /// `nil` where there is nothing to do.
    package var advice: String?

    init(_ id: String, _ title: String, _ outcome: Outcome, _ found: String, advice: String? = nil) {
        self.id = id
        self.title = title
        self.outcome = outcome
        self.found = found
        self.advice = advice
    }
}
