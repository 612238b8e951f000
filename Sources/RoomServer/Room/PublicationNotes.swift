import Connections
import PeerDiscovery

/// Keeps what became of the room's advertisement, for the operator.
struct PublicationNotes: Sendable {
    /// Nobody was asked to advertise the room.
    var isOff = false
    private var backend: DiscoveryBackend?
    private var state: AdvertiserState?
    /// The name that another room bears, for which ours was renamed.
    private var taken: String?

    /// In one line: who publishes the room, under which name, or why nobody does.
    var line: String {
        guard !isOff else { return "not advertised (discovery is off)" }
        guard let state else { return "not advertised yet" }
        let by = backend.map { " by \($0)" } ?? ""
        return switch state {
        case .serving, .registering: "being published\(by)"
        case .published(let name):
            "published as \"\(name)\"\(by)" + (taken.map { " (another room is called \"\($0)\")" } ?? "")
        case .renamed(let old, let new): "another room is called \"\(old)\": renamed to \"\(new)\""
        case .daemonMissing(let reason), .failed(let reason): "not published: \(reason)"
        }
    }

    /// The same as one word for pages, which say it in their reader's language: `off`, `pending`, `published`, `failed`.
    var word: String {
        guard !isOff else { return "off" }
        return switch state {
        case nil, .serving, .registering: "pending"
        case .published, .renamed: "published"
        case .daemonMissing, .failed: "failed"
        }
    }

    /// Takes in what happened, and says how things stand now.
    mutating func note(_ state: AdvertiserState) -> String {
        switch state {
        case .serving(let backend): self.backend = backend
        case .daemonMissing: backend = nil
        case .renamed(let old, _): taken = taken ?? old
        case .registering, .published, .failed: break
        }
        self.state = state
        return line
    }
}
