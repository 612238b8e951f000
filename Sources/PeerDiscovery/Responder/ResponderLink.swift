/// Keeps a responder at hand: avahi-daemon wherever it answers, else one of our own, as the mode allows.
///
/// In `auto`, the daemon takes over when it appears: it is handed out first, so that what hangs on our own responder is
/// withdrawn with a goodbye before the daemon publishes it, and only then is our own closed. When the daemon goes, our
/// own responder takes its place until it is back.
@AvahiThread
final class ResponderLink {
    enum Change {
        /// This one takes orders from now on. What hung on the one before must be closed before this returns.
        case ready(any Responder)
        /// The responder is settling its own host name; what was published is to be published again afterwards.
        case busy
        /// There is none. What hung on the one before must be closed before this returns.
        case missing(reason: String)
    }

    enum Role {
        /// On one interface by name, or on all.
        case publishing(on: String?)
        case browsing(on: String?)
    }

    private let mode: DiscoveryMode
    private let role: Role
    private var changed: (Change) -> Void = { _ in }
    private var daemon: DaemonLink?
    private var embedded: EmbeddedLink?
    /// Whether something may hang on the daemon.
    private var daemonServes = false

    init(_ mode: DiscoveryMode, _ role: Role) {
        self.mode = mode
        self.role = role
    }

    func open(changed: @escaping (Change) -> Void) {
        self.changed = changed
        switch mode {
        case .none: changed(.missing(reason: "discovery is off"))
        case .embedded: openEmbedded()
        case .daemon, .auto:
            let daemon = DaemonLink { [weak self] in self?.daemonChanged($0) }
            self.daemon = daemon
            daemon.open()
        }
    }

    func close() {
        daemon?.close()
        daemon = nil
        embedded?.close()
        embedded = nil
    }

    private func daemonChanged(_ change: Change) {
        switch change {
        case .ready:
            daemonServes = true
            changed(change)
            embedded?.close()
            embedded = nil
        case .busy:
            if embedded == nil { changed(change) }
        case .missing(let reason):
            guard mode == .auto else { return changed(change) }
            // What our own responder serves does not hang on the daemon.
            guard embedded == nil else { return }
            if daemonServes { changed(.missing(reason: "avahi-daemon went away; a responder of our own takes over")) }
            daemonServes = false
            openEmbedded(otherwise: reason)
        }
    }

    private func openEmbedded(otherwise reason: String? = nil) {
        let embedded = EmbeddedLink(role) { [weak self] change in
            guard case .missing(let own) = change, let reason else { self?.changed(change); return }
            self?.changed(.missing(reason: "\(reason); and \(own)"))
        }
        self.embedded = embedded
        embedded.open()
    }
}
