internal import CAvahi

/// What is published: everything but the name, which the network may change.
struct PublishedService {
    let port: UInt16
    var record: RoomRecord
    /// The name of the only interface to publish on; nil for all.
    let interface: String?
}

/// Keeps one room published: through collisions of its name, the daemon's restarts and its own changes.
@AvahiThread
final class Publication {
    /// Retried after this long when the daemon refuses for a reason of its own.
    private static let retryInterval: Duration = .seconds(5)
    /// Collisions in a row after which the retry interval is kept between attempts (RFC 6762, 9).
    private static let patience = 15

    private let reader: @Sendable (AdvertiserState) -> Void
    private var service: PublishedService
    private var name: String
    private var collisions = 0
    private var reported: AdvertiserState?
    private var client: AvahiClient?
    private var group: EntryGroup?
    private var retry: Task<Void, Never>?
    private lazy var link = DaemonLink { [weak self] in self?.linkChanged($0) }

    nonisolated init(_ service: PublishedService, name: RoomName, report: @escaping @Sendable (AdvertiserState) -> Void)
    {
        self.service = service
        self.name = name.text
        reader = report
    }

    func open() { link.open() }

    /// Withdraws the room. When this returns, the daemon has been told and nothing of ours is left in it.
    func close() {
        withdraw()
        client = nil
        link.close()
    }

    func update(_ record: RoomRecord) {
        guard record != service.record else { return }
        let sameLabel = service.record.game == record.game
        service.record = record
        guard let group, let index = interfaceIndex else { return }
        // A game label is a record of its own, and only a TXT record can be replaced in place.
        guard sameLabel, (try? group.update(record, of: name, interface: index)) != nil else { return publish() }
    }

    private func linkChanged(_ change: DaemonLink.Change) {
        withdraw()
        client = nil
        switch change {
        case .ready(let client):
            self.client = client
            publish()
        case .busy: report(.registering)
        case .missing(let reason): report(.daemonMissing(reason: reason))
        }
    }

    private func publish() {
        withdraw()
        guard let client else { return }
        report(.registering)
        guard let interfaceIndex else {
            return fail("there is no network interface named \(service.interface?.displayed ?? "")")
        }
        let group = EntryGroup(client) { [weak self] in self?.groupChanged($0) }
        self.group = group
        do {
            try group.publish(service, as: name, interface: interfaceIndex)
        } catch .collision {
            rename()
        } catch {
            fail("avahi-daemon refuses the room: \(error)")
        }
    }

    private func groupChanged(_ state: AvahiEntryGroupState) {
        switch state {
        case AVAHI_ENTRY_GROUP_ESTABLISHED:
            collisions = 0
            report(.published(name: name))
        case AVAHI_ENTRY_GROUP_COLLISION: rename()
        case AVAHI_ENTRY_GROUP_FAILURE:
            fail("avahi-daemon gave the room up: \(client?.error ?? .badState)")
        default: break
        }
    }

    /// The name is taken on this network: tries the next one, "Living Room #2".
    private func rename() {
        withdraw()
        collisions += 1
        guard let alternative = avahi_alternative_service_name(name) else { return fail("out of memory") }
        let taken = name
        name = String(cString: alternative)
        avahi_free(alternative)
        report(.renamed(from: taken, to: name))
        if collisions % Self.patience == 0 {
            retryLater()
        } else {
            AvahiThread.later { [weak self] in self?.publish() }
        }
    }

    private func fail(_ reason: String) {
        withdraw()
        report(.failed(reason: reason))
        retryLater()
    }

    /// Tells what became of the room, once.
    private func report(_ state: AdvertiserState) {
        guard state != reported else { return }
        reported = state
        reader(state)
    }

    private func withdraw() {
        retry?.cancel()
        retry = nil
        group?.close()
        group = nil
    }

    /// Owned by the publication and cancelled with it.
    private func retryLater() {
        retry = Task { [weak self] in
            try? await Task.sleep(for: Self.retryInterval)
            if !Task.isCancelled { self?.publish() }
        }
    }

    /// Nil if the interface asked for does not exist.
    private var interfaceIndex: AvahiIfIndex? {
        guard let interface = service.interface else { return AvahiIfIndex(AVAHI_IF_UNSPEC) }
        let index = if_nametoindex(interface)
        return index == 0 ? nil : AvahiIfIndex(index)
    }
}
