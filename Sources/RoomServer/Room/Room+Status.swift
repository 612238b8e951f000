import Datagrams
import FlightRecorder
import Foundation
import Identity
import PeerDiscovery
package import RoomEngine
package import RoomRecords
import SessionCoordinator
import Synchronization
import WireProtocol

/// How the room stands, for whoever asks.
extension Room {
    /// By the room's own clock: a recorded evening has that of then.
    var now: HostTime {
        guard let replay = options.replay else { return HostClock.now() }
        return loop.replayedTo.withLock { $0 } ?? replay.opening.now
    }

    package func roomStatus(_ status: RoomState?) -> RoomStatus {
        let arrivals = loop.arrivals
        let (discoveryLine, discoveryState) = discovery.withLock { ($0.line, $0.word) }
        let strangers = status?.strangers ?? arrivals?.strangers ?? StrangerCounts()
        var whole = RoomStatus(
            name: name, room: foundation.authority.roomID.description, game: options.label?.text,
            policy: options.policy.rawValue, mode: options.mode.rawValue, seats: options.seats,
            freeSeats: status?.freeSeats ?? 0, isLocked: status?.isLocked ?? true, port: Int(port),
            url: options.url?.description, legacyPort: legacyPort.map(Int.init), httpPort: httpPort.map(Int.init),
            pin: foundation.authority.pin.description, discovery: discoveryLine, discoveryState: discoveryState,
            sealing: cipher.isSodium ? "libsodium" : "swift-crypto",
            uptimeMs: (now - openedAt).milliseconds, pid: Int(getpid()),
            peers: status?.peers.map(peerStatus) ?? [],
            waiting: status?.newcomers.filter { $0.place == nil }.map(\.name) ?? [],
            newcomers: status?.newcomers.map { RoomStatus.Newcomer($0, now: now) } ?? [],
            strangers: RoomStatus.Strangers(
                badAuth: Int(clamping: strangers.badAuth), unknown: Int(clamping: strangers.unknown),
                malformed: Int(clamping: strangers.malformed), kernelDrops: arrivals?.kernelDrops),
            arrivals: arrivals.map {
                RoomStatus.Arrivals(
                    handedOver: Int(clamping: $0.handedOver), classified: Int(clamping: $0.classified),
                    waitedMs: Double($0.waited) / 1e6)
            })
        whole.site = site.withLock { $0 }
        whole.isRecorded = recording.isRecording
        whole.certificate = RoomStatus.Certificate(
            ends: foundation.tls.ends.timeIntervalSince1970, isOperators: options.certificate != nil)
        whole.network = network
        if status != nil { whole.standstill = loop.standstill.map(RoomStatus.Standstill.init) }
        return whole
    }

    func peerStatus(_ state: PeerState) -> PeerStatus { PeerStatus(state, openedAt: openedAt, network: network) }

    /// What befell its machine's network, where that is worth telling.
    package var network: RoomStatus.Network? {
        let now = now
        return networkNotes.withLock { $0.report(at: now) }
    }
}
