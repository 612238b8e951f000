import WireProtocol

/// How a room's way to its site's broker stands: in `roomful peers`, the figures and the log.
package struct SiteStanding: Hashable, Sendable, Codable {
    package enum State: String, Hashable, Sendable, Codable {
        /// It is being tried for the first time.
        case connecting
        /// The broker takes what the room tells.
        case connected
        /// It cannot be reached, or takes nothing: events wait here.
        case away
    }

    package var site: String
    /// Its address, without secrets.
    package var broker: String
    package var state: State
    /// Why it is away, and what to do.
    package var problem: String?
    /// Since when it is as it is, seconds.
    package var forSeconds: Double
    /// Events that the broker has not yet confirmed.
    package var waiting: Int
    /// Their bytes.
    package var waitingBytes: Int
    /// Events that the broker confirmed since the room opened, and has not lost since.
    package var confirmed: Int
    /// Events that no stream will have: the broker was away for longer than what is kept for it, or has lost them.
    package var lost: Int
    /// How its host stands to the room, in words, where that can outlive it.
    package var ownership: String?
    /// Whether the room lets nobody in meanwhile, as another host may own it; `nil` where it cannot outlive its host.
    package var isSilent: Bool?

    package init(
        site: String, broker: String, state: State, problem: String? = nil, forSeconds: Double = 0, waiting: Int = 0,
        waitingBytes: Int = 0, confirmed: Int = 0, lost: Int = 0, ownership: String? = nil, isSilent: Bool? = nil
    ) {
        self.site = site
        self.broker = broker
        self.state = state
        self.problem = problem
        self.forSeconds = forSeconds
        self.waiting = waiting
        self.waitingBytes = waitingBytes
        self.confirmed = confirmed
        self.lost = lost
        self.ownership = ownership
        self.isSilent = isSilent
    }

    /// One line for people.
    package var line: String {
        let name = "site \"\(site)\" at \(broker)"
        let kept = waiting == 0 ? "" : ", \(plural(waiting, "event waits", "events wait")) here"
        let gone = lost == 0 ? "" : ", \(plural(lost, "is", "are")) in no stream"
        let owner = ownership.map { "; this host \($0)" } ?? ""
        return switch state {
        case .connecting: "\(name): connecting\(kept)\(owner)"
        case .connected:
            "\(name): connected, \(plural(confirmed, "event")) kept there\(waiting > 256 ? kept : "")\(gone)\(owner)"
        case .away:
            "\(name): away for \(Int64(saturating: forSeconds.rounded(.down))) s (\(problem ?? "no reason known")); the room \(isSilent == true ? "is silent" : "plays on")\(kept)\(gone)\(owner)"
        }
    }
}
