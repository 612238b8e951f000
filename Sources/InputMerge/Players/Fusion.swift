import WireProtocol

/// Makes one kind of gesture of one player out of what the controllers that drive the player do.
///
/// With `.all(within: .milliseconds(300))` and two controllers:
/// ```
/// A   began────ended
/// B        began────ended
/// →        began────ended        once, at the later beginning and the last end
/// ```
/// Teams are made of their players in the same way: there a "peer" is a player.
struct Fusion: Sendable {
    /// A gesture of the player that begins, changes or ends.
    struct Outcome: Sendable {
        var id: GestureID
        /// When, how strong and how sure; its phase is the outcome's.
        var detection: Detection
        var controllers: [Int]
    }

    /// A gesture of the player.
    private struct Whole: Sendable {
        var id: GestureID
        var beganAt: HostTime
        /// By a button, as its beginning was told; so are all its parts.
        var isPressed: Bool
    }

    /// The last gesture of one controller, and what it became part of.
    private struct Part: Sendable {
        var onset: Detection
        var endedAt: HostTime?
        /// The player's gesture that it belongs to; `nil` while it waits for the others.
        var whole: Whole?
        /// It came after enough others, who have ended already: it begins nothing.
        var isSpent = false

        var peer: Int { onset.peer }
        var isWaiting: Bool { whole == nil && !isSpent }
    }

    let gathering: FusionRule.Gathering
    /// What the strengths of those who act together come to.
    let blend: FusionRule.Blend
    /// At most one for each controller, by peer.
    private var parts: [Part] = []
    /// Of each kind the last gesture that several made together, and who had a part in it; while others may still join.
    private var latest: [(kind: GestureKind?, whole: Whole, members: [Int])] = []

    init(_ gathering: FusionRule.Gathering, _ blend: FusionRule.Blend) {
        self.gathering = gathering
        self.blend = blend
    }

    /// A controller began, changed or ended the gesture.
    ///
    /// - Parameters:
    ///   - votes: whom the rule waits for.
    ///   - nextID: for a gesture that begins.
    mutating func take(_ detection: Detection, votes: Votes, nextID: GestureID) -> [Outcome] {
        let place = parts.firstIndex { $0.peer >= detection.peer } ?? parts.endIndex
        let isKnown = place < parts.endIndex && parts[place].peer == detection.peer
        switch detection.phase {
        case .began:
            if isKnown {
                parts[place] = Part(onset: detection)
            } else {
                parts.insert(Part(onset: detection), at: place)
            }
            guard gathering.window != nil else { return begin([place], votes: votes, id: nextID) }
            return joinLatest(place) ? [] : complete(votes: votes, nextID: nextID)
        case .changed:
            guard isKnown, parts[place].endedAt == nil, let whole = parts[place].whole else { return [] }
            var changed = detection
            changed.recognition.isPressed = whole.isPressed
            return [Outcome(id: whole.id, detection: changed, controllers: [detection.peer])]
        case .ended:
            guard isKnown, parts[place].endedAt == nil else { return [] }
            parts[place].endedAt = detection.occurredAt
            return parts[place].whole.flatMap { end(of: $0, by: detection) }.map { [$0] } ?? []
        }
    }

    /// The controller is gone: what it had begun ends, and nobody waits for it any more.
    mutating func remove(_ peer: Int, at time: HostTime) -> [Outcome] {
        guard let place = parts.firstIndex(where: { $0.peer == peer }) else { return [] }
        defer { parts.remove(at: place) }
        guard let whole = parts[place].whole, parts[place].endedAt == nil else { return [] }
        let end = parts[place].onset.ended(at: time)
        parts[place].endedAt = end.occurredAt
        return self.end(of: whole, by: end).map { [$0] } ?? []
    }

