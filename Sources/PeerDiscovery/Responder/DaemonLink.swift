internal import CAvahi

/// Keeps a client of avahi-daemon at hand through the daemon's comings and goings.
///
/// A daemon that dies leaves its clients useless, so each one gets a new client; that one waits on the bus for the next
/// daemon to appear and costs nothing meanwhile. Only when there is no bus is it tried again, once a second, and where
/// the daemon hung: that one is there already, and nobody tells when it goes on.
@AvahiThread
final class DaemonLink {
    private static let retryInterval: Duration = .seconds(1)
    /// A daemon that has not answered for so long hangs: D-Bus waits for 25 s, and not at all where there is none.
    private static let patience: Duration = .seconds(10)

    private let asksHanging: Bool
    private let changed: (ResponderLink.Change) -> Void
    private var client: AvahiClient?
    private var retry: Task<Void, Never>?
    private var isClosed = false
    /// The daemon did not answer when the client was made.
    private var hangs = false

    /// - Parameter asksHanging: whether a daemon that hung is asked again. Each time that holds up Avahi's thread for
    ///   as long as D-Bus waits, so not where another responder works there.
    init(asksHanging: Bool, changed: @escaping (ResponderLink.Change) -> Void) {
        self.asksHanging = asksHanging
        self.changed = changed
    }

    func open() {
        guard !isClosed else { return }
        // One that waits for a daemon which hangs.
        self.client?.close()
        self.client = nil
        let began = ContinuousClock.now
        let client = AvahiClient { [weak self] in self?.clientChanged($0) }
        hangs = ContinuousClock.now - began > Self.patience
        guard client.isOpen else {
            changed(.missing(reason: Self.advice(client.error)))
            return retryLater()
        }
        self.client = client
    }

    func close() {
        isClosed = true
        retry?.cancel()
        retry = nil
        client?.close()
        client = nil
    }

    private func clientChanged(_ state: AvahiClientState) {
        guard let client else { return }
        retry?.cancel()
        retry = nil
        switch state {
        case AVAHI_CLIENT_S_RUNNING: changed(.ready(client))
        case AVAHI_CLIENT_S_REGISTERING, AVAHI_CLIENT_S_COLLISION: changed(.busy)
        case AVAHI_CLIENT_CONNECTING:
            changed(.missing(reason: Self.advice(.noDaemon)))
            if hangs, asksHanging { retryLater() }
        default: replace(client)
        }
    }

    private func replace(_ client: AvahiClient) {
        changed(.missing(reason: Self.advice(client.error)))
        client.close()
        self.client = nil
        retryLater()
    }

    /// Owned by the link and cancelled with it. It waits on a monotonic clock, which Avahi's own timeouts do not.
    private func retryLater() {
        retry = Task { [weak self] in
            try? await Task.sleep(for: Self.retryInterval)
            if !Task.isCancelled { self?.open() }
        }
    }

    private static func advice(_ error: AvahiError) -> String {
        switch error {
        case .noDaemon, .disconnected, .noBus:  // A missing bus mostly calls itself a missing daemon.
            "avahi-daemon does not answer; start it with: sudo systemctl start dbus avahi-daemon"
        default:
            "avahi-daemon refuses: \(error)"
        }
    }
}
