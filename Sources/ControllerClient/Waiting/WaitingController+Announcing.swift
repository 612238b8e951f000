import Connections
import Identity
import PeerDiscovery
import WireProtocol

/// Announcing a waiting controller.
extension WaitingController {
    /// Announces the controller for as long as it can be called; returns when the task is cancelled.
    func advertise() async {
        guard options.discovery != .none else { return }
        let name: RoomName
        do throws(RoomNameError) {
            name = try RoomName(options.name)
        } catch {
            _ = announcement.yield("not announced: \(error.description)")
            return
        }
        guard
            let record = ControllerRecord(
                id: id, protocolVersion: UInt16(ControlMessage.version), pin: pin,
                hasHaptics: options.haptics != .none)
        else { preconditionFailure("a controller's id has 32 digits") }
        while !Task.isCancelled {
            let advertiser = ControllerAdvertiser(name: name, port: port, record: record, discovery: options.discovery)
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
