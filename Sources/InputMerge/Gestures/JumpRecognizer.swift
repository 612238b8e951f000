import WireProtocol

/// Sees a jump: `began` while it still flies, as soon as it is sure, `ended` when it lands.
struct JumpRecognizer: Recognizer {
    /// Weightless since then, up to the newest sample or a moment before; not yet long enough.
    private struct Rise {
        var since: DeviceTime
        var lowAt: DeviceTime
        /// The greatest force before it, in g.
        var push: Double
        /// The speed with which it took off, in m/s.
        var speed: Double
        /// How long it must last, in s.
        var needed: Double
        /// The least force within it, in g.
        var least: Double
    }

    /// A jump.
    private struct Flight {
        let since: DeviceTime
        /// When the force came back to 1 g.
        var touched: DeviceTime?
        /// How long it was to last, in s, by the line for everyone.
        let foretold: Double
        /// Samples are missing since it was last seen to fly, and it may have landed among them.
        var isUnseen = false
    }

    private enum Phase {
        case grounded
        case rising(Rise)
        case airborne(Flight)
    }

    private static let pushMemory: Duration = .seconds(1)
    /// Of the sixteen parts of that, the newest first: a push within 0.6 s before a flight is its own, …
    private static let ownPush = 0..<10
    /// … and one of so many g more than 0.45 s before is of somebody who walks or runs, or has just landed.
    private static let earlier = 7..<16
    private static let step = 1.5
    private static let fallMemory: Duration = .milliseconds(600)
    private static let spinMemory = 0.15
    private static let speedMemory = 4.0
    /// As fast who crouches for a jump goes down before, in m/s.
    private static let crouch = 0.5
    /// Shorter dips of the force belong to a push-off or a step, in s.
    private static let shortestFlight = 0.06
    /// Legs push off for longer; what flies again sooner bounced.
    private static let shortestContact: Duration = .milliseconds(100)
    /// Who flies weighs so little at some moment, in g; who drops onto a chair, or rises from one, does not.
    private static let weightless = 0.35

    private let rule: JumpRule
    private let minimumFlight: Double
    private let runningFlight: Double
    private let tolerance: Double
    private let longestFlight: Double
    private var phase = Phase.grounded
    private var pushes = SlidingMaximum(span: Self.pushMemory)
    /// Upwards, in m/s, from whatever it was at first: only what a push adds to it is true.
    private var speed = 0.0
    /// How fast it went down of late, by the same.
    private var falls = SlidingMaximum(span: Self.fallMemory, atLeast: -.infinity)
    private var airtimes = Airtimes()
    private var shift = 0.0
    private var spin = 0.0
    private var previous: (time: DeviceTime, force: Double)?
    /// When it was last light for longer than a dip, for how long, in s, and whether a push made it so: who crouches
    /// for a jump has not flown.
    private var light: (until: DeviceTime, lasting: Double, isFlight: Bool)?
    private var firedAt: DeviceTime?

    init(_ rule: JumpRule) {
        self.rule = rule
        minimumFlight = rule.minimumFlight.seconds
        runningFlight = rule.runningFlight.seconds
        tolerance = rule.tolerance.seconds
        longestFlight = rule.longestFlight.seconds
    }

    mutating func update(_ motion: DeviceMotion) -> Recognition? {
        guard motion.gravity != .zero else { return nil }
        let (now, force) = (motion.sampledAt, motion.force)
        let elapsed = previous.map { max(0, now.seconds(since: $0.time)) } ?? 0
        spin = max(motion.rotationRate.length, spin * Self.spinMemory / (Self.spinMemory + elapsed))
        defer {
            previous = (now, force)
            pushes.add(force, at: now)
            let gain = standardGravity * motion.userAcceleration.dot(motion.gravity) - speed / Self.speedMemory
            speed += gain * elapsed
            falls.add(-speed, at: now)
        }
        switch phase {
        case .grounded:
            if force < rule.flight { takeOff(force: force, at: now) }
            return nil
        case .rising(let rise):
            return climb(rise, force: force, at: now)
        case .airborne(let flight):
            return fly(flight, force: force, at: now)
        }
    }

    mutating func learn(_ airtimes: Airtimes) {
        self.airtimes = airtimes
        shift = airtimes.shift
    }

    /// What was half seen is forgotten; a jump that has begun ends with a landing that is seen, or when it would have been
    /// too long.
    mutating func interrupt() {
        previous = nil
        pushes = SlidingMaximum(span: Self.pushMemory)
        falls = SlidingMaximum(span: Self.fallMemory, atLeast: -.infinity)
        speed = 0
        switch phase {
        case .grounded: break
        case .rising: phase = .grounded
        case .airborne(var flight):
            flight.isUnseen = true
            phase = .airborne(flight)
        }
    }

