/// Makes a controller that waits findable on the local network, for as long as it is not stopped.
///
/// It needs no care: when the name is taken it takes the next ("Blue #2"), and it is published again whenever there is a
/// responder again.
public final class ControllerAdvertiser: Sendable {
    /// What became of the advertisement, in order; for one reader. A reader 16 states behind loses the oldest.
    public var states: AsyncStream<AdvertiserState> { advertisement.states }

    private let advertisement: Advertisement

    /// - Parameters:
    ///   - port: where the controller can be called, by TCP.
    ///   - interface: the name of the only network interface to publish on; nil for all.
    ///   - discovery: who publishes it.
    public init(
        name: RoomName, port: UInt16, record: ControllerRecord, interface: String? = nil,
        discovery: DiscoveryMode = .auto
    ) {
        let service = PublishedService(
            type: ServiceType.controller, port: port, strings: record.strings, interface: interface)
        advertisement = Advertisement(service, name: name, mode: discovery, remembered: 16)
    }

    /// Withdraws the controller; when this returns, the goodbye is sent or being sent. `states` ends.
    public func stop() async { await advertisement.stop() }
}
