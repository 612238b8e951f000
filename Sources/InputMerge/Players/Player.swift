import WireProtocol

/// One player: who drives it, and what it is doing.
struct Player: Sendable {
    let number: PlayerNumber
    /// In ascending order.
    var controllers: [PeerIndex] = []
    /// One for each of the configuration's gestures.
    var fusions: [Fusion]
    private var lastSerial: UInt64 = 0

    init(number: PlayerNumber, rule: FusionRule, gestures: Int) {
        self.number = number
        fusions = Array(repeating: Fusion(rule: rule), count: gestures)
    }

    mutating func add(_ peer: PeerIndex) {
        guard !controllers.contains(peer) else { return }
        let place = controllers.firstIndex { $0 > peer } ?? controllers.endIndex
        controllers.insert(peer, at: place)
    }

    /// What the player does because a controller did something. `live` are those of its controllers that are heard.
    mutating func take(_ detection: Detection, live: [PeerIndex]) -> [Fusion.Outcome] {
        // With `.any` nobody waits for anybody: each controller makes gestures of its own.
        let awaited = fusions[detection.gesture].rule == .any ? [detection.peer] : live
        return count(fusions[detection.gesture].take(detection, live: awaited, nextID: nextID))
    }

    /// Forgets a controller at `now`. `live` are those that remain: what only waited for the forgotten one is complete
    /// now, unless it is older than the rule's window.
    mutating func remove(
        _ peer: PeerIndex, live: [PeerIndex], now: HostTime
    ) -> [(gesture: Int, outcome: Fusion.Outcome)] {
        controllers.removeAll { $0 == peer }
        var outcomes: [(Int, Fusion.Outcome)] = []
        for gesture in fusions.indices {
            outcomes += fusions[gesture].remove(peer, at: now).map { (gesture, $0) }
            guard case .all(let window) = fusions[gesture].rule else { continue }
            let completed = fusions[gesture].complete(live: live, oldest: now - window, nextID: nextID)
            outcomes += count(completed).map { (gesture, $0) }
        }
        return outcomes
    }

    private var nextID: GestureID { GestureID(player: number, serial: lastSerial + 1) }

    private mutating func count(_ outcomes: [Fusion.Outcome]) -> [Fusion.Outcome] {
        if outcomes.contains(where: { $0.detection.phase == .began }) { lastSerial += 1 }
        return outcomes
    }
}
