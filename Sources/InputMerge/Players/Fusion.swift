import WireProtocol

/// Makes one kind of gesture of one player out of what the controllers that drive the player do.
///
/// With `.all(within: .milliseconds(300))` and two controllers:
/// ```
/// A   began────ended
/// B        began────ended
/// →        began────ended        once, at the later beginning and the last end
/// ```
struct Fusion: Sendable {
    /// A gesture of the player that begins, changes or ends.
    struct Outcome: Sendable {
        var id: GestureID
        /// When, how strong and how sure; its phase is the outcome's.
        var detection: Detection
        var controllers: [PeerIndex]
    }

    /// The last gesture of one controller, and what it became part of.
    private struct Part: Sendable {
        var onset: Detection
        var endedAt: HostTime?
        /// The player's gesture that it belongs to; `nil` while it waits for the others.
        var whole: (id: GestureID, beganAt: HostTime)?

        var peer: PeerIndex { onset.peer }
    }

    let rule: FusionRule
    /// At most one for each controller, by peer.
    private var parts: [Part] = []

    init(rule: FusionRule) { self.rule = rule }

    /// A controller began, changed or ended the gesture.
    ///
    /// - Parameters:
    ///   - live: the controllers that the rule waits for.
    ///   - nextID: for a gesture that begins.
    mutating func take(_ detection: Detection, live: [PeerIndex], nextID: GestureID) -> [Outcome] {
        let place = parts.firstIndex { $0.peer >= detection.peer } ?? parts.endIndex
        let isKnown = place < parts.endIndex && parts[place].peer == detection.peer
        switch detection.phase {
        case .began:
            if isKnown {
                parts[place] = Part(onset: detection)
            } else {
                parts.insert(Part(onset: detection), at: place)
            }
            return complete(live: live, nextID: nextID)
        case .changed:
            guard isKnown, parts[place].endedAt == nil, let whole = parts[place].whole else { return [] }
            return [Outcome(id: whole.id, detection: detection, controllers: [detection.peer])]
        case .ended:
            guard isKnown, parts[place].endedAt == nil else { return [] }
            parts[place].endedAt = detection.occurredAt
            return parts[place].whole.flatMap { end(of: $0, by: detection) }.map { [$0] } ?? []
        }
    }

    /// The controller is gone: what it had begun ends, and nobody waits for it any more.
    mutating func remove(_ peer: PeerIndex, at time: HostTime) -> [Outcome] {
        guard let place = parts.firstIndex(where: { $0.peer == peer }) else { return [] }
        defer { parts.remove(at: place) }
        guard let whole = parts[place].whole, parts[place].endedAt == nil else { return [] }
        let end = parts[place].onset.ended(at: time)
        parts[place].endedAt = end.occurredAt
        return self.end(of: whole, by: end).map { [$0] } ?? []
    }

    /// Begins the player's gesture if the rule is content with what waits, and that is not older than `oldest`.
    mutating func complete(live: [PeerIndex], oldest: HostTime? = nil, nextID id: GestureID) -> [Outcome] {
        let chosen = parts.indices.filter { parts[$0].whole == nil && live.contains(parts[$0].peer) }
        guard let first = chosen.first else { return [] }
        var whole = parts[first].onset
        var earliest = whole.occurredAt
        for place in chosen.dropFirst() {
            earliest = min(earliest, parts[place].onset.occurredAt)
            whole.join(parts[place].onset)
        }
        if case .all(let window) = rule {
            guard chosen.count == live.count, whole.occurredAt - earliest <= window else { return [] }
        }
        if let oldest, whole.occurredAt < oldest { return [] }
        for place in chosen { parts[place].whole = (id, whole.occurredAt) }
        let began = Outcome(id: id, detection: whole, controllers: chosen.map { parts[$0].peer })
        return [began] + (end(of: (id, whole.occurredAt), by: whole.ended(at: whole.occurredAt)).map { [$0] } ?? [])
    }

    /// The end of the player's gesture, once the last of its controllers has ended.
    private func end(of whole: (id: GestureID, beganAt: HostTime), by detection: Detection) -> Outcome? {
        let members = parts.filter { $0.whole?.id == whole.id }
        var last = detection
        last.occurredAt = max(last.occurredAt, whole.beganAt)
        for member in members {
            guard let endedAt = member.endedAt else { return nil }
            last.occurredAt = max(last.occurredAt, endedAt)
        }
        return Outcome(id: whole.id, detection: last, controllers: members.map(\.peer))
    }
}

extension Detection {
    /// Both together: as late and as vague as the worse, as strong and as sure as the weaker.
    fileprivate mutating func join(_ other: Detection) {
        occurredAt = max(occurredAt, other.occurredAt)
        if let mine = uncertaintyNanoseconds, let theirs = other.uncertaintyNanoseconds {
            uncertaintyNanoseconds = max(mine, theirs)
        } else {
            uncertaintyNanoseconds = nil
        }
        recognition.strength = min(recognition.strength, other.recognition.strength)
        recognition.confidence = min(recognition.confidence, other.recognition.confidence)
    }
}
