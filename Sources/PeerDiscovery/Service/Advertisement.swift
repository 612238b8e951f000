/// What an advertiser holds: a publication on Avahi's thread, and the states that it goes through.
///
/// If it is dropped without ``stop()``, it stops a little later.
final class Advertisement: Sendable {
    /// For one reader; the newest `remembered` are kept for a slow one.
    let states: AsyncStream<AdvertiserState>

    private let continuation: AsyncStream<AdvertiserState>.Continuation
    private let publication: Publication

    init(_ service: PublishedService, name: RoomName, mode: DiscoveryMode, remembered: Int) {
        let (states, continuation) = AsyncStream.makeStream(
            of: AdvertiserState.self, bufferingPolicy: .bufferingNewest(remembered))
        self.states = states
        self.continuation = continuation
        let publication = Publication(service, name: name, mode: mode) { continuation.yield($0) }
        self.publication = publication
        if AvahiThread.isRunning {
            AvahiThread.later { publication.open() }
        } else {
            continuation.yield(.failed(reason: AvahiThread.missing))
            continuation.finish()
        }
    }

    deinit {
        let publication = publication
        AvahiThread.later { publication.close() }
        continuation.finish()
    }

    /// Replaces the TXT record and the subtype.
    func update(strings: [[UInt8]], subtype: String?) async {
        let publication = publication
        await AvahiThread.perform(within: AvahiThread.patience) {
            publication.update(strings: strings, subtype: subtype)
        }
    }

    /// Withdraws it; when this returns, the goodbye is sent or being sent, unless the daemon hangs for more than a second.
    func stop() async {
        guard AvahiThread.isRunning else { return }
        let publication = publication
        await AvahiThread.perform(within: AvahiThread.patience) { publication.close() }
        continuation.finish()
    }
}
