package import WireProtocol

extension Merge {
    /// What the next samples of these peers' first streams will need; see ``Prefetch``. Changes nothing: what is lent to be
    /// changed is not copied.
    package mutating func prefetch(_ peers: [PeerIndex]) -> UInt {
        withUnsafeTemporaryAllocation(of: Int.self, capacity: peers.count) { slots in
            var (prefetch, count) = (Prefetch(), 0)
            tracks.withUnsafeBufferPointer { tracks in
                guard let first = tracks.baseAddress else { return }
                for peer in peers {
                    guard let slot = trackIndex.firstSlot(of: peer) else { continue }
                    slots[count] = slot
                    count += 1
                    prefetch.read(first + slot)
                }
                for place in 0..<count {
                    let recognizers = Self.recognizers(first[slots[place]])
                    if let memory = recognizers.baseAddress { prefetch.read(memory, size: recognizers.count) }
                }
            }
            return prefetch.sum
        }
    }

    /// It only reads: what writes beside gets a copy of the track (Swift 6.3.1).
    private static func recognizers(_ track: borrowing StreamTrack) -> UnsafeRawBufferPointer { track.recognizersPlace }
}
