internal import CAvahi

/// What libavahi-client and libavahi-core both offer, function by function of C: a responder is made of it once for both.
///
/// Whatever was made here is freed before its client or server is closed.
@AvahiThread
protocol AvahiCalls: Responder {
    /// An empty group of records; `context` is an ``EntryGroup``.
    func newGroup(_ context: UnsafeMutableRawPointer) -> OpaquePointer?
    func freeGroup(_ group: OpaquePointer)
    func add(_ entry: ServiceEntry, port: UInt16, _ strings: TXTStrings, to group: OpaquePointer) throws(AvahiError)
    func add(subtype: String, of entry: ServiceEntry, to group: OpaquePointer) throws(AvahiError)
    func update(_ strings: TXTStrings, of entry: ServiceEntry, in group: OpaquePointer) throws(AvahiError)
    func commit(_ group: OpaquePointer) throws(AvahiError)

    /// Listens for announcements of a DNS-SD type or subtype; `context` is a ``ServiceBrowser``.
    func newBrowser(type: String, _ context: UnsafeMutableRawPointer) -> OpaquePointer?
    func freeBrowser(_ browser: OpaquePointer)
    /// Asks where an announcement leads; `context` is a ``ServiceResolver``.
    func newResolver(_ sighting: Sighting, type: String, _ context: UnsafeMutableRawPointer) -> OpaquePointer?
    func freeResolver(_ resolver: OpaquePointer)

    /// Whether its resolvers hand out a TXT record back to front.
    nonisolated var handsOutStringsReversed: Bool { get }
}

extension AvahiCalls {
    func publish(
        _ service: PublishedService, at entry: ServiceEntry, became: @escaping (EntryNews) -> Void
    ) throws(AvahiError) -> any PublishedEntry {
        let group = EntryGroup(self) { [weak self] state in
            switch state {
            case AVAHI_ENTRY_GROUP_ESTABLISHED: became(.established)
            case AVAHI_ENTRY_GROUP_COLLISION: became(.collision)
            case AVAHI_ENTRY_GROUP_FAILURE: became(.failed(self?.error ?? .badState))
            default: break
            }
        }
        do throws(AvahiError) {
            try group.publish(service, at: entry)
        } catch {
            group.close()
            throw error
        }
        return group
    }

    func browse(type: String, heard: @escaping (BrowserNews) -> Void) -> (any ResponderTask)? {
        let browser = ServiceBrowser(self, type: type, happened: heard)
        return browser.isOpen ? browser : nil
    }

    func resolve(
        _ sighting: Sighting, type: String, answered: @escaping (Resolution?) -> Void
    ) -> (any ResponderTask)? {
        let resolver = ServiceResolver(self, sighting, type: type, answered: answered)
        return resolver.isOpen ? resolver : nil
    }
}

/// The place of a service's records: its name, its type, and the interface that it is told on.
struct ServiceEntry {
    let name: String
    let type: String
    let interface: AvahiIfIndex
}
