public import WireProtocol

/// What a controller's own haptics do to its sensors is no gesture of its player.
extension Merge {
    /// A gesture that lasts and began while the controller shook itself: it counts once it has outlasted that.
    struct Postponed: Sendable {
        var detection: Detection
        /// The haptic, and what the motor does after it, is over.
        var maskedUntil: HostTime
        /// What the haptic made would have ended by then.
        var until: HostTime
    }

    /// What a motor can do to a recognizer.
    private enum Susceptibility {
        /// No motor makes flights, turns, or what was taught.
        case none
        /// It can be the whole gesture.
        case moment
        /// It can begin the gesture, which then lasts for so long without it.
        case lasting(Duration)
    }

    /// Wider clocks than this do not widen the mask any further.
    private static let widest: Duration = .milliseconds(250)

    /// The controller plays, or will play, a haptic that begins between these two times.
    ///
    /// Say it once when it is commanded, with what is known of the way, and once more when the receipt has come. While
    /// it plays, and for 50 ms after, wider by the clock's uncertainty, no push and no tap of this controller counts.
    /// What began then and goes on (tilt, hold still, shake, rhythm) begins when it has outlasted the haptic. Flights,
    /// turns and taught gestures, which no motor makes, count as ever; continuous state is not touched.
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
        if detection.recognition.isPressed { return [detection] }
        if detection.phase != .began { return outlasting(detection) }
        guard let peer = peers[detection.peer], !peer.mask.isEmpty else { return [detection] }
        // What a motor shakes is in the sample itself: half of the time before it is enough.
        let known = (detection.uncertaintyNanoseconds ?? 0) - detection.unseenNanoseconds / 2
        let uncertainty = min(Self.widest, .nanoseconds(max(0, known)))
        guard let end = peer.mask.end(at: detection.occurredAt, within: uncertainty) else { return [detection] }
        switch susceptibility(of: detection) {
        case .none: return [detection]
        case .moment: break
        case .lasting(let duration):
            postponed.append(Postponed(detection: detection, maskedUntil: end, until: end + duration))
        }
        _ = peers.update(detection.peer) { $0.masked += 1 }
        return []
    }

    /// What goes on, or ends, of something that began under a haptic.
    private mutating func outlasting(_ detection: Detection) -> [Detection] {
        guard let place = postponed.firstIndex(where: { $0.isOf(detection) }) else { return [detection] }
        // It shows itself again when the motor has stopped, or has lasted longer than the motor could make it last.
        let end = detection.phase == .changed ? postponed[place].maskedUntil : postponed[place].until
        if detection.occurredAt > end { return [postponed.remove(at: place).begun, detection] }
        if detection.phase == .ended { postponed.remove(at: place) }
        return []
    }

    /// What has outlasted its haptic, as far as samples show.
    mutating func endedPostponements() -> [Detection] {
        if postponed.isEmpty { return [] }
        var begun: [Detection] = []
        var left: [Postponed] = []
        for waiting in postponed {
            let slot = speakingSlot(of: waiting.detection.peer)
            if let watermark = slot.flatMap({ tracks[$0].watermark }), watermark > waiting.until {
                begun.append(waiting.begun)
            } else if slot != nil {
                left.append(waiting)
            }
        }
        postponed = left
        return begun
    }

    private func susceptibility(of detection: Detection) -> Susceptibility {
        guard detection.gesture < configuration.gestures.count else { return .none }
        switch configuration.gestures[detection.gesture].rule {
        case .jump, .freeFall, .flick, .swing, .twist: return .none
        case .threshold, .tap: return .moment
        case .tilt, .holdStill: return .lasting(.zero)
        case .shake(let rule): return .lasting(rule.window)
        case .rhythm(let rule): return .lasting(rule.longest)
        }
    }
}

extension Merge.Postponed {
    fileprivate func isOf(_ other: Detection) -> Bool {
        detection.peer == other.peer && detection.gesture == other.gesture
    }

    fileprivate var begun: Detection {
        var begun = detection
        begun.occurredAt = max(begun.occurredAt, maskedUntil)
        return begun
    }
}
