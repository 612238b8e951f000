/// How N controllers become one player: what their gestures come to, what their motion comes to, and what happens when
/// one of them is lost in the middle of the game.
///
/// A value: compare it, keep it, write it as text (`all:500ms,mean,hand-over`).
public struct FusionRule: Hashable, Sendable {
    /// What the controllers' gestures come to.
    public var gestures: Gathering
    /// What their motion comes to, and how strong a gesture is that they make together.
    public var motion: Blend
    /// What happens when one of them is lost in the middle of the game.
    public var whenLost: Loss

    /// A rule; without `motion`, ``Blend/first`` for `own` and `split`, ``Blend/mean`` for the others.
    public init(gestures: Gathering, motion: Blend? = nil, whenLost: Loss = .ignore) {
        self.gestures = gestures
        self.motion = motion ?? gestures.usualBlend
        self.whenLost = whenLost
    }

    /// What the controllers' gestures come to. "First" and "second" count a player's controllers in ascending order.
    ///
    /// Whether it was done within a rule's time is asked of each ``GestureEvent/occurredAt``, whatever its uncertainty:
    /// in a time that is shorter than two of those together, what was done at once may be told as apart.
    public enum Gathering: Hashable, Sendable {
        /// The first controller alone is the player; the others are spares.
        case own
        /// Whatever any controller does, the player does, each for itself.
        case any
        /// Synchrony: what every controller did within this time, the player did once. 10 ms to 10 s.
        case all(within: Duration)
        /// The same, as soon as enough of them did it.
        case quorum(Quorum, within: Duration)
        /// Roles: the first controller makes the gestures of the first list, the second those of the second. What no
        /// list names, anybody makes. With fewer controllers than roles they take several each, in turn; a controller
        /// beyond the roles is a spare.
        case split([[GestureKind]])
    }

    /// How many are enough.
    public enum Quorum: Hashable, Sendable {
        /// So many controllers, or all if there are fewer: 1 to 1,000.
        case count(Int)
        /// At least this share of the controllers: 2 of 3 is four of six, and two of two.
        case share(Int, of: Int)
    }

    /// What the controllers' motion comes to, by pull (``Merge/state(of:at:)``), and how strong a gesture is that they
    /// make together.
    ///
    /// Each counts by the time that it covers, never by how many samples it sends: where several are blended, their
    /// accelerations and rotation rates are means that fade with 25 ms. One controller alone is shown as it is. Of one
    /// that sends nothing while others do, for 50 ms and ``MergeConfiguration/holdback`` more than it usually takes,
    /// only the posture counts, and it is never the strongest.
    public enum Blend: Hashable, Sendable {
        /// The first controller that is heard, so that the attitude does not jump to and fro; with `own`, the one that
        /// is the player; with `split`, whoever tilts, else the first role. A gesture is as strong as the last one's
        /// that was needed for it.
        case first
        /// Accelerations, rotation rates, headings and tilts add up, gravity points where it does on average.
        /// Strengths add up to 1 at most.
        case sum
        /// The middle of all, of strengths too.
        case mean
        /// The motion of the controller that has most of this; of strengths the greatest.
        case strongest(Measure)
    }

    /// What makes one controller's motion the strongest.
    public enum Measure: String, Hashable, Sendable, Codable, CaseIterable {
        /// User acceleration in g.
        case acceleration
        /// Rotation rate in rad/s.
        case rotation
        /// The angle to level in rad.
        case tilt
    }

    /// What becomes of the share of a controller that fell silent (``MergeConfiguration/silence``) and still has its
    /// seat. One whose seat is free again is gone: it has no share, and the others move up. The role of one that was not
    /// heard yet, as after a restart of the host, goes in the same way.
    public enum Loss: String, Hashable, Sendable, Codable, CaseIterable {
        /// Its share stays its own. `all` waits for it, a quorum counts it among the absent, its role rests, and its
        /// last posture stays in the blend, which is stale.
        case wait
        /// Its share is gone until it is back. `all` is all of those who are left; its role is anybody's. (With `own`
        /// it is the player itself, whom the others are spares for by `handOver` only.)
        case ignore
        /// Its share goes to the next controller that is heard: a spare first, else the next in order, around. That one
        /// has two votes, two roles, and counts twice in sums and means.
        case handOver = "hand-over"
    }

    /// The first controller plays, the others are spares.
    public static let own = FusionRule(gestures: .own)
    /// Whatever one of them does counts.
    public static let any = FusionRule(gestures: .any)
    /// What all of them did within this time counts, once. 10 ms to 10 s.
    public static func all(within window: Duration) -> FusionRule { FusionRule(gestures: .all(within: window)) }
    /// What enough of them did within this time counts, once. 10 ms to 10 s.
    public static func quorum(_ quorum: Quorum, within window: Duration) -> FusionRule {
        FusionRule(gestures: .quorum(quorum, within: window))
    }
    /// Each makes the gestures of one list.
    public static func split(_ roles: [[GestureKind]]) -> FusionRule { FusionRule(gestures: .split(roles)) }

    /// Which value is out of its range, in words for whoever set it; `nil` when all are usable.
    public var problem: String? {
        switch gestures {
        case .own, .any: nil
        case .all(let window): Self.problem(window)
        case .quorum(let quorum, let window): quorum.problem ?? Self.problem(window)
        case .split(let roles): Self.problem(roles)
        }
    }

    private static func problem(_ window: Duration) -> String? {
        outOfRange("within", window, in: .milliseconds(10) ... .seconds(10))
    }

    private static func problem(_ roles: [[GestureKind]]) -> String? {
        if roles.isEmpty || roles.contains(where: \.isEmpty) { return "each role needs a gesture" }
        if roles.count > 64 { return "there are \(roles.count) roles, but at most 64 are allowed" }
        var seen: [GestureKind] = []
        for kind in roles.joined() {
            if seen.contains(kind) { return "\(kind.rawValue) belongs to two roles" }
            seen.append(kind)
        }
        return nil
    }
}

extension FusionRule.Quorum {
    var problem: String? {
        switch self {
        case .count(let count):
            (1...1_000).contains(count) ? nil : "a quorum of \(count) is none: 1 to 1000 controllers"
        case .share(let part, let whole):
            (1...1_000).contains(whole) && (1...whole).contains(part)
                ? nil : "a quorum of \(part)/\(whole) is none: such as 2/3"
        }
    }

    /// How many votes of `total` are enough.
    func needed(of total: Int) -> Int {
        switch self {
        case .count(let count): min(count, total)
        case .share(let part, let whole): (total * part + whole - 1) / whole
        }
    }
}

extension FusionRule.Gathering {
    /// Who waits for others does so for at most this long; `nil` where nobody waits.
    var window: Duration? {
        switch self {
        case .own, .any, .split: nil
        case .all(let window), .quorum(_, let window): window
        }
    }

    var usualBlend: FusionRule.Blend {
        switch self {
        case .own, .split: .first
        case .any, .all, .quorum: .mean
        }
    }

    func needed(of total: Int) -> Int {
        switch self {
        case .own, .any, .split: 1
        case .all: total
        case .quorum(let quorum, _): quorum.needed(of: total)
        }
    }
}
