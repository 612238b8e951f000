public import WireProtocol

/// What a controller's own haptics do to its sensors is no gesture of its player.
extension Merge {
    /// A posture that began while the controller shook itself: it counts from the end of that, if it lasts until then.
    struct Postponed: Sendable {
        var detection: Detection
        var until: HostTime
    }

    /// Wider clocks than this do not widen the mask any further.
    private static let widest: Duration = .milliseconds(250)

    /// The controller plays, or will play, a haptic that begins between these two times.
    ///
    /// Say it once when it is commanded, with what is known of the way, and once more when the receipt has come. While
    /// it plays, and for 50 ms after, wider by the clock's uncertainty, gestures of this controller do not begin.
    /// Postures (tilt, hold still) that began then and last begin when it is over. Continuous state is not touched.
    public mutating func hapticStarts(
        _ id: UInt32, on peer: PeerIndex, between earliest: HostTime, and latest: HostTime, duration: Duration
    ) {
        let past = now - .seconds(60)
        _ = peers.update(peer) {
            $0.mask.forget(before: past)
            $0.mask.note(id, between: earliest, and: latest, lasting: duration)
        }
    }

    /// The haptic is not played after all.
    public mutating func hapticCancelled(_ id: UInt32, on peer: PeerIndex) {
        _ = peers.update(peer) { $0.mask.cancel(id) }
    }

    /// How many beginnings of gestures were taken for the controller's own haptics.
    public func maskedGestures(of peer: PeerIndex) -> UInt64 { peers[peer]?.masked ?? 0 }

    /// What remains of a detection: nothing while the controller shakes itself.
    mutating func unmasked(_ detection: Detection) -> [Detection] {
        if detection.phase != .began {
            guard let place = postponed.firstIndex(where: { $0.isOf(detection) }) else { return [detection] }
            // It ended, or changed, while it did not count.
            if detection.occurredAt <= postponed[place].until {
                if detection.phase == .ended { postponed.remove(at: place) }
                return []
            }
            return [postponed.remove(at: place).begun, detection]
        }
        guard let peer = peers[detection.peer], !peer.mask.isEmpty else { return [detection] }
        let uncertainty = min(Self.widest, .nanoseconds(detection.uncertaintyNanoseconds ?? 0))
        guard let end = peer.mask.end(at: detection.occurredAt, within: uncertainty) else { return [detection] }
        _ = peers.update(detection.peer) { $0.masked += 1 }
        if isPosture(detection) { postponed.append(Postponed(detection: detection, until: end)) }
        return []
    }

    /// The postures that have outlasted their haptics, as far as samples show.
    mutating func endedPostponements() -> [Detection] {
        if postponed.isEmpty { return [] }
        var begun: [Detection] = []
        var left: [Postponed] = []
        for posture in postponed {
            let slot = slots(of: posture.detection.peer).first { tracks[$0].isSpeaking }
            if let watermark = slot.flatMap({ tracks[$0].watermark }), watermark > posture.until {
                begun.append(posture.begun)
            } else if slot != nil {
                left.append(posture)
            }
        }
        postponed = left
        return begun
    }

    private func isPosture(_ detection: Detection) -> Bool {
        guard detection.gesture < configuration.gestures.count else { return false }
        switch configuration.gestures[detection.gesture].rule {
        case .tilt, .holdStill: return true
        case .threshold, .shake, .jump, .freeFall, .flick, .swing, .twist, .tap, .rhythm: return false
        }
    }
}

extension Merge.Postponed {
    fileprivate func isOf(_ other: Detection) -> Bool {
        detection.peer == other.peer && detection.gesture == other.gesture
    }

    fileprivate var begun: Detection {
        var begun = detection
        begun.occurredAt = max(begun.occurredAt, until)
        return begun
    }
}
