public import WireProtocol

/// What one controller may make a room say: gestures, what is told of its sensors, and what its water sensors tell.
///
/// Each allowance is far above what a person and honest sensors reach, an outage's worth of gestures at once included. What
/// goes beyond it is left out whole, from *began* to *ended*, and counted: a room tells how much that was, and what it tells
/// of one controller has an end.
struct Voice: Sendable {
    /// A person makes a handful of gestures a second; what was saved in an outage of 10 s comes at once.
    private var gestures = TokenBucket(perSecond: 20, depth: 240)
    /// Eight sensors that begin anew with all that can be wrong with them; then two notices a second.
    private var notices = TokenBucket(perSecond: 2, depth: 64)
    /// A water sensor tells twice a second at most, and a controller has eight at most; what was saved in an outage of a
    /// minute comes at once.
    private var depths = TokenBucket(perSecond: 16, depth: 128)
    /// Motion that goes on is looked at ten times a second; what is more of it is not missed, as the newest counts.
    private var shapings = TokenBucket(perSecond: 10, depth: 20)
    /// For whom a motion is told that goes on; `nil` while none is.
    private var shapingPlayer: PlayerNumber?
    /// Gestures whose beginning was left out, by their place among the recognizers.
    private var muted: [Int] = []
    /// Left out since that was last told.
    private var omitted = 0

    /// Whether a part of a gesture is told. An end is, if its beginning was.
    mutating func admits(_ phase: GestureEvent.Phase, of gesture: Int, at now: HostTime) -> Bool {
        switch phase {
        case .began:
            if gestures.take(at: now.nanoseconds) { return true }
            if !muted.contains(gesture) { muted.append(gesture) }
        case .changed: if !muted.contains(gesture), gestures.take(at: now.nanoseconds) { return true }
        case .ended:
            guard let place = muted.firstIndex(of: gesture) else { return true }
            muted.remove(at: place)
        }
        omitted += 1
        return false
    }

    /// Whether it is told what a motion may become, to whom, and as which part; an end is, if there was a beginning.
    mutating func admits(
        _ shaping: Shaping, of player: PlayerNumber?, at now: HostTime
    ) -> (phase: GestureEvent.Phase, player: PlayerNumber)? {
        let (before, phase) = (shapingPlayer, shapingPlayer == nil ? GestureEvent.Phase.began : .changed)
        if shaping == .over {
            shapingPlayer = nil
            return before.map { (.ended, $0) }
        }
        guard let player = before ?? player, shapings.take(at: now.nanoseconds) else { return nil }
        shapingPlayer = player
        return (phase, player)
    }

    /// Whether one more notice of a sensor is told.
    mutating func admitsNotice(at now: HostTime) -> Bool {
        if notices.take(at: now.nanoseconds) { return true }
        omitted += 1
        return false
    }

    /// Whether one more reading of a water sensor is told.
    mutating func admitsDepth(at now: HostTime) -> Bool {
        if depths.take(at: now.nanoseconds) { return true }
        omitted += 1
        return false
    }

    /// How much was left out since the last time.
    mutating func takeOmissions() -> Int {
        defer { omitted = 0 }
        return omitted
    }
}

/// So much of what one controller did was not told, as it was more than anybody does.
public struct Omission: Hashable, Sendable {
    /// Whose deeds were left out.
    public var peer: PeerIndex
    /// Parts of gestures, notices of sensors, and readings of water sensors.
    public var count: Int
    /// When it was noticed, on the host's clock.
    public var occurredAt: HostTime
}

extension Merge {
    /// How often it is said that something was left out.
    private static let omissionsEvery: Duration = .seconds(5)

    /// Whether a detection is told; what one controller may make the room say has an end.
    mutating func admits(_ detection: Detection) -> Bool {
        let now = now
        let isAdmitted =
            peers.update(detection.peer) { $0.voice.admits(detection.phase, of: detection.gesture, at: now) } ?? true
        if !isAdmitted { omissionsDue = min(omissionsDue, now + Self.omissionsEvery) }
        return isAdmitted
    }

    /// Whether a sensor's notice is told.
    mutating func admitsNotice(of peer: PeerIndex) -> Bool {
        guard !peers[peer, default: Peer()].voice.admitsNotice(at: now) else { return true }
        omissionsDue = min(omissionsDue, now + Self.omissionsEvery)
        return false
    }

    /// Whether what a water sensor tells is told.
    mutating func admitsDepth(of peer: PeerIndex) -> Bool {
        guard !peers[peer, default: Peer()].voice.admitsDepth(at: now) else { return true }
        omissionsDue = min(omissionsDue, now + Self.omissionsEvery)
        return false
    }

    /// Says how much was left out, when that is due.
    mutating func noteOmissions() {
        guard now >= omissionsDue else { return }
        omissionsDue = .distantFuture
        for peer in peers.keys { noteOmissions(of: peer) }
    }

    mutating func noteOmissions(of peer: PeerIndex) {
        guard let count = peers.update(peer, { $0.voice.takeOmissions() }), count > 0 else { return }
        omissions.append(Omission(peer: peer, count: count, occurredAt: now))
    }
}
