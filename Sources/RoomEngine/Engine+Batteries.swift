import SessionCoordinator
public import WireProtocol

/// A device's battery runs low, or is charged again after it did.
public struct BatteryNotice: Hashable, Sendable {
    /// When it was noticed, on the host's clock.
    public var at: HostTime
    /// Whose controller it is, from 1; 0 for nobody's.
    public var player: PlayerNumber
    /// Which controller, by its stable identity.
    public var controller: ControllerID
    /// Charge, 0 to 100.
    public var percent: Int
    /// Whether it is being charged; `nil` where the device does not say.
    public var isCharging: Bool?
}

/// Batteries are watched, so that nobody's controller goes out in the middle of a game.
extension Engine {
    /// What was last said of a peer's battery.
    struct BatteryWatch: Sendable {
        /// The lowest limit that it was told to be under; `nil` while all is well.
        var told: Int?
        var toldAt: HostTime?
    }

    /// Told once as it falls to each of these, in percent.
    static let batteryLimits = [20, 10, 5]
    /// So much above a limit it counts as charged again.
    private static let recovered = 5
    /// However a guest's battery leaps, it is told this often at most.
    private static let toldEvery: Duration = .seconds(10)

    mutating func noteBattery(of peer: PeerIndex, now: HostTime) {
        guard let sitter = coordinator.sitter(at: peer), let (percent, isCharging) = coordinator.battery(of: peer)
        else {
            return
        }
        while batteries.count <= peer { batteries.append(BatteryWatch()) }
        let watch = batteries[peer]
        let reached = isCharging == true ? nil : Self.batteryLimits.last { percent <= $0 }
        let isWorse = reached.map { $0 < watch.told ?? .max } ?? false
        let isWell =
            watch.told.map { isCharging == true || percent > $0 + Self.recovered && reached == nil } ?? false
        guard isWorse || isWell, watch.toldAt.map({ now - $0 >= Self.toldEvery }) ?? true else { return }
        batteries[peer] = BatteryWatch(told: isWorse ? reached : nil, toldAt: now)
        publish(
            .battery(
                BatteryNotice(
                    at: now, player: sitter.player, controller: sitter.controller, percent: percent,
                    isCharging: isCharging)))
    }

    /// What samples have told since the last turn.
    mutating func noteBatteries(now: HostTime) {
        for (peer, percent) in sink.takeBatteryNews() {
            coordinator.learn(battery: percent, of: peer)
            noteBattery(of: peer, now: now)
        }
    }
}
