/// Makes a controller that waits findable on the local network, for as long as it is not stopped.
///
/// It needs no care: when the name is taken it takes the next ("Blue #2"), and it is published again whenever there is a
/// responder again.
public final class PadAdvertiser: Sendable {
    /// What became of the advertisement, in order; for one reader. A reader 16 states behind loses the oldest.
    public let states: AsyncStream<AdvertiserState>

    private let continuation: AsyncStream<AdvertiserState>.Continuation
    private let publication: Publication

    /// - Parameters:
    ///   - port: where the controller can be called, by TCP.
    ///   - interface: the name of the only network interface to publish on; nil for all.
    ///   - discovery: who publishes it.
    public init(
        name: RoomName, port: UInt16, record: PadRecord, interface: String? = nil, discovery: DiscoveryMode = .auto
    ) {
        let (states, continuation) = AsyncStream.makeStream(
            of: AdvertiserState.self, bufferingPolicy: .bufferingNewest(16))
        self.states = states
        self.continuation = continuation
        let service = PublishedService(
            type: ServiceType.pad, port: port, strings: record.strings, interface: interface)
        let publication = Publication(service, name: name, mode: discovery) { continuation.yield($0) }
        self.publication = publication
        if AvahiThread.isRunning {
            AvahiThread.later { publication.open() }
        } else {
            continuation.yield(.failed(reason: "no thread for discovery; free some memory or file descriptors"))
            continuation.finish()
        }
    }

    deinit {
        let publication = publication
        AvahiThread.later { publication.close() }
        continuation.finish()
    }

    /// Withdraws the controller; when this returns, the goodbye is sent or being sent. `states` ends.
    public func stop() async {
        guard AvahiThread.isRunning else { return }
        let publication = publication
        await AvahiThread.perform(within: AvahiThread.patience) { publication.close() }
        continuation.finish()
    }
}
