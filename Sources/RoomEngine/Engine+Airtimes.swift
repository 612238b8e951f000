import InputMerge
import SessionCoordinator
import WireProtocol

/// How long players fly: learnt with every jump, and kept with their leases now and then.
extension Engine {
    /// So long what jumps have taught may wait until it is kept: a disk is not to be written for each jump of a room that
    /// hops. A host that is killed forgets no more than that.
    static let airtimesPeriod: Duration = .seconds(10)

    /// A jump has ended, and may have shown something new of how long the player flies. Whoever sits here has it at once.
    mutating func learnAirtimes(of player: PlayerNumber, now: HostTime) {
        let learnt = sink.merge.airtimes(of: player)
        guard learnt.count > 0 else { return }
        var isNews = false
        for controller in drivers(of: player) {
            let known = talents[controller]?.airtimes ?? Airtimes()
            guard known.count != learnt.count || abs(known.shift - learnt.shift) > 0.01 else { continue }
            talents[controller] = talents(of: player)
            if !flown.contains(controller) { flown.append(controller) }
            isNews = true
        }
        guard isNews else { return }
        note(talentsOf: player, areNone: false)
        airtimesDue = min(airtimesDue, now + Self.airtimesPeriod)
    }

    mutating func forgetTalents(of controller: ControllerID) {
        talents[controller] = nil
        flown.removeAll { $0 == controller }
    }

    /// Has kept what jumps have taught since the last time.
    mutating func keepAirtimes() {
        airtimesDue = .distantFuture
        for controller in flown {
            if let kept = talents[controller] { outputs.append(.keep(controller, kept)) }
        }
        flown.removeAll(keepingCapacity: true)
    }
}
