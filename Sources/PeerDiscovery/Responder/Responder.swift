internal import CAvahi

/// Who asks and answers on the network for us: avahi-daemon, or a responder in this process.
///
/// Both speak one language, of which this is the vocabulary, function by function of C. Whatever was made here is freed
/// before its responder is closed.
@AvahiThread
protocol Responder: AnyObject {
    nonisolated var backend: DiscoveryBackend { get }
    /// The last thing that went wrong.
    var error: AvahiError { get }

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

/// The place of a service's records: its name, its type, and the interface that it is told on.
struct ServiceEntry {
    let name: String
    let type: String
    let interface: AvahiIfIndex
}
