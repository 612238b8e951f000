import SessionCoordinator
import WireProtocol

/// What those who wait for a seat may rely on, judged by what they are told alone: a place never gets worse, and nobody
/// gets a seat before somebody who was told a better place and is still there.
struct QueueLaw: Law, Sendable {
    private struct Waiting {
        let controller: ControllerID
        var place: Int
        /// Since when it has no connection.
        var awaySince: HostTime?
    }

    private var waiting: [Waiting] = []
    var problems: [String] = []

    mutating func told(_ place: Int, _ controller: ControllerID) {
        guard let index = waiting.firstIndex(where: { $0.controller == controller }) else {
            return waiting.append(Waiting(controller: controller, place: place))
        }
        if place > waiting[index].place, waiting[index].awaySince == nil {
            problems.append("\(controller) fell back from place \(waiting[index].place) to \(place)")
        }
        waiting[index].place = place
        waiting[index].awaySince = nil
    }

    mutating func seated(_ controller: ControllerID) {
        guard let index = waiting.firstIndex(where: { $0.controller == controller }) else { return }
        let own = waiting.remove(at: index)
        for other in waiting where other.awaySince == nil && other.place < own.place {
            problems.append(
                "\(controller) at place \(own.place) was seated before \(other.controller) at \(other.place)")
        }
    }

    mutating func lostConnection(_ controller: ControllerID, now: HostTime) {
        guard let index = waiting.firstIndex(where: { $0.controller == controller }) else { return }
        waiting[index].awaySince = now
    }

    /// It asks again: after more than 30 s without a connection it stands where newcomers do.
    mutating func asks(_ controller: ControllerID, now: HostTime) {
        guard let index = waiting.firstIndex(where: { $0.controller == controller }) else { return }
        if waiting[index].awaySince.map({ now - $0 >= .seconds(30) }) ?? false { waiting.remove(at: index) }
    }

    mutating func left(_ controller: ControllerID) { waiting.removeAll { $0.controller == controller } }

    /// The operator calls somebody in, or the host begins anew: what was told before binds nobody.
    mutating func isMeddledWith() { waiting = [] }
}
