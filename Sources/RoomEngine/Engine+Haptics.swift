import InputMerge
import SessionCoordinator
import WireProtocol

/// Haptics: commanded, kept apart from gestures, and accounted for.
extension Engine {
    /// No longer after its command is a haptic worth playing.
    private static let timeToLive: Duration = .milliseconds(500)

    /// Plays a haptic on a controller; false when it cannot be told to.
    ///
    /// - Parameter answering: the gesture that it answers, so that the receipt can tell the whole way.
    mutating func play(
        intensity: Double, sharpness: Double, duration: Duration = .milliseconds(60), on peer: PeerIndex,
        answering gesture: GestureID? = nil, now: HostTime
    ) -> Bool {
        guard
            let id = coordinator.play(
                intensity: intensity, sharpness: sharpness, duration: duration, timeToLive: Self.timeToLive, on: peer,
                now: now)
        else { return false }
        haptics[id] = HapticTrail(
            peer: peer, commandedAt: now, duration: duration,
            cause: gesture.flatMap(sink.merge.origin).map { cause($0, now: now) })
        sink.tell {
            $0.hapticStarts(id, on: peer, between: now, and: now + Self.timeToLive, duration: duration)
        }
        return true
    }

    /// What this engine commanded where another, in which the same evening was otherwise, commanded a haptic: on the
    /// same controller, at the same moment, as the same one of those. `nil` where there is none, or its receipt came.
    package func haptic(inPlaceOf id: UInt32, of other: Engine) -> UInt32? {
        guard let trail = other.haptics[id] else { return nil }
        let (theirs, own) = (other.openHaptics(like: trail), openHaptics(like: trail))
        guard let place = theirs.firstIndex(of: id), place < own.count else { return nil }
        return own[place]
    }

    private func openHaptics(like trail: HapticTrail) -> [UInt32] {
        coordinator.openHaptics(of: trail.peer).filter { haptics[$0]?.commandedAt == trail.commandedAt }
    }

    private func cause(_ origin: GestureOrigin, now: HostTime) -> HapticTrail.Cause {
        for peer in origin.controllers {
            guard let sentAt = sink.sentAt(arrivedAt: origin.arrivedAt, of: peer),
                let clock = coordinator.clock(of: peer, now: now), clock.state != .none
            else { continue }
            let sent = clock.hostTime(of: sentAt)
            return HapticTrail.Cause(
                origin: origin, sentAt: sent, clockUncertainty: clock.uncertaintyNanoseconds(at: sent) ?? 0)
        }
        return HapticTrail.Cause(origin: origin, sentAt: nil, clockUncertainty: 0)
    }

    /// A controller said what became of a haptic, or did not, or left before it could.
    mutating func tell(_ outcome: Occurrence.HapticOutcome, at time: HostTime) {
        let trail = haptics.removeValue(forKey: outcome.id)
        var event = RoomEvent.Haptic(
            at: time, player: outcome.player, id: outcome.id, controller: controller(outcome.peer), outcome: .lost)
        switch outcome.outcome {
        case .played(let playedAt, let uncertainty):
            event.outcome = .played(
                at: playedAt,
                trail?.latency(sentAt: outcome.sentAt, playedAt: playedAt, uncertainty: uncertainty))
            // Without a clock all that is known is that it was played between its command and its receipt.
            let earliest = uncertainty == nil ? trail?.commandedAt ?? playedAt : playedAt
            let duration = trail?.duration ?? .zero
            sink.tell {
                $0.hapticStarts(outcome.id, on: outcome.peer, between: earliest, and: playedAt, duration: duration)
            }
        case .refused(let reason):
            event.outcome = .refused(reason)
            sink.tell { $0.hapticCancelled(outcome.id, on: outcome.peer) }
        case .lost: sink.tell { $0.hapticCancelled(outcome.id, on: outcome.peer) }
        }
        publish(.haptic(event))
    }
}
