/// Makes a room findable by name on the local network, for as long as it is not stopped.
///
/// ```swift
/// let advertiser = RoomAdvertiser(name: try RoomName("Living Room"), port: 7777, record: RoomRecord(id: id))
/// for await state in advertiser.states { print(state) }
/// ```
/// It starts at once, and needs no care afterwards: when the name is taken it takes the next ("Living Room #2"), and when
/// avahi-daemon dies, comes or comes back the room is published again. If it is dropped without `stop()`, it stops a little later.
public final class RoomAdvertiser: Sendable {
    /// What became of the advertisement, in order; for one reader. A reader 64 states behind loses the oldest.
    public var states: AsyncStream<AdvertiserState> { advertisement.states }

    private let advertisement: Advertisement

    /// - Parameters:
    ///   - port: where the room listens, by TCP and UDP.
    ///   - record: what is told of the room; its game label is published as a subtype too.
    ///   - interface: the name of the only network interface to publish on; nil for all that the responder serves.
    ///   - discovery: who publishes it.
    public init(
        name: RoomName, port: UInt16, record: RoomRecord, interface: String? = nil, discovery: DiscoveryMode = .auto
    ) {
        let service = PublishedService(port: port, record: record, interface: interface)
        advertisement = Advertisement(service, name: name, mode: discovery, remembered: 64)
    }

    /// Tells the network what has changed in the room, within a second. Without a daemon, as soon as there is one.
    public func update(_ record: RoomRecord) async {
        await advertisement.update(strings: record.strings, subtype: record.game?.subtype)
    }

    /// Withdraws the room; when this returns, the goodbye is sent or being sent. `states` ends.
    ///
    /// A daemon that hangs holds this up for a second; it withdraws the room when it goes on, or when this process ends.
    public func stop() async { await advertisement.stop() }
}

/// What became of an advertisement.
public enum AdvertiserState: Sendable, Hashable {
    /// This responder serves from now on; the room is published through it next.
    case serving(DiscoveryBackend)
    /// The responder has it, and asks the network whether the name is free.
    case registering
    /// Everybody nearby can see it, under this name.
    case published(name: String)
    /// The name is taken by another room; the next one is being tried.
    case renamed(from: String, to: String)
    /// Nobody can see it until there is a responder; then it is published without further ado.
    case daemonMissing(reason: String)
    /// Nobody can see it, for this reason; it is tried again every 5 seconds.
    case failed(reason: String)
}
