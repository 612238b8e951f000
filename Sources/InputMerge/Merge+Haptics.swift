public import WireProtocol

/// What a controller's own haptics do to its sensors is no gesture of its player.
extension Merge {
    /// A gesture that lasts and began while the controller shook itself: it counts once it has outlasted that.
    struct Postponed: Sendable {
        var detection: Detection
        /// The haptic, and what the motor does after it, is over.
        var maskedUntil: HostTime
        /// So long what the haptic made would last without it.
        var lasting: Duration
        /// What the haptic made would have ended by then.
        var until: HostTime { maskedUntil + lasting }
    }

    /// Wider clocks than this do not widen the mask any further.
    private static let widest: Duration = .milliseconds(250)

    /// The controller plays, or will play, a haptic that begins between these two times.
    ///
    /// Say it once when it is commanded, with what is known of the way, and once more when the receipt has come. While
    /// it plays, and for 50 ms after, wider by the clock's uncertainty, no push and no tap of this controller counts.
    /// What began then and goes on (tilt, hold still, shake, rhythm) begins when it has outlasted the haptic. Flights,
    /// turns and taught gestures, which no motor makes, count as ever; continuous state is not touched.
    ///
    /// When it began is not known better than to the time from its first sign to the haptic's end, and ``GestureEvent``
    /// says so; contests wait for it.
    public mutating func hapticStarts(
        _ id: UInt32, on peer: PeerIndex, between earliest: HostTime, and latest: HostTime, duration: Duration
    ) {
        let past = now - .seconds(60)
        _ = peers.update(peer) {
            $0.mask.forget(before: past)
            $0.mask.note(id, between: earliest, and: latest, lasting: duration)
        }
        correctPostponed(of: peer)
    }

    /// The haptic is not played after all.
    public mutating func hapticCancelled(_ id: UInt32, on peer: PeerIndex) {
        _ = peers.update(peer) { $0.mask.cancel(id) }
        correctPostponed(of: peer)
    }

    /// How many beginnings of gestures were taken for the controller's own haptics.
    public func maskedGestures(of peer: PeerIndex) -> UInt64 { peers[peer]?.masked ?? 0 }

    /// What remains of a detection: nothing while the controller shakes itself.
    mutating func unmasked(_ detection: Detection) -> [Detection] {
        if detection.recognition.isPressed { return [detection] }
        if detection.phase != .began { return outlasting(detection) }
        guard let end = maskEnd(of: detection) else { return [detection] }
        switch susceptibility(of: detection) {
        case .none: return [detection]
        case .moment: break
        case .lasting(let duration):
            postponed.append(Postponed(detection: detection, maskedUntil: end, lasting: duration))
        }
        _ = peers.update(detection.peer) { $0.masked += 1 }
        return []
    }

    /// Until when the controller shakes itself that made the detection; `nil` where it did not then.
    private func maskEnd(of detection: Detection) -> HostTime? {
        guard let peer = peers[detection.peer], !peer.mask.isEmpty else { return nil }
        // What a motor shakes is in the sample itself: half of the time before it is enough.
        let known = (detection.uncertaintyNanoseconds ?? 0) - detection.unseenNanoseconds / 2
        return peer.mask.end(at: detection.occurredAt, within: min(Self.widest, .nanoseconds(max(0, known))))
    }

    /// What is known better of a haptic now is known better of what waits for its end.
    private mutating func correctPostponed(of peer: PeerIndex) {
        for place in postponed.indices where postponed[place].detection.peer == peer {
            let waiting = postponed[place]
            if let end = maskEnd(of: waiting.detection) {
                // Never later: what was commanded since did not begin it.
                postponed[place].maskedUntil = min(waiting.maskedUntil, end)
            } else {
                (postponed[place].maskedUntil, postponed[place].lasting) = (waiting.detection.occurredAt, .zero)
            }
        }
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
            if let watermark = slot.flatMap({ tracks[$0].watermark }), watermark >= waiting.until {
                begun.append(waiting.begun)
            } else if slot != nil {
                left.append(waiting)
            }
        }
        postponed = left
        return begun
    }

    /// Up to when everything is known that the controller did of these gestures, as one of them waits for a haptic's
    /// end and may yet be told; `nil` where none does.
    func knownUntil(of peer: PeerIndex, awaiting gestures: (GestureKind) -> Bool) -> HostTime? {
        var until: HostTime?
        for waiting in postponed where waiting.detection.peer == peer {
            let detection = waiting.detection
            guard gestures(configuration.gestures[detection.gesture].kind) else { continue }
            let lookedBefore = detection.occurredAt - .nanoseconds(max(1, detection.unseenNanoseconds))
            until = min(until ?? lookedBefore, lookedBefore)
        }
        return until
    }

    private func susceptibility(of detection: Detection) -> HapticSusceptibility {
        guard detection.gesture < configuration.gestures.count else { return .none }
        return configuration.gestures[detection.gesture].hapticSusceptibility
    }
}

/// What a motor can do to a recognizer.
enum HapticSusceptibility: Sendable {
    /// No motor makes flights, turns, or what was taught.
    case none
    /// It can be the whole gesture.
    case moment
    /// It can begin the gesture, which then lasts for so long without it.
    case lasting(Duration)
}

extension GestureDefinition {
    var hapticSusceptibility: HapticSusceptibility {
        switch rule {
        case .jump, .freeFall, .flick, .swing, .twist: .none
        case .threshold, .tap: .moment
        case .tilt, .holdStill: .lasting(.zero)
        case .shake(let rule): .lasting(rule.window)
        case .rhythm(let rule): .lasting(rule.longest)
        }
    }

    var isHiddenByHaptics: Bool {
        if case .none = hapticSusceptibility { return false }
        return true
    }
}

extension Merge.Postponed {
    fileprivate func isOf(_ other: Detection) -> Bool {
        detection.peer == other.peer && detection.gesture == other.gesture
    }

    /// It may have begun at any time since its first sign: what the motor did meanwhile hides it.
    fileprivate var begun: Detection {
        var begun = detection
        begun.occurredAt = max(begun.occurredAt, maskedUntil)
        let hidden = (begun.occurredAt - detection.occurredAt).wholeNanoseconds
        begun.unseenNanoseconds = detection.unseenNanoseconds.saturatingAdd(hidden)
        begun.uncertaintyNanoseconds = detection.uncertaintyNanoseconds.map { $0.saturatingAdd(hidden) }
        return begun
    }
}
