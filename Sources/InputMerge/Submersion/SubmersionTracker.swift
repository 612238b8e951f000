import WireProtocol

/// Follows one sensor's readings, and says when its state changes and, under water, once a second where it is.
struct SubmersionTracker: Sendable {
    /// What is worth telling.
    struct News: Hashable, Sendable {
        var state: SubmersionState
        /// The state that ends with it; `nil` while it goes on.
        var from: SubmersionState?
        /// What it rests on.
        var reading: Submersion
    }

    /// What the sensor can measure, in m.
    let maximumDepth: Double
    /// As it was told last.
    private(set) var state = SubmersionState.unknown
    /// The newest reading, as it is believed.
    private(set) var newest = Submersion()
    /// When it was read, by the host's clock; `nil` while nothing is known.
    private(set) var readAt: HostTime?
    private var told = Submersion()
    private var toldAt: HostTime?
    /// When the state changed last, which it does not do again at once; how deep it is may have been told since.
    private var changedAt: HostTime?

    /// Within so many m of where a state begins it does not end: waves must not make it flicker.
    private static let hysteresis = 0.05
    /// No state changes again sooner, whatever a sensor, or who made it up, says: what it is then is told.
    private static let shortest: Duration = .milliseconds(500)
    /// So often it is told how deep, while the state goes on under water.
    private static let period: Duration = .seconds(1)

    init(maximumDepth: Double) { self.maximumDepth = maximumDepth }

    /// The same sensor, declared anew: what was told of it still holds.
    init(_ before: SubmersionTracker, maximumDepth: Double) {
        self.maximumDepth = maximumDepth
        (state, newest, readAt) = (before.state, before.newest, before.readAt)
        (told, toldAt, changedAt) = (before.told, before.toldAt, before.changedAt)
    }

    /// What the next reading tells, if anything.
    mutating func update(_ reading: Submersion, at time: HostTime) -> News? {
        newest = reading.believed(maximumDepth: maximumDepth)
        readAt = time
        let next = SubmersionState(newest, maximumDepth: maximumDepth)
        let isChange = next != state && !isHovering(below: next)
        if isChange {
            guard changedAt.map({ time - $0 >= Self.shortest }) ?? true else { return nil }
            changedAt = time
        } else {
            let isUnderWater = state != .unknown && state != .notSubmerged
            guard isUnderWater, newest != told, toldAt.map({ time - $0 >= Self.period }) ?? true else { return nil }
        }
        let news = News(state: isChange ? next : state, from: isChange ? state : nil, reading: newest)
        (state, told, toldAt) = (news.state, newest, time)
        return news
    }

    /// This was told last, whatever else it said.
    mutating func stand(at told: SubmersionState) { state = told }

    /// Nothing comes any more: what was told does not hold.
    mutating func loseSight(at time: HostTime) -> News? {
        (newest, readAt) = (Submersion(), nil)
        guard state != .unknown else { return nil }
        let news = News(state: .unknown, from: state, reading: newest)
        (state, told, toldAt, changedAt) = (.unknown, newest, time, time)
        return news
    }

    /// Whether a rise is too small to count; going deeper counts at once.
    private func isHovering(below next: SubmersionState) -> Bool {
        guard let depth = newest.depth, let old = state.depthRank, let new = next.depthRank, new < old else {
            return false
        }
        var deeper = newest
        deeper.depth = depth + Self.hysteresis
        return SubmersionState(deeper, maximumDepth: maximumDepth) == state
    }
}

extension Submersion {
    /// Fresh water at 25 °C has 997 kg/m³, the sea at most 1,030: so many kPa more are one m more, and may be so much of it
    /// more or less, as nobody says in what water the device is.
    private static let pressurePerMeter = (997 + 1_030) / 2 * 9.80665 / 1_000
    private static let densityUncertainty = (1_030 - 997) / (1_030.0 + 997)
    /// Of a depth that was reckoned of two pressures: both are told to half a step, and so is what follows.
    private static let reckoningUncertainty = 0.1 / pressurePerMeter + 0.01

    /// The same without what no water and no air have, and without what does not apply to its condition.
    ///
    /// Where a device reads pressures alone its depth follows from them, and the farther down the less exactly. A depth
    /// beyond what the sensor measures is not known.
    func believed(maximumDepth: Double) -> Submersion {
        var believed = Submersion(condition)
        believed.surfacePressure = surfacePressure.flatMap { (30...120).contains($0) ? $0 : nil }
        guard condition != .unknown, condition != .notSubmerged else { return believed }
        believed.pressure = pressure.flatMap { $0 >= 30 ? $0 : nil }
        if let temperature, (-5...110).contains(temperature) {
            believed.temperature = temperature
            believed.temperatureUncertainty = temperatureUncertainty.flatMap { $0 <= 100 ? $0 : nil }
        }
        guard condition == .submerged else { return believed }
        if let depth {
            (believed.depth, believed.depthUncertainty) = (depth, depthUncertainty)
        } else if let above = believed.surfacePressure, let around = believed.pressure {
            let depth = (around - above) / Self.pressurePerMeter
            believed.depth = depth
            believed.depthUncertainty = max(0, depth) * Self.densityUncertainty + Self.reckoningUncertainty
        }
        guard let depth = believed.depth, !(-1...maximumDepth).contains(depth) else { return believed }
        believed.condition = depth > maximumDepth ? .pastMaxDepth : .sensorDepthError
        (believed.depth, believed.depthUncertainty) = (nil, nil)
        return believed
    }
}
