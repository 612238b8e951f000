import WireProtocol

/// Bounds how often one machine may ask for a place, to the operator or in the queue: each time is told to the room.
///
/// 64 times at once, as a class behind one address does when the room opens, and once a second from then on. Who holds a
/// seat or a place already, and comes back to it, does not come here.
struct Doorbell: Sendable {
    /// Machines that are remembered: the one that asked longest ago gives way.
    static let mostSources = 128
    static let atOnce = 64.0
    static let perSecond = 1.0

    private struct Ringing {
        let machine: PeerAddress
        var allowance = PeerBudget.Allowance(perSecond: perSecond, depth: atOnce)
        var filledAt: HostTime
    }

    private var ringing: [Ringing] = []

    /// Whether one more is heard from there; what is asked on this machine's own behalf, without an address, always is.
    mutating func admits(_ source: PeerAddress?, now: HostTime) -> Bool {
        guard let machine = source?.machine else { return true }
        var own = Ringing(machine: machine, filledAt: now)
        if let place = ringing.firstIndex(where: { $0.machine == machine }) {
            own = ringing.remove(at: place)
        } else if ringing.count >= Self.mostSources {
            ringing.removeFirst()
        }
        own.allowance.fill(seconds: Double(max(0, (now - own.filledAt).wholeNanoseconds)) / 1e9)
        own.filledAt = max(own.filledAt, now)
        let isHeard = !own.allowance.isUsedUp
        if isHeard { own.allowance.spend(1) }
        ringing.append(own)
        return isHeard
    }

    /// The answer to whoever is not.
    static let refusal = Refusal(
        .full, message: "Too many ask from your network; wait a moment, and try again.", retryAfter: 10_000)
}
