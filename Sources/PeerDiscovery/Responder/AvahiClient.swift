internal import CAvahi

/// One connection to avahi-daemon over D-Bus.
@AvahiThread
final class AvahiClient: AvahiObject {
    private let stateChanged: (AvahiClientState) -> Void
    /// Why there is no connection at all.
    private var openingError: CInt = 0

    /// Connects, or waits for a daemon that is not there yet; without a bus, `isOpen` stays false.
    ///
    /// `stateChanged` is called after this has returned, and never once the client is closed.
    init(stateChanged: @escaping (AvahiClientState) -> Void) {
        self.stateChanged = stateChanged
        super.init(.client) { avahi_client_free($0) }
        adopt(avahi_client_new(AvahiThread.poll, AVAHI_CLIENT_NO_FAIL, clientChanged, context, &openingError))
    }

    /// The last thing that went wrong.
    var error: AvahiError { AvahiError(code: pointer.map { avahi_client_errno($0) } ?? openingError) }

    fileprivate func changed(_ state: AvahiClientState) {
        if isOpen { stateChanged(state) }
    }
}

extension AvahiClient: AvahiCalls {
    nonisolated var backend: DiscoveryBackend { .daemon }

    func newGroup(_ context: UnsafeMutableRawPointer) -> OpaquePointer? {
        pointer.flatMap { avahi_entry_group_new($0, groupChanged, context) }
    }

    func freeGroup(_ group: OpaquePointer) { avahi_entry_group_free(group) }

    func add(_ entry: ServiceEntry, port: UInt16, _ strings: TXTStrings, to group: OpaquePointer) throws(AvahiError) {
        try AvahiError.check(
            avahi_entry_group_add_service_strlst(
                group, entry.interface, anyProtocol, noFlags, entry.name, entry.type, domain, nil, port, strings.list))
    }

    func add(subtype: String, of entry: ServiceEntry, to group: OpaquePointer) throws(AvahiError) {
        try AvahiError.check(
            avahi_entry_group_add_service_subtype(
                group, entry.interface, anyProtocol, noFlags, entry.name, entry.type, domain, subtype))
    }

    func update(_ strings: TXTStrings, of entry: ServiceEntry, in group: OpaquePointer) throws(AvahiError) {
        try AvahiError.check(
            avahi_entry_group_update_service_txt_strlst(
                group, entry.interface, anyProtocol, noFlags, entry.name, entry.type, domain, strings.list))
    }

    func commit(_ group: OpaquePointer) throws(AvahiError) {
        try AvahiError.check(avahi_entry_group_commit(group))
    }

    func newBrowser(type: String, _ context: UnsafeMutableRawPointer) -> OpaquePointer? {
        pointer.flatMap {
            avahi_service_browser_new(
                $0, AvahiIfIndex(AVAHI_IF_UNSPEC), anyProtocol, type, domain, noLookupFlags, browserHeard, context)
        }
    }

    func freeBrowser(_ browser: OpaquePointer) { avahi_service_browser_free(browser) }

    func newResolver(_ sighting: Sighting, type: String, _ context: UnsafeMutableRawPointer) -> OpaquePointer? {
        let version = sighting.version.avahi
        return pointer.flatMap {
            avahi_service_resolver_new(
                $0, AvahiIfIndex(clamping: sighting.interface), version, sighting.instance.text, type, domain, version,
                noLookupFlags, resolverHeard, context)
        }
    }

    func freeResolver(_ resolver: OpaquePointer) { avahi_service_resolver_free(resolver) }

    nonisolated var handsOutStringsReversed: Bool { false }
}

private func clientChanged(_: OpaquePointer?, _ state: AvahiClientState, _ context: UnsafeMutableRawPointer?) {
    guard let context else { return }
    let client = Unmanaged<AvahiClient>.fromOpaque(context).takeUnretainedValue()
    AvahiThread.later { client.changed(state) }
}

private func groupChanged(_: OpaquePointer?, _ state: AvahiEntryGroupState, _ context: UnsafeMutableRawPointer?) {
    EntryGroup.changed(context, state)
}

private let anyProtocol = AvahiProtocol(AVAHI_PROTO_UNSPEC)
private let noFlags = AvahiPublishFlags(rawValue: 0)
/// Not `AVAHI_LOOKUP_USE_MULTICAST`, with which a name that is an alias of itself ends avahi-daemon 0.8
/// (CVE-2026-24401). Names below .local are looked up by multicast without it.
private let noLookupFlags = AvahiLookupFlags(rawValue: 0)