    /// Begins the player's gesture if enough of those who wait acted together, and not before `oldest`.
    ///
    /// Of several ways, the one that was complete first counts.
    mutating func complete(votes: Votes, oldest: HostTime? = nil, nextID id: GestureID) -> [Outcome] {
        guard let window = gathering.window else { return [] }
        let needed = gathering.needed(of: votes.total)
        guard needed > 0 else { return [] }
        let waiting = parts.indices.filter { parts[$0].isWaiting && votes.weight(of: parts[$0].peer) > 0 }
            .sorted { Detection.isBefore(parts[$0].onset, parts[$1].onset) }
        for (count, last) in waiting.enumerated() {
            let end = parts[last].onset.occurredAt
            // What players taught shares one fusion: a circle and a star are not together.
            let kind = parts[last].onset.recognition.kind
            let chosen = waiting[...count].filter {
                end - parts[$0].onset.occurredAt <= window && parts[$0].onset.recognition.kind == kind
            }
            guard chosen.reduce(0, { $0 + votes.weight(of: parts[$1].peer) }) >= needed else { continue }
            if let oldest, end < oldest { return [] }
            return begin(chosen.sorted(), votes: votes, id: id)
        }
        return []
    }

    private mutating func begin(_ chosen: [Int], votes: Votes, id: GestureID) -> [Outcome] {
        var together = parts[chosen[0]].onset
        for place in chosen.dropFirst() { together.join(parts[place].onset) }
        if chosen.count > 1 { together.recognition.strength = strength(of: chosen, votes: votes) }
        let whole = Whole(id: id, beganAt: together.occurredAt, isPressed: together.recognition.isPressed)
        for place in chosen { parts[place].whole = whole }
        let members = chosen.map { parts[$0].peer }
        let kind = together.recognition.kind
        if let window = gathering.window {
            latest.removeAll { $0.kind == kind || whole.beganAt - $0.whole.beganAt > window }
            latest.append((kind, whole, members))
        }
        let began = Outcome(id: id, detection: together, controllers: members)
        return [began] + (end(of: whole, by: together.ended(at: whole.beganAt)).map { [$0] } ?? [])
    }

    private func strength(of chosen: [Int], votes: Votes) -> Double {
        let onsets = chosen.map { parts[$0].onset }
        switch blend {
        case .first: return onsets.max(by: Detection.isBefore)?.recognition.strength ?? 0
        case .strongest: return onsets.map(\.recognition.strength).max() ?? 0
        case .sum, .mean:
            var (sum, weights) = (0.0, 0.0)
            for onset in onsets {
                let weight = Double(votes.weight(of: onset.peer))
                sum += weight * onset.recognition.strength
                weights += weight
            }
            return blend == .sum ? min(sum, 1) : sum / max(weights, 1)
        }
    }

    /// Whoever acts just after enough others did belongs to them, and begins nothing new with those who come later.
    private mutating func joinLatest(_ place: Int) -> Bool {
        // What players taught shares one fusion: who makes a star belongs to no circle.
        let kind = parts[place].onset.recognition.kind
        guard let window = gathering.window, let last = latest.firstIndex(where: { $0.kind == kind }) else {
            return false
        }
        let (whole, members) = (latest[last].whole, latest[last].members)
        let since = parts[place].onset.occurredAt - whole.beganAt
        // Who had a part in it already begins the next one.
        guard since <= window, !members.contains(parts[place].peer) else { return false }
        latest[last].members.append(parts[place].peer)
        if parts.contains(where: { $0.whole?.id == whole.id && $0.endedAt == nil }) {
            parts[place].whole = whole
        } else {
            parts[place].isSpent = true
        }
        return true
    }

    /// The end of the player's gesture, once the last of its controllers has ended.
    private func end(of whole: Whole, by detection: Detection) -> Outcome? {
        let members = parts.filter { $0.whole?.id == whole.id }
        var last = detection
        last.occurredAt = max(last.occurredAt, whole.beganAt)
        last.recognition.isPressed = whole.isPressed
        for member in members {
            guard let endedAt = member.endedAt else { return nil }
            last.occurredAt = max(last.occurredAt, endedAt)
        }
        return Outcome(id: whole.id, detection: last, controllers: members.map(\.peer))
    }
}
