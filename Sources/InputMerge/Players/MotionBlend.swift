import WireProtocol

/// What one controller adds to its player's motion.
struct MotionPart: Sendable {
    var peer: PeerIndex
    var live: LiveMotion
    var steady: SteadyMotion
    /// 1, and 1 more for each controller whose share was handed over to it.
    var weight: Double
    /// When a sample of it last came, however late that was …
    var heardAt: HostTime
    /// … and how much later others' may have come before it counts as one who sends no more.
    var patience: Duration
}

extension FusionRule.Blend {
    /// What the parts, at least one, come to.
    func blended(_ parts: [MotionPart]) -> PlayerMotion {
        let first = PlayerMotion(parts[0].live, of: parts[0].peer)
        switch self {
        case .first: return first
        case .strongest(let measure):
            let moving = Self.moving(parts)
            var strongest = moving[0]
            // Of equals the first, so that they do not take turns.
            for part in moving.dropFirst() where part.amount(of: measure) > strongest.amount(of: measure) {
                strongest = part
            }
            return PlayerMotion(strongest.live, of: strongest.peer)
        case .mean: return parts.count == 1 ? first : Self.mean(parts)
        case .sum: return parts.count == 1 && parts[0].weight == 1 ? first : Self.sum(parts)
        }
    }

    /// Those who send on, at least one. Of another the posture may be as it was; how it was pushed or turned is over.
    private static func moving(_ parts: [MotionPart]) -> [MotionPart] {
        let newest = parts.reduce(parts[0].heardAt) { max($0, $1.heardAt) }
        return parts.filter { newest - $0.heardAt <= $0.patience }
    }

    private static func mean(_ parts: [MotionPart]) -> PlayerMotion {
        let moving = Self.moving(parts)
        var motion = together(parts, moving, share: 1 / moving.reduce(0) { $0 + $1.weight })
        var (up, heading) = (SIMD3<Double>.zero, SIMD2<Double>.zero)
        for part in parts {
            let posture = Posture(part.live.motion.attitude)
            up += part.weight * posture.up
            let (sine, cosine) = Elementary.sineAndCosine(posture.heading)
            heading += part.weight * SIMD2(cosine, sine)
        }
        // Who holds the device upside down beside one who does not has no middle with him: then the first counts.
        let middle = up.length > 1e-3 ? up : parts[0].live.motion.attitude.up
        motion.attitude = Posture(heading: Elementary.angle(y: heading.y, x: heading.x), up: middle).attitude
        return motion
    }

    private static func sum(_ parts: [MotionPart]) -> PlayerMotion {
        var motion = together(parts, moving(parts), share: 1)
        var (tilt, heading) = (SIMD2<Double>.zero, 0.0)
        for part in parts {
            let posture = Posture(part.live.motion.attitude)
            tilt += part.weight * posture.tilt
            heading += part.weight * posture.heading
        }
        motion.attitude = Posture(heading: heading, tilt: tilt).attitude
        return motion
    }

    /// Everything but the attitude: accelerations and rates of those who are moving add up, `share` of each.
    private static func together(_ parts: [MotionPart], _ moving: [MotionPart], share: Double) -> PlayerMotion {
        var motion = PlayerMotion(parts[0].live, of: parts[0].peer)
        motion.controllers = parts.map(\.peer)
        var (acceleration, rate, gravity) = (SIMD3<Double>.zero, SIMD3<Double>.zero, SIMD3<Double>.zero)
        var lowPassed = SIMD3<Double>.zero
        for part in moving {
            acceleration += part.weight * part.steady.userAcceleration
            lowPassed += part.weight * part.live.motion.lowPassedAcceleration
            rate += part.weight * part.steady.rotationRate
        }
        for part in parts {
            gravity += part.weight * part.live.motion.gravity
            motion.occurredAt = max(motion.occurredAt, part.live.motion.occurredAt + part.live.extrapolated)
            motion.age = max(motion.age, part.live.age)
            motion.isDegraded = motion.isDegraded || part.live.motion.isDegraded
        }
        motion.userAcceleration = share * acceleration
        motion.lowPassedAcceleration = share * lowPassed
        motion.rotationRate = share * rate
        if gravity.length > 1e-3 { motion.gravity = gravity / gravity.length }
        return motion
    }
}

extension MotionPart {
    fileprivate func amount(of measure: FusionRule.Measure) -> Double {
        switch measure {
        case .acceleration: steady.userAcceleration.length
        case .rotation: steady.rotationRate.length
        case .tilt: live.motion.attitude.up.angle(to: SIMD3(0, 0, 1))
        }
    }
}
