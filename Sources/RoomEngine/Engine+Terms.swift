import InputMerge
import SessionCoordinator
import WireProtocol

/// Other terms for the people who are here already.
extension Engine {
    /// Takes them over, all or none.
    ///
    /// - Returns: the terms as they stand now: there may be more seats than were wanted, as nobody loses one.
    mutating func adopt(_ wanted: RoomTerms, now: HostTime) -> Result<RoomAnswer, RoomError> {
        if let problem = wanted.problem { return .failure(RoomError(.badOption, problem)) }
        guard wanted.gestures.map(\.kind) == configuration.merge.gestures.map(\.kind) else {
            return .failure(
                RoomError(
                    .badOption, "which gestures there are is settled when the room opens; their thresholds may change"))
        }
        var changed = configuration
        changed.apply(wanted)
        coordinator.adopt(changed.room, now: now)
        changed.room = coordinator.configuration
        configuration = changed
        decideFrameLog()
        sink.adopt(gestures: wanted.gestures, contests: wanted.contests)
        // What has a button may be another.
        buttonsDue += coordinator.seatedPeers
        return .success(.terms(RoomTerms(configuration)))
    }
}
