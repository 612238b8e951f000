internal import CAvahi

/// A service published, or on its way to be: its SRV, TXT and PTR records, taken up and withdrawn together.
@AvahiThread
final class EntryGroup: AvahiObject {
    private let stateChanged: (AvahiEntryGroupState) -> Void

    /// An empty group; `isOpen` is false if the daemon gave none.
    ///
    /// `stateChanged` is called after the group's own commands have returned, and never once it is closed.
    init(_ client: AvahiClient, stateChanged: @escaping (AvahiEntryGroupState) -> Void) {
        self.stateChanged = stateChanged
        super.init(.entryGroup) { avahi_entry_group_free($0) }
        if let client = client.pointer { adopt(avahi_entry_group_new(client, groupChanged, context)) }
    }

    /// Publishes the service under a name.
    ///
    /// - Throws: `.collision` at once when the daemon itself has a service of that name; a collision with another machine
    ///   is a change of state, later.
    func publish(_ service: PublishedService, as name: String, interface: AvahiIfIndex) throws(AvahiError) {
        guard let pointer else { throw .badState }
        let strings = TXTStrings(service.record.strings)
        try AvahiError.check(
            avahi_entry_group_add_service_strlst(
                pointer, interface, anyProtocol, noFlags, name, serviceType, domain, nil, service.port, strings.list))
        if let subtype = service.record.game?.subtype {
            try AvahiError.check(
                avahi_entry_group_add_service_subtype(
                    pointer, interface, anyProtocol, noFlags, name, serviceType, domain, subtype))
        }
        try AvahiError.check(avahi_entry_group_commit(pointer))
    }

    /// Replaces the TXT record of the service published under that name.
    func update(_ record: RoomRecord, of name: String, interface: AvahiIfIndex) throws(AvahiError) {
        guard let pointer else { throw .badState }
        let strings = TXTStrings(record.strings)
        try AvahiError.check(
            avahi_entry_group_update_service_txt_strlst(
                pointer, interface, anyProtocol, noFlags, name, serviceType, domain, strings.list))
    }

    fileprivate func changed(_ state: AvahiEntryGroupState) {
        if isOpen { stateChanged(state) }
    }
}

private func groupChanged(_: OpaquePointer?, _ state: AvahiEntryGroupState, _ context: UnsafeMutableRawPointer?) {
    guard let context else { return }
    let group = Unmanaged<EntryGroup>.fromOpaque(context).takeUnretainedValue()
    AvahiThread.later { group.changed(state) }
}

private let anyProtocol = AvahiProtocol(AVAHI_PROTO_UNSPEC)
private let noFlags = AvahiPublishFlags(rawValue: 0)
