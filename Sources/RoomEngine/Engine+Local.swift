public import InputMerge
import SessionCoordinator
public import WireProtocol

/// What came of a gesture that a controller found by itself.
public struct LocalVerdict: Hashable, Sendable {
    /// Whose controller it is, from 1.
    public var player: PlayerNumber
    /// Which controller, by its stable identity.
    public var controller: ControllerID
    /// What the controller found.
    public var gesture: GestureKind
    /// When it occurred by the controller's word, on the host's clock.
    public var occurredAt: HostTime
    /// When its player felt it, by the controller's word; `nil` where nothing was played.
    public var feltAt: HostTime?
    /// The host's own gesture that it was; `nil` where the host saw none.
    public var confirmedBy: GestureID?
}

/// Gestures that controllers find by themselves: felt at once, and held against what the host sees in the same samples.
extension Engine {
    /// A gesture that a controller says it has found.
    struct LocalClaim: Sendable {
        var peer: PeerIndex
        var id: UInt32
        var gesture: GestureKind
        var occurredAt: HostTime
        var heardAt: HostTime
        var feltAt: HostTime?
        var confirmedBy: GestureID?
    }

    /// One of the host's own, which a controller may have found, too, and says so late.
    struct UnclaimedGesture: Sendable {
        var peer: PeerIndex
        var gesture: GestureKind
        var id: GestureID
        var occurredAt: HostTime
        var toldAt: HostTime
    }

    /// For so long the one waits for the other.
    private static let localPatience: Duration = .seconds(1)
    /// So far apart the two may be: a controller's gravity is not quite the host's, and the clocks are mapped.
    private static let localTolerance: Duration = .milliseconds(80)
    /// What a controller plays by itself, where gestures are answered.
    private static let localHaptic = Haptic(id: 0)
    /// It plays it within so long after the gesture.
    private static let localDelay: Duration = .milliseconds(100)
    /// So many of one peer wait at most.
    static let mostClaims = 8
    /// Of all peers.
    static let mostUnclaimed = 64

    /// When a claim has waited long enough.
    var claimsDue: HostTime? { claims.first.map { $0.heardAt + Self.localPatience } }

    /// Tells a controller what to look for.
    ///
    /// - Parameter isAsked: somebody asks for it now: whatever was told before, also by a host before this one.
    mutating func tellDetection(to peer: PeerIndex, isAsked: Bool = false) {
        let isTold = detectionTold.indices.contains(peer) && detectionTold[peer]
        if configuration.localGestures.isEmpty, !isTold, !isAsked { return }
        while detectionTold.count <= peer { detectionTold.append(false) }
        detectionTold[peer] = coordinator.send(.detect(detection), to: peer) && !configuration.localGestures.isEmpty
    }

    private var detection: LocalDetection {
        var tap: LocalDetection.Tap?
        if configuration.localGestures.contains(.tap) {
            for definition in configuration.merge.gestures {
                guard case .tap(let rule) = definition.rule else { continue }
                tap = LocalDetection.Tap(
                    knock: rule.knock, calm: rule.calm, turn: rule.turn, longest: rule.longest, quiet: rule.quiet)
            }
        }
        var haptic = Self.localHaptic
        if !configuration.answersGesturesWithHaptics { haptic.duration = .zero }
        return LocalDetection(tap: tap, haptic: haptic)
    }

    /// Controllers look for these from now on.
    mutating func detect(_ gestures: [GestureKind]) -> Result<RoomAnswer, RoomError> {
        if let problem = configuration.problem(ofLocal: gestures) { return .failure(RoomError(.badOption, problem)) }
        configuration.localGestures = EngineConfiguration.gesturesFoundLocally.filter(gestures.contains)
        for peer in coordinator.seatedPeers { tellDetection(to: peer, isAsked: true) }
        return .success(.done)
    }

    /// What controllers say they have found since the last turn: before what the host sees is told.
    mutating func noteFinds(now: HostTime) {
        for action in coordinator.takeFinds() {
            switch action {
            case .found(let peer, let find, let at): claim(find, of: peer, at: at, now: now)
            case .felt(let peer, let id, let at): noteFelt(id, on: peer, at: at)
            default: break
            }
        }
    }

