internal import CAvahi

/// Keeps libavahi-core's responder running, and the addresses that it tells of true. Lives in a responder's process.
///
/// libavahi-core would publish addresses by itself, but only with the machine's reverse records, over which it would
/// quarrel with every other responder of the machine. So the addresses are ours to publish, and to look after.
@AvahiThread
final class EmbeddedLink {
    /// Addresses are looked at this often: a cable or a network that changes is noticed as soon.
    private static let lookInterval: Duration = .seconds(2)
    /// A server that failed is started anew after this.
    private static let retryInterval: Duration = .seconds(5)
    private static let shortestBackoff: Duration = .milliseconds(100)

    private let role: ResponderRequest.Role
    private let changed: (ResponderLink.Change) -> Void
    private var server: EmbeddedServer?
    private var host: EntryGroup?
    private var addresses: [MachineAddress] = []
    private var backoff = shortestBackoff
    private var isReady = false
    private var isClosed = false
    private var work: Task<Void, Never>?

    init(_ role: ResponderRequest.Role, changed: @escaping (ResponderLink.Change) -> Void) {
        self.role = role
        self.changed = changed
    }

    func open() {
        guard !isClosed else { return }
        if let problem = EmbeddedServer.problem { return changed(.missing(reason: problem)) }
        let server = EmbeddedServer(interface: role.interface) { [weak self] in self?.serverChanged($0) }
        self.server = server
        if !server.isOpen { fail(server.error) }
    }

    func close() {
        isClosed = true
        drop()
    }

    private func serverChanged(_ state: AvahiServerState) {
        guard let server else { return }
        switch state {
        case AVAHI_SERVER_RUNNING:
            if role.publishes { publishAddresses() } else { becomeReady() }
        case AVAHI_SERVER_FAILURE: fail(server.error)
        default: break  // It has no host name of its own to be busy with.
        }
    }

    private func fail(_ error: AvahiError) {
        changed(.missing(reason: "no responder can run: \(error)"))
        drop()
        later(Self.retryInterval) { $0.open() }
    }

    private func publishAddresses() {
        guard let server else { return }
        host?.close()
        host = nil
        // What was published before may have been lost with an interface: it is published again afterwards.
        isReady = false
        addresses = MachineAddress.all(on: role.interface)
        later(Self.lookInterval) { $0.lookAgain() }
        guard !addresses.isEmpty else {
            return changed(.missing(reason: "no network interface has an address; connect to a network"))
        }
        let group = EntryGroup(server) { [weak self] in self?.hostChanged($0) }
        host = group
        guard let pointer = group.pointer else { return fail(server.error) }
        do {
            for address in addresses { try server.add(address, to: pointer) }
            try server.commit(pointer)
        } catch {
            return fail(error)
        }
        // Services need not wait for their host's addresses: both are probed for in the same second.
        becomeReady()
    }

    private func hostChanged(_ state: AvahiEntryGroupState) {
        switch state {
        case AVAHI_ENTRY_GROUP_ESTABLISHED: backoff = Self.shortestBackoff
        case AVAHI_ENTRY_GROUP_COLLISION, AVAHI_ENTRY_GROUP_FAILURE:
            // Another host has drawn the same name, or claims whatever we draw: a new server draws another, after a while
            // that grows.
            changed(.missing(reason: "another device claims this machine's name; another name is being tried"))
            drop()
            later(backoff) { $0.open() }
            backoff = min(backoff * 2, Self.retryInterval)
        default: break
        }
    }

    private func lookAgain() {
        if MachineAddress.all(on: role.interface) != addresses { return publishAddresses() }
        later(Self.lookInterval) { $0.lookAgain() }
    }

    private func becomeReady() {
        guard let server, !isReady else { return }
        isReady = true
        changed(.ready(server))
    }

    private func drop() {
        isReady = false
        work?.cancel()
        work = nil
        host?.close()
        host = nil
        server?.close()
        server = nil
    }

    /// Owned by the link and cancelled with it.
    private func later(_ wait: Duration, _ body: @escaping @AvahiThread (EmbeddedLink) -> Void) {
        work?.cancel()
        work = Task { [weak self] in
            try? await Task.sleep(for: wait)
            if !Task.isCancelled, let self { body(self) }
        }
    }
}
