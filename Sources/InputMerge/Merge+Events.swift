import WireProtocol

/// What a merge tells.
extension Merge {
    /// One array for all that is told, and none when nothing is.
    mutating func takeEvents(
        _ verdicts: [Verdict], _ submersions: [SubmersionEvent], _ batches: [MotionBatch]
    ) -> [MergeEvent] {
        let gestures: Int = shapings.count + events.count + teamEvents.count + verdicts.count
        let others: Int = progress.count + notices.count + submersions.count + omissions.count + batches.count
        let count = gestures + others
        guard count > 0 else { return [] }
        var told: [MergeEvent] = []
        told.reserveCapacity(count)
        for shaping in shapings { told.append(.shaping(shaping)) }
        events.sort { ($0.occurredAt, $0.id, $0.phase) < ($1.occurredAt, $1.id, $1.phase) }
        for event in events {
            told.append(.gesture(event))
            if event.phase == .began { _ = players.update(event.player) { $0.noteTold(event.id, at: now) } }
        }
        for event in teamEvents { told.append(.team(event)) }
        for verdict in verdicts { told.append(.verdict(verdict)) }
        for step in progress { told.append(.teaching(step)) }
        for notice in notices { told.append(.sensor(notice)) }
        for event in submersions { told.append(.submersion(event)) }
        for omission in omissions { told.append(.omitted(omission)) }
        for batch in batches { told.append(.motions(batch)) }
        shapings.removeAll(keepingCapacity: true)
        events.removeAll(keepingCapacity: true)
        teamEvents.removeAll(keepingCapacity: true)
        progress.removeAll(keepingCapacity: true)
        notices.removeAll(keepingCapacity: true)
        omissions.removeAll(keepingCapacity: true)
        return told
    }
}
