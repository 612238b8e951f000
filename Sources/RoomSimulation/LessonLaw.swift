import InputMerge
import SessionCoordinator
import WireProtocol

/// Holds what players were taught, and what their hands draw, against what the room tells.
///
/// Undisturbed, a lesson of three examples teaches; from then on the gesture is told once each time it is drawn, a third of
/// a second after its end, and another movement is not taken for it. What nobody taught a player is never told of it.
struct LessonLaw: Law, Sendable {
    static let gesture: GestureKind = "wave"
    /// From the last movement until it is sure that the gesture is over (``MotionSegmenter``), give or take two samples and
    /// what a hand does slowly at its end.
    private static let rest: Duration = .milliseconds(350)
    private static let slack: Duration = .milliseconds(120)

    private struct Lesson: Sendable {
        var controller: ControllerID
        var began: HostTime
        var end: HostTime
        var isFinished = false
    }

    private struct Performance: Sendable {
        var controller: ControllerID
        var drawing: Drawing
        /// Whether it had been taught when it began.
        var isKnown: Bool?
        var told = 0
    }

    private var lessons: [Lesson] = []
    private var performances: [Performance] = []
    /// Who was surely shown a wave, and nothing else.
    private var taught: Set<ControllerID> = []
    /// Who may have been, and perhaps something else in its name.
    private var perhapsTaught: Set<ControllerID> = []
    var problems: [String] = []
    private(set) var lessonsJudged = 0
    private(set) var performancesJudged = 0

    func knows(_ controller: ControllerID) -> Bool { taught.contains(controller) }

    mutating func begins(_ controller: ControllerID, examples: [Drawing], now: HostTime) {
        taught.remove(controller)
        lessons.removeAll { $0.controller == controller }
        lessons.append(Lesson(controller: controller, began: now, end: examples.last?.end ?? now))
    }

    mutating func performs(_ controller: ControllerID, _ drawing: Drawing) {
        performances.append(Performance(controller: controller, drawing: drawing))
    }

    mutating func finished(_ controller: ControllerID, now: HostTime, _ pushes: PushLaw) {
        perhapsTaught.insert(controller)
        for place in lessons.indices where lessons[place].controller == controller {
            lessons[place].isFinished = true
            if pushes.isCalm(controller, since: lessons[place].began) { taught.insert(controller) }
        }
    }

    /// It drives its player no more, and its lesson is over; where it is gone, its lease has ended, and what was kept with it.
    mutating func left(_ controller: ControllerID, isGone: Bool) {
        lessons.removeAll { $0.controller == controller }
        guard isGone else { return }
        taught.remove(controller)
        perhapsTaught.remove(controller)
    }

    mutating func told(_ gesture: GestureEvent, of controller: ControllerID, _ pushes: PushLaw) {
        guard gesture.gesture == Self.gesture, gesture.phase == .began else { return }
        guard perhapsTaught.contains(controller) else {
            return problems.append("\(gesture.id) is told of one who never was taught it")
        }
        let uncertainty = Duration.nanoseconds(gesture.uncertaintyNanoseconds ?? 1_000_000_000)
        func distance(_ place: Int) -> Duration {
            (performances[place].drawing.end + Self.rest).distance(to: gesture.occurredAt)
        }
        let place = performances.indices.filter { performances[$0].controller == controller }
            .min { distance($0) < distance($1) }
        // What was cut off may come when its time is long over; nobody is owed anything then.
        guard let place, distance(place) <= Self.slack + uncertainty else { return }
        performances[place].told += 1
    }

    /// Judges what is over.
    mutating func settle(now: HostTime, _ pushes: PushLaw) {
        for place in performances.indices where performances[place].drawing.from <= now {
            performances[place].isKnown = performances[place].isKnown ?? knows(performances[place].controller)
        }
        while let lesson = lessons.first, now - lesson.end > .seconds(3) {
            lessons.removeFirst()
            guard pushes.isCalm(lesson.controller, since: lesson.began) else { continue }
            lessonsJudged += 1
            if !lesson.isFinished { problems.append("\(lesson.controller.low) was shown a wave three times, in vain") }
        }
        while let first = performances.first, now - first.drawing.end > .seconds(3) {
            performances.removeFirst()
            guard pushes.isCalm(first.controller, since: first.drawing.from - .seconds(1)), first.isKnown == true
            else { continue }
            performancesJudged += 1
            let (owed, who) = (first.drawing.shape == .wave ? 1 : 0, first.controller.low)
            if first.told != owed { problems.append("\(first.drawing.shape) of \(who) was told \(first.told) times") }
        }
    }
}
