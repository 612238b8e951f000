/// Keeps a responder at hand: avahi-daemon wherever it answers, else one of our own, as the mode allows.
///
/// In `auto`, the daemon takes over when it appears: what hangs on our own responder is withdrawn with a goodbye first,
/// its process ends, and only then is the daemon handed out, which would else dispute its names. When the daemon goes, a
/// responder of our own takes its place until it is back. Whether the daemon died or was stopped cannot be told from the
/// bus, and need not be: what killed it can kill no more than that responder's process.
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

    private let mode: DiscoveryMode
    private let role: ResponderRequest.Role
    private var changed: (Change) -> Void = { _ in }
    private var daemon: DaemonLink?
    private var embedded: ProcessLink?
    /// Whether something may hang on the daemon.
    private var daemonServes = false
    /// The daemon, while our own responder still says its goodbyes.
    private var successor: Change?

    init(_ mode: DiscoveryMode, _ role: ResponderRequest.Role) {
        self.mode = mode
        self.role = role
    }

    func open(changed: @escaping (Change) -> Void) {
        self.changed = changed
        switch mode {
        case .none: changed(.missing(reason: "discovery is off"))
        case .embedded: openEmbedded()
        case .daemon, .auto:
            let daemon = DaemonLink(asksHanging: mode == .daemon) { [weak self] in self?.daemonChanged($0) }
            self.daemon = daemon
            daemon.open()
        }
    }

    func close() {
        successor = nil
        daemon?.close()
        daemon = nil
        embedded?.close()
        embedded = nil
    }

    private func daemonChanged(_ change: Change) {
        successor = nil
        switch change {
        case .ready:
            daemonServes = true
            guard let embedded else { return changed(change) }
            changed(.busy)
            self.embedded = nil
            successor = change
            embedded.close { [weak self] in self?.handOver() }
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

    private func handOver() {
        guard let successor else { return }
        self.successor = nil
        changed(successor)
    }

    private func openEmbedded(otherwise reason: String? = nil) {
        let embedded = ProcessLink(role) { [weak self] change in
            guard case .missing(let own) = change, let reason else { self?.changed(change); return }
            self?.changed(.missing(reason: "\(reason); and \(own)"))
        }
        self.embedded = embedded
        embedded.open()
    }
}
