internal import CAvahi

/// libavahi-core's responder, for machines without avahi-daemon. Only a responder's process has one (``ResponderService``).
///
/// It speaks for one program only: it answers for one host name of its own, made at random, and publishes neither the
/// machine's host name nor reverse records. So any number of them, and a daemon too, live on one machine without
/// disputing one another's records.
@AvahiThread
final class EmbeddedServer: AvahiObject {
    /// The host that its services live on: `roomful-3fa2c1d0.local`.
    let hostName: String
    private let stateChanged: (AvahiServerState) -> Void
    private var openingError: CInt = 0

    /// `isOpen` is false if libavahi-core is not there, or refuses. `stateChanged` is called after this has returned, and
    /// never once the server is closed.
    ///
    /// - Parameter interface: the name of the only one to speak on; nil for all that carry multicast.
    init(interface: String?, stateChanged: @escaping (AvahiServerState) -> Void) {
        let label = "roomful-" + String(UInt32.random(in: 0x1000_0000 ... .max), radix: 16)
        hostName = "\(label).\(domain)"
        self.stateChanged = stateChanged
        super.init(.server) { avahi_core_server_free($0) }
        guard avahi_core_problem() == nil else { return }
        adopt(avahi_core_server_new(AvahiThread.poll, label, interface, serverChanged, context, &openingError))
    }

    /// Why there can be no server, in a line for people; nil if there can.
    nonisolated static var problem: String? { avahi_core_problem().map { String(cString: $0) } }

    /// The last thing that went wrong.
    var error: AvahiError { AvahiError(code: pointer.map { avahi_core_server_errno($0) } ?? openingError) }

    /// Adds an address of this machine to the records of ``hostName``.
    func add(_ address: MachineAddress, to group: OpaquePointer) throws(AvahiError) {
        guard let pointer else { throw .badState }
        var avahi = AvahiAddress(address.address)
        try AvahiError.check(
            avahi_core_add_address(pointer, group, AvahiIfIndex(address.interface), hostName, &avahi))
    }

    fileprivate func changed(_ state: AvahiServerState) {
        if isOpen { stateChanged(state) }
    }
}

extension EmbeddedServer: AvahiCalls {
    nonisolated var backend: DiscoveryBackend { .embedded }

    func newGroup(_ context: UnsafeMutableRawPointer) -> OpaquePointer? {
        pointer.flatMap { avahi_core_group_new($0, groupChanged, context) }
    }

    func freeGroup(_ group: OpaquePointer) { avahi_core_group_free(group) }

    func add(_ entry: ServiceEntry, port: UInt16, _ strings: TXTStrings, to group: OpaquePointer) throws(AvahiError) {
        try check {
            avahi_core_add_service(
                $0, group, entry.interface, entry.name, entry.type, domain, hostName, port, strings.list)
        }
    }

    func add(subtype: String, of entry: ServiceEntry, to group: OpaquePointer) throws(AvahiError) {
        try check { avahi_core_add_subtype($0, group, entry.interface, entry.name, entry.type, domain, subtype) }
    }

    func update(_ strings: TXTStrings, of entry: ServiceEntry, in group: OpaquePointer) throws(AvahiError) {
        try check { avahi_core_update_txt($0, group, entry.interface, entry.name, entry.type, domain, strings.list) }
    }

    func commit(_ group: OpaquePointer) throws(AvahiError) { try AvahiError.check(avahi_core_group_commit(group)) }

    func newBrowser(type: String, _ context: UnsafeMutableRawPointer) -> OpaquePointer? {
        pointer.flatMap { avahi_core_browser_new($0, type, domain, coreBrowserHeard, context) }
    }

    func freeBrowser(_ browser: OpaquePointer) { avahi_core_browser_free(browser) }

    func newResolver(_ sighting: Sighting, type: String, _ context: UnsafeMutableRawPointer) -> OpaquePointer? {
        pointer.flatMap {
            avahi_core_resolver_new(
                $0, AvahiIfIndex(clamping: sighting.interface), sighting.version.avahi, sighting.instance.text, type,
                domain,
                coreResolverHeard, context)
        }
    }

    func freeResolver(_ resolver: OpaquePointer) { avahi_core_resolver_free(resolver) }

    nonisolated var handsOutStringsReversed: Bool { true }

    private func check(_ call: (OpaquePointer) -> CInt) throws(AvahiError) {
        guard let pointer else { throw .badState }
        try AvahiError.check(call(pointer))
    }
}

private func serverChanged(_: OpaquePointer?, _ state: AvahiServerState, _ context: UnsafeMutableRawPointer?) {
    guard let context else { return }
    let server = Unmanaged<EmbeddedServer>.fromOpaque(context).takeUnretainedValue()
    AvahiThread.later { server.changed(state) }
}

private func groupChanged(
    _: OpaquePointer?, _: OpaquePointer?, _ state: AvahiEntryGroupState, _ context: UnsafeMutableRawPointer?
) {
    EntryGroup.changed(context, state)
}

private let coreBrowserHeard: avahi_core_browser_told = { browserHeard($0, $1, $2, $3, $4, $5, $6, $7, $8) }
private let coreResolverHeard: avahi_core_resolver_told = {
    resolverHeard($0, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
}
