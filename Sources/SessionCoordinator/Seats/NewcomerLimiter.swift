import WireProtocol

/// Bounds how often newcomers from one address may ask for a place: each time is told to the room.
///
/// 64 times at once, as a class behind one address does when the room opens, and once a second from then on; from one IPv6
/// network, of which a machine has all addresses that it likes and a whole house shares one, four times as often. Who holds
/// a seat or a place already, and comes back to it, does not come here.
struct NewcomerLimiter: Sendable {
    /// Addresses that are remembered, and networks: the one that asked longest ago gives way.
    static let mostSources = 128
    static let atOnce = 64.0
    static let perSecond = 1.0
    /// A network's share.
    static let ofNetwork = 4.0

    private struct Source {
        let source: PeerAddress
        var allowance: PeerBudget.Allowance
        var filledAt: HostTime
    }

    private let atOnce: Double
    private let perSecond: Double
    private var addresses: [Source] = []
    private var networks: [Source] = []

    /// - Parameters:
    ///   - atOnce: so often after a time of rest.
    ///   - perSecond: so often from then on.
    init(atOnce: Double = Self.atOnce, perSecond: Double = Self.perSecond) {
        (self.atOnce, self.perSecond) = (atOnce, perSecond)
    }

    /// Whether one more is heard from there; what is asked on this machine's own behalf, without an address, always is.
    mutating func admits(_ source: PeerAddress?, now: HostTime) -> Bool {
        guard let source else { return true }
        // An IPv4 address is a network of its own.
        var own = take(source.withoutPort, of: \.addresses, share: 1, now: now)
        var shared = take(source.machine, of: \.networks, share: Self.ofNetwork, now: now)
        let isHeard = !own.allowance.isUsedUp && !shared.allowance.isUsedUp
        if isHeard {
            own.allowance.spend(1)
            shared.allowance.spend(1)
        }
        addresses.append(own)
        networks.append(shared)
        return isHeard
    }

    /// Takes the one out, filled for the time that has passed.
    private mutating func take(
        _ source: PeerAddress, of list: WritableKeyPath<NewcomerLimiter, [Source]>, share: Double, now: HostTime
    ) -> Source {
        guard let place = self[keyPath: list].firstIndex(where: { $0.source == source }) else {
            if self[keyPath: list].count >= Self.mostSources { self[keyPath: list].removeFirst() }
            let allowance = PeerBudget.Allowance(perSecond: share * perSecond, depth: share * atOnce)
            return Source(source: source, allowance: allowance, filledAt: now)
        }
        var found = self[keyPath: list].remove(at: place)
        found.allowance.fill(seconds: Double(max(0, (now - found.filledAt).wholeNanoseconds)) / 1e9)
        found.filledAt = max(found.filledAt, now)
        return found
    }

    /// The answer to whoever is not.
    static let refusal = Refusal(
        .full, message: "Too many ask from your network; wait a moment, and try again.", retryAfter: 10_000)
}