    private mutating func takeOff(force: Double, at now: DeviceTime) {
        let start = now.crossing(of: rule.flight, force, since: previous)
        var rise = Rise(
            since: start, lowAt: now, push: pushes.value(of: Self.ownPush), speed: max(0, speed + falls.value),
            needed: minimumFlight, least: force)
        if rule.stride > .zero, pushes.value(of: Self.earlier) >= Self.step { rise.needed = runningFlight }
        if let light {
            if light.isFlight, start.isWithin(rule.stride, after: light.until) {
                rise.needed = runningFlight
                // The push that caught the fall from there was for that, as far as it was no crouch.
                rise.speed = max(0, rise.speed - max(0, standardGravity * light.lasting / 2 - Self.crouch))
            }
            if start.isWithin(Self.shortestContact, after: light.until) { rise.needed = .infinity }
        }
        phase = .rising(rise)
    }

    private mutating func climb(_ rise: Rise, force: Double, at now: DeviceTime) -> Recognition? {
        var rise = rise
        guard force < rule.flight else {
            guard now.seconds(since: rise.lowAt) > tolerance else { return nil }
            let lasting = rise.lowAt.seconds(since: rise.since)
            if lasting >= Self.shortestFlight { light = (rise.lowAt, lasting, rise.push >= rule.push) }
            phase = .grounded
            return nil
        }
        rise.lowAt = now
        rise.least = min(rise.least, force)
        phase = .rising(rise)
        let flown = now.seconds(since: rise.since)
        guard flown >= rise.needed, rise.push >= rule.push, rise.least <= Self.weightless, spin < rule.spin,
            !isTired(at: now)
        else { return nil }
        let foretold = foretold(rise)
        phase = .airborne(Flight(since: rise.since, foretold: foretold))
        firedAt = now
        return Recognition(
            .began, strength: strength(of: flown), confidence: 0.5 * rise.push / rule.push,
            measures: GestureMeasures(
                height: height(of: flown), flightTime: flown, timeToContact: max(0.02, foretold + shift - flown),
                timeToContactSpread: airtimes.spread))
    }

    /// How long such a flight lasts for most people, in s: who takes off faster lands later.
    ///
    /// A line through recorded jumps, flatter than 2 v/g: a device also regains what the crouch had taken, and sways.
    /// On people who were left out it errs by 18 ms in the mean.
    private func foretold(_ rise: Rise) -> Double { min(longestFlight, 0.15 + 0.08 * rise.speed) }

    private mutating func fly(_ flight: Flight, force: Double, at now: DeviceTime) -> Recognition? {
        var flight = flight
        if force < 1 {
            flight.touched = nil
        } else if flight.touched == nil {
            flight.touched = now.crossing(of: 1, force, since: previous)
        }
        // Who bounces is below 1 g as well, but not as light as who flies. Later than right after the hole, so light a
        // moment may be the dip before the next push-off.
        let fliesOn = previous == nil && force < rule.flight
        if fliesOn { flight.isUnseen = false }
        phase = .airborne(flight)
        let flown = now.seconds(since: flight.since)
        let isOverdue = flown > longestFlight || flown < 0
        let hasLanded = force > rule.landing && !isOverdue
        guard hasLanded || isOverdue else { return nil }
        phase = .grounded
        let until = flight.touched ?? now
        // Of one that nobody saw land it is not known with what speed it came down.
        light = (until, flight.isUnseen ? 0 : min(until.seconds(since: flight.since), longestFlight), true)
        guard hasLanded, let touched = flight.touched else { return Recognition(.ended, strength: 0, confidence: 0) }
        // It has landed, but nobody saw when: that says nothing of how high it was, nor of how long its player flies.
        guard !flight.isUnseen else {
            return Recognition(.ended, strength: 0, confidence: 1, measures: GestureMeasures(impact: force))
        }
        let airtime = touched.seconds(since: flight.since)
        var landing = Recognition(
            .ended, strength: strength(of: airtime), confidence: 1,
            measures: GestureMeasures(height: height(of: airtime), flightTime: airtime, impact: force))
        landing.airtimeDifference = airtime - flight.foretold
        return landing
    }

    private func isTired(at now: DeviceTime) -> Bool {
        firedAt.map { now.isWithin(rule.refractory, after: $0) } ?? false
    }

    private func height(of flown: Double) -> Double { standardGravity * flown * flown / 8 }
    private func strength(of flown: Double) -> Double { height(of: flown) / rule.fullHeight }
}
