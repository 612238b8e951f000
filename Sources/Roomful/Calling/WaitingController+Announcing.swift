import PeerDiscovery
import WireProtocol

/// Announcing a waiting controller.
extension WaitingController {
    /// Announces the controller for as long as it can be called; returns when the task is cancelled.
    func advertise() async {
        guard let mode = options.discovery.announcing else { return }
        let name: RoomName
        do throws(RoomNameError) {
            name = try RoomName(options.name)
        } catch {
            _ = announcement.yield("not announced: \(error.description)")
            return
        }
        guard
            let record = PadRecord(
                id: id, protocolVersion: UInt16(ControlMessage.version), pin: RoomRecord.Pin(bytes: pin.bytes),
                hasHaptics: options.haptics != .none)
        else { preconditionFailure("a controller's id has 32 digits") }
        while !Task.isCancelled {
            let advertiser = PadAdvertiser(name: name, port: port, record: record, discovery: mode)
            await withTaskGroup(of: Void.self) { group in
                group.addTask { [self] in
                    for await state in advertiser.states { note(state) }
                }
                _ = await isTaken.first { $0 }
                await advertiser.stop()
            }
            _ = await isTaken.first { !$0 }
        }
    }

    private func note(_ state: AdvertiserState) {
        let words: String
        switch state {
        case .serving, .registering: return
        case .published(let name): words = "announced as \"\(name)\""
        case .renamed(let old, let new): words = "another controller is called \"\(old)\": announced as \"\(new)\""
        case .daemonMissing(let reason), .failed(let reason): words = "not announced: \(reason)"
        }
        announcement.yield(words)
    }
}

extension RoomOptions.Discovery {
    /// Who publishes; `nil` where nothing is to be.
    fileprivate var announcing: DiscoveryMode? { self == .none ? nil : mode }
}

extension NearbyController {
    /// A controller as it announces itself.
    init(_ pad: DiscoveredPad, now: ContinuousClock.Instant) {
        self.init(
            id: pad.record.id, name: pad.displayName, addresses: pad.endpoints.map(\.description),
            pin: pad.record.pin?.description, haptics: pad.record.hasHaptics,
            waitedFor: (now - pad.firstHeard).milliseconds / 1_000)
    }
}
