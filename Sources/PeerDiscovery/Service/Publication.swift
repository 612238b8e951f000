internal import CAvahi

/// Keeps one service published: through collisions of its name, the responder's comings and goings and its own changes.
@AvahiThread
final class Publication {
    /// Retried after this long when the responder refuses for a reason of its own.
    private static let retryInterval: Duration = .seconds(5)
    /// Collisions in a row after which the retry interval is kept between attempts (RFC 6762, 9). The same interval is
    /// waited for a publication that nobody answers: probing takes a second.
    private static let patience = 15
    /// A name that was lost is probed for again so much later: longer than a responder puts an answer off (RFC 6762, 6, up
    /// to 120 ms), so that nothing of what was published before is heard by the next probe.
    private static let settling: Duration = .milliseconds(250)

    private let mode: DiscoveryMode
    private let reader: @Sendable (AdvertiserState) -> Void
    private var service: PublishedService
    private var name: String
    private var collisions = 0
    private var reported: AdvertiserState?
    private var responder: (any Responder)?
    private var published: (any PublishedEntry)?
    /// Whether nobody had the name when it was probed for.
    private var isEstablished = false
    /// The TXT record that is published, or on its way to be.
    private var told: [[UInt8]] = []
    /// The number of the interface that it is published on.
    private var publishedOn: AvahiIfIndex?
    private var retry: Task<Void, Never>?
    private lazy var link = ResponderLink(
        mode, ResponderRequest.Role(publishes: true, interface: service.interface))

    nonisolated init(
        _ service: PublishedService, name: RoomName, mode: DiscoveryMode,
        report: @escaping @Sendable (AdvertiserState) -> Void
    ) {
        self.service = service
        self.name = name.text
        self.mode = mode
        reader = report
    }

    func open() { link.open { [weak self] in self?.linkChanged($0) } }

    /// Withdraws the service. When this returns, the responder has been told and nothing of ours is left in it.
    func close() {
        withdraw()
        responder = nil
        link.close()
    }

    /// Replaces the TXT record and the subtype.
    func update(strings: [[UInt8]], subtype: String?) {
        guard strings != service.strings || subtype != service.subtype else { return }
        let sameSubtype = service.subtype == subtype
        service.strings = strings
        service.subtype = subtype
        guard published != nil else { return }
        // A subtype is a record of its own, and only a TXT record can be replaced in place.
        guard sameSubtype else { return publish() }
        // While a name is probed for on two interfaces of one network, the record before, heard by the other, would be
        // another machine's.
        if isEstablished { tellRecord() }
    }

    /// Replaces the TXT record, where it is another by now.
    private func tellRecord() {
        guard let published, let entry, service.strings != told else { return }
        guard (try? published.update(service.strings, of: entry)) != nil else { return publish() }
        told = service.strings
    }

    private func linkChanged(_ change: ResponderLink.Change) {
        withdraw()
        responder = nil
        switch change {
        case .ready(let responder):
            self.responder = responder
            report(.serving(responder.backend))
            publish()
        case .busy: report(.registering)
        case .missing(let reason): report(.daemonMissing(reason: reason))
        }
    }

    private func publish() {
        withdraw()
        guard let responder else { return }
        report(.registering)
        guard let entry else {
            return fail("there is no network interface named \(service.interface?.displayed ?? "")")
        }
        do throws(AvahiError) {
            publishedOn = entry.interface
            told = service.strings
            published = try responder.publish(service, at: entry) { [weak self] in self?.became($0) }
            // An interface that went down meanwhile takes the answer with it.
            retryLater(after: Self.retryInterval)
        } catch {
            guard error != .collision else { return rename() }
            fail("the \(responder.backend) refuses it: \(error)")
        }
    }

    private func became(_ news: EntryNews) {
        switch news {
        case .established:
            retry?.cancel()
            retry = nil
            collisions = 0
            isEstablished = true
            report(.published(name: name))
            keepToInterface()
            tellRecord()
        case .collision: if isEstablished { probeAgain() } else { rename() }
        case .failed(let error): fail("discovery gave it up: \(error)")
        }
    }

    /// What was ours is disputed, perhaps by ourselves: a machine with two interfaces in one network hears on the one what
    /// it has just said on the other. Probing shows whether another has the name (RFC 6762, 9).
    private func probeAgain() {
        withdraw()
        report(.registering)
        retryLater(after: Self.settling)
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
        if collisions >= Self.patience {
            retryLater(after: Self.retryInterval)
        } else {
            AvahiThread.later { [weak self] in self?.publish() }
        }
    }

    private func fail(_ reason: String) {
        withdraw()
        report(.failed(reason: reason))
        retryLater(after: Self.retryInterval)
    }

    /// Tells what became of the service, once.
    private func report(_ state: AdvertiserState) {
        guard state != reported else { return }
        reported = state
        reader(state)
    }

    private func withdraw() {
        retry?.cancel()
        retry = nil
        published?.close()
        published = nil
        isEstablished = false
    }

    /// Owned by the publication and cancelled with it.
    private func retryLater(after wait: Duration) {
        retry = Task { [weak self] in
            try? await Task.sleep(for: wait)
            if !Task.isCancelled { self?.publish() }
        }
    }

    /// An interface that went away and came back bears the same name and another number: avahi-daemon, which goes by
    /// the number, says nothing of it, and publishes no more.
    private func keepToInterface() {
        guard let interface = service.interface, let publishedOn else { return }
        retry = Task { [weak self] in
            while (try? await Task.sleep(for: Self.retryInterval)) != nil {
                guard AvahiIfIndex(if_nametoindex(interface)) == publishedOn else {
                    self?.publish()
                    return
                }
            }
        }
    }

    /// Nil if the interface asked for does not exist.
    private var entry: ServiceEntry? {
        var index = AvahiIfIndex(AVAHI_IF_UNSPEC)
        if let interface = service.interface {
            let found = if_nametoindex(interface)
            guard found != 0 else { return nil }
            index = AvahiIfIndex(found)
        }
        return ServiceEntry(name: name, type: service.type, interface: index)
    }
}
