import InputMerge
import LinkEmulation
import RoomEngine
import SessionCoordinator
import WireProtocol

/// Somebody is taught a gesture, draws it, and draws something else.
extension Evening {
    mutating func teachSomebody() {
        nextLessonAt = now + .milliseconds(Int64(2_000 + lessonRandom.next() % 6_000))
        let place = Int(lessonRandom.next() % UInt64(controllers.count))
        let id = controllers[place].id
        guard hostSleepsUntil == nil, controllers[place].stay == .seated, controllers[place].drawings.isEmpty,
            controllers[place].pushes.isEmpty, controllers[place].nextSampleAt != nil,
            let seat = host.engine.coordinator.sitters.first(where: { $0.controller == id })
        else { return }
        var drawings: [Drawing] = []
        if !lessons.knows(id) || lessonRandom.chance(0.2) {
            give(.teaching(.teach("P\(seat.player)", gesture: LessonLaw.gesture.rawValue, times: 3)))
            for _ in 0..<3 { draw(.wave, into: &drawings) }
            lessons.begins(id, examples: drawings, now: now)
            report.note("lessons")
        }
        for shape in [Drawing.Shape.wave, .stab] {
            draw(shape, into: &drawings)
            if let last = drawings.last { lessons.performs(id, last) }
        }
        controllers[place].drawings = drawings
        let end = (drawings.last?.end ?? now) + .seconds(2)
        pushes.disturb(id, now: now, until: end, byItself: true)
        pushes.beginsAnew(of: id, now: now)
    }

    /// The same hand, never quite the same; a rest after each.
    private mutating func draw(_ shape: Drawing.Shape, into drawings: inout [Drawing]) {
        let from = (drawings.last?.end ?? now) + .milliseconds(Int64(900 + lessonRandom.next() % 300))
        drawings.append(
            Drawing(
                shape: shape, from: from, length: .milliseconds(Int64(900 + lessonRandom.next() % 60)),
                size: 0.97 + 0.06 * lessonRandom.fraction()))
    }

    mutating func follow(_ progress: TeachingProgress) {
        guard case .finished = progress.step, let id = seatedOn(progress.player) else { return }
        lessons.finished(id, now: now, pushes)
    }
}
