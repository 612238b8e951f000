package import FlightRecorder
package import RoomEngine
import SessionCoordinator
import WireProtocol

/// One life of a simulated host as its flight recorder would have kept it, and what its events were.
///
/// Unchecked: an evening is one value in one place, and so is what it records.
package final class EveningTape: @unchecked Sendable {
    package let opening: Opening
    package private(set) var blocks: [[UInt8]] = []
    package private(set) var events: [RoomEvent] = []
    private(set) var hasEnded = false
    private let supply = CollectedBlocks()
    var deck: TapeDeck

    init(
        _ configuration: EngineConfiguration, leases: [Lease] = [], talents: [ControllerID: PlayerTalents] = [:],
        now: HostTime, isFromTheStart: Bool = true
    ) {
        let kept = talents.keys.sorted().compactMap { id in
            talents[id].map { Opening.Talent(controller: id, talents: $0) }
        }
        opening = Opening(
            configuration: configuration, leases: leases, talents: kept, now: now, openedAt: now, wallClock: 0,
            room: "an evening", isFromTheStart: isFromTheStart)
        deck = TapeDeck(room: configuration.room, supply: supply)
    }

    /// A turn's outputs.
    func note(_ outputs: [RoomOutput], now: HostTime) {
        guard !hasEnded else { return }
        deck.endTurn(outputs, now: now)
        events += outputs.compactMap(\.toldEvent)
    }

    /// Nothing more comes.
    func end() {
        guard !hasEnded else { return }
        hasEnded = true
        deck.flush()
        blocks = supply.takeBlocks()
    }
}

extension RoomOutput {
    /// An event that is told by itself; players' motion is told 60 times a second, and stands on a tape as a digest.
    package var toldEvent: RoomEvent? {
        switch self {
        case .event(.motion): nil
        case .event(let event): event
        default: nil
        }
    }
}
