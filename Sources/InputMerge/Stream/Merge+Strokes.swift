import WireProtocol

/// Strokes of a sensor beside which a faster one feels what they meet.
extension Merge {
    /// Who speaks waits with the end of a stroke for a faster accelerometer of the same device, if there is one.
    mutating func awaitKnocks(of peer: PeerIndex) {
        let slots = slots(of: peer)
        for slot in slots where tracks[slot].isSpeaking {
            let fast = knockSlot(beside: slot, among: slots)
            tracks[slot].strokes.patience = fast.map {
                tracks[$0].lane.declaration.batch + configuration.holdback + Self.knockPatience
            }
        }
    }

    /// What it takes at most until a sample that was not lost is here, beside its batch.
    private static let knockPatience: Duration = .milliseconds(500)

    /// Strokes end that waited for what this sensor has felt, or that it has just ended while a faster one had felt enough.
    mutating func settleStrokes(at slot: Int) {
        let slots = slots(of: tracks[slot].key.peer)
        for speaker in slots where tracks[speaker].strokes.deadline != nil {
            guard let fast = knockSlot(beside: speaker, among: slots), let knocks = tracks[fast].knocks else {
                continue
            }
            tracks[speaker].strokes.settle(knocks, into: &detections)
            setDeadline(tracks[speaker].nextDeadline(), at: speaker)
        }
    }

    /// The fast accelerometer of the same device, if there is one.
    private func knockSlot(beside speaker: Int, among slots: Range<Int>) -> Int? {
        let location = tracks[speaker].lane.declaration.location
        return slots.first {
            $0 != speaker && tracks[$0].knocks != nil && tracks[$0].lane.declaration.location == location
        }
    }
}