    mutating func claim(_ find: LocalFind, of peer: PeerIndex, at occurredAt: HostTime, now: HostTime) {
        let gesture: GestureKind =
            switch find.gesture {
            case .tap: .tap
            }
        guard configuration.localGestures.contains(gesture), coordinator.sitter(at: peer).map(isAssigned) == true,
            !claims.contains(where: { $0.peer == peer && $0.id == find.id })
        else { return }
        if claims.count(where: { $0.peer == peer }) >= Self.mostClaims,
            let oldest = claims.firstIndex(where: { $0.peer == peer })
        {
            publish(.local(verdict(claims.remove(at: oldest))))
        }
        var claim = LocalClaim(peer: peer, id: find.id, gesture: gesture, occurredAt: occurredAt, heardAt: now)
        let place = unclaimed.firstIndex {
            $0.peer == peer && now - $0.toldAt < Self.localPatience && Self.isOne(claim, $0.gesture, $0.occurredAt)
        }
        if let place {
            claim.confirmedBy = unclaimed.remove(at: place).id
        }
        claims.append(claim)
        guard configuration.answersGesturesWithHaptics else { return }
        sink.tell {
            $0.hapticStarts(
                find.id, on: peer, between: occurredAt, and: occurredAt + Self.localDelay,
                duration: Self.localHaptic.duration)
        }
    }

    mutating func noteFelt(_ id: UInt32, on peer: PeerIndex, at time: HostTime?) {
        guard let place = claims.firstIndex(where: { $0.peer == peer && $0.id == id }) else { return }
        if let time {
            claims[place].feltAt = time
            sink.tell {
                $0.hapticStarts(id, on: peer, between: time, and: time, duration: Self.localHaptic.duration)
            }
        } else {
            sink.tell { $0.hapticCancelled(id, on: peer) }
        }
    }

    /// The host has seen a gesture begin on this controller.
    ///
    /// - Returns: whether the controller had found it by itself, so that its player feels it already.
    mutating func confirm(_ gesture: GestureEvent, on peer: PeerIndex, now: HostTime) -> Bool {
        guard configuration.localGestures.contains(gesture.gesture), gesture.source == .motion else { return false }
        let place = claims.firstIndex {
            $0.peer == peer && $0.confirmedBy == nil && Self.isOne($0, gesture.gesture, gesture.occurredAt)
        }
        guard let place else {
            if unclaimed.count >= Self.mostUnclaimed { unclaimed.removeFirst() }
            unclaimed.append(
                UnclaimedGesture(
                    peer: peer, gesture: gesture.gesture, id: gesture.id, occurredAt: gesture.occurredAt, toldAt: now))
            return false
        }
        claims[place].confirmedBy = gesture.id
        return true
    }

    private static func isOne(_ claim: LocalClaim, _ gesture: GestureKind, _ occurredAt: HostTime) -> Bool {
        claim.gesture == gesture && claim.occurredAt.distance(to: occurredAt) <= localTolerance
    }

    /// Tells what has waited long enough.
    mutating func settleClaims(now: HostTime) {
        let isFelt = configuration.answersGesturesWithHaptics
        func isSettled(_ claim: LocalClaim) -> Bool {
            now - claim.heardAt >= Self.localPatience
                || claim.confirmedBy != nil && (claim.feltAt != nil || !isFelt)
        }
        for claim in claims where isSettled(claim) { publish(.local(verdict(claim))) }
        claims.removeAll(where: isSettled)
        unclaimed.removeAll { now - $0.toldAt >= Self.localPatience }
    }

    /// Whoever leaves claims nothing more; what it had claimed is told under its own name.
    mutating func settleClaims(of peer: PeerIndex) {
        for claim in claims where claim.peer == peer { publish(.local(verdict(claim))) }
        claims.removeAll { $0.peer == peer }
        unclaimed.removeAll { $0.peer == peer }
        if detectionTold.indices.contains(peer) { detectionTold[peer] = false }
    }

    private func verdict(_ claim: LocalClaim) -> LocalVerdict {
        LocalVerdict(
            player: player(of: claim.peer), controller: controller(claim.peer), gesture: claim.gesture,
            occurredAt: claim.occurredAt, feltAt: claim.feltAt, confirmedBy: claim.confirmedBy)
    }
}
