/// Who asks and answers on the network for us: avahi-daemon, or a responder of our own in its process.
///
/// Whatever was asked of one is closed before it is. Nobody is called from within an order, nor after it was closed.
@AvahiThread
protocol Responder: AnyObject {
    nonisolated var backend: DiscoveryBackend { get }
    /// The last thing that went wrong.
    var error: AvahiError { get }

    /// Publishes a service.
    ///
    /// - Throws: `.collision` at once when the responder itself is known to have a service of that name; a collision
    ///   with another machine is told later.
    func publish(
        _ service: PublishedService, at entry: ServiceEntry, became: @escaping (EntryNews) -> Void
    ) throws(AvahiError) -> any PublishedEntry

    /// Listens for announcements of a DNS-SD type or subtype; nil if the responder refuses.
    func browse(type: String, heard: @escaping (BrowserNews) -> Void) -> (any ResponderTask)?

    /// Asks where an announcement leads, and tells it anew when that changes; nil stands for no answer. Nil if the
    /// responder refuses.
    func resolve(
        _ sighting: Sighting, type: String, answered: @escaping (Resolution?) -> Void
    ) -> (any ResponderTask)?
}

/// Something that a responder does for us until it is closed.
@AvahiThread
protocol ResponderTask: AnyObject {
    func close()
}

/// A service in a responder's hands: its SRV, TXT and PTR records, taken up and withdrawn together.
@AvahiThread
protocol PublishedEntry: ResponderTask {
    /// Replaces the TXT record.
    func update(_ strings: [[UInt8]], of entry: ServiceEntry) throws(AvahiError)
}

/// What became of a published service.
enum EntryNews: Sendable, Equatable {
    case established
    /// Another machine has the name.
    case collision
    case failed(AvahiError)
}

/// What a browser hears.
enum BrowserNews: Sendable, Equatable {
    case added(Sighting)
    case removed(Sighting)
    case unreadableName
    case allForNow
    case failed(AvahiError)
}
