import InputMerge
import RoomEngine
import WireProtocol

/// Holds what controllers found by themselves against what the room says came of it.
///
/// Each find has one verdict at most, and exactly one where nothing befell its controller: at its time within what the room
/// admits not to know, felt when it was felt. No gesture of the host's confirms two. A tap is felt once, unless the way may
/// have lost the news of it.
struct TapLaw: Law, Sendable {
    private struct Find: Sendable {
        var controller: ControllerID
        var at: HostTime
        /// Its network delivers everything, and soon.
        var isSure: Bool
        var verdicts = 0
        var confirmedBy: GestureID?
    }

    /// So far from its find a verdict may be told: two taps of one hand lie farther apart.
    private static let tolerance: Duration = .milliseconds(400)
    /// A find waits a second, and may come late by what a repeat takes.
    private static let patience: Duration = .seconds(4)

    private var finds: [Find] = []
    private var confirmed: Set<GestureID> = []
    /// Gestures that the host answered itself.
    private var answered: Set<GestureID> = []
    var problems: [String] = []
    private(set) var judged = 0

    mutating func found(_ controller: ControllerID, at: HostTime, isSure: Bool) {
        finds.append(Find(controller: controller, at: at, isSure: isSure))
    }

    /// Another host knows nothing of what the one before it had heard.
    mutating func hostRestarted() { (confirmed, answered) = ([], []) }

    mutating func told(_ verdict: LocalVerdict) {
        let place = finds.indices.filter { finds[$0].controller == verdict.controller }
            .min { finds[$0].at.distance(to: verdict.occurredAt) < finds[$1].at.distance(to: verdict.occurredAt) }
        // Of one that was long under way, or whose clock was set, nobody can say which it was.
        guard let place, finds[place].at.distance(to: verdict.occurredAt) < Self.tolerance else { return }
        finds[place].verdicts += 1
        guard let id = verdict.confirmedBy else { return }
        finds[place].confirmedBy = id
        if !confirmed.insert(id).inserted { problems.append("\(id) confirms two finds") }
    }

    /// The host had a controller shaken in answer to this gesture.
    mutating func answered(_ gesture: GestureID) { answered.insert(gesture) }

    /// Judges what is over.
    mutating func settle(now: HostTime, _ pushes: PushLaw) {
        while let find = finds.first, now - find.at > Self.patience {
            finds.removeFirst()
            let (who, isCalm) = (find.controller.low, pushes.isCalm(find.controller, since: find.at - PushLaw.calm))
            guard isCalm else { continue }
            judged += 1
            if find.verdicts != 1 { problems.append("a find of \(who) has \(find.verdicts) verdicts") }
            // The host may see none: its gravity is not quite the controller's.
            guard find.isSure, let gesture = find.confirmedBy else { continue }
            if answered.contains(gesture) { problems.append("a tap of \(who), \(gesture), was felt twice") }
        }
    }
}
