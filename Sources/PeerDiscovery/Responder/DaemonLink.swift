internal import CAvahi

/// Keeps a client of avahi-daemon at hand through the daemon's comings and goings.
///
/// A daemon that dies leaves its clients useless, so each one gets a new client; that one waits on the bus for the next
/// daemon to appear and costs nothing meanwhile. Only when there is no bus is it tried again, once a second.
@AvahiThread
final class DaemonLink {
    private static let retryInterval: Duration = .seconds(1)

    private let changed: (ResponderLink.Change) -> Void
    private var client: AvahiClient?
    private var retry: Task<Void, Never>?
    private var isClosed = false

    init(changed: @escaping (ResponderLink.Change) -> Void) {
        self.changed = changed
    }

    func open() {
        guard !isClosed else { return }
        let client = AvahiClient { [weak self] in self?.clientChanged($0) }
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
        switch state {
        case AVAHI_CLIENT_S_RUNNING: changed(.ready(client))
        case AVAHI_CLIENT_S_REGISTERING, AVAHI_CLIENT_S_COLLISION: changed(.busy)
        case AVAHI_CLIENT_CONNECTING: changed(.missing(reason: Self.advice(.noDaemon)))
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
