internal import CAvahi

/// Records in libavahi's hands, published or on their way to be, taken up and withdrawn together.
@AvahiThread
final class EntryGroup: AvahiObject, PublishedEntry {
    private let responder: any AvahiCalls
    private let stateChanged: (AvahiEntryGroupState) -> Void

    /// An empty group; `isOpen` is false if the responder gave none.
    ///
    /// `stateChanged` is called after the group's own commands have returned, and never once it is closed.
    init(_ responder: any AvahiCalls, stateChanged: @escaping (AvahiEntryGroupState) -> Void) {
        self.responder = responder
        self.stateChanged = stateChanged
        super.init(.entryGroup) { responder.freeGroup($0) }
        adopt(responder.newGroup(context))
    }

    /// Publishes the service.
    ///
    /// - Throws: `.collision` at once when the responder itself has a service of that name; a collision with another
    ///   machine is a change of state, later.
    func publish(_ service: PublishedService, at entry: ServiceEntry) throws(AvahiError) {
        guard let pointer else { throw .badState }
        try responder.add(entry, port: service.port, TXTStrings(service.strings), to: pointer)
        if let subtype = service.subtype { try responder.add(subtype: subtype, of: entry, to: pointer) }
        try responder.commit(pointer)
    }

    /// Replaces the TXT record of the service published there.
    func update(_ strings: [[UInt8]], of entry: ServiceEntry) throws(AvahiError) {
        guard let pointer else { throw .badState }
        try responder.update(TXTStrings(strings), of: entry, in: pointer)
    }

    /// How every callback of a group ends.
    nonisolated static func changed(_ context: UnsafeMutableRawPointer?, _ state: AvahiEntryGroupState) {
        guard let context else { return }
        let group = Unmanaged<EntryGroup>.fromOpaque(context).takeUnretainedValue()
        AvahiThread.later { if group.isOpen { group.stateChanged(state) } }
    }
}
