public import WireProtocol

/// What players taught, and how sensitive their gestures are. Both belong to the player, not to a controller.
extension Merge {
    /// What a player brings along.
    struct Talents: Sendable {
        var sensitivity = 1.0
        var taught: [TaughtGesture] = []
        var lesson: Lesson?
        var lessonEndsAt = HostTime.distantFuture

        var isOrdinary: Bool { sensitivity == 1 && taught.isEmpty && lesson == nil }
    }

    /// 1 is as configured; 2 recognises twice as readily, 0.5 half as readily. Counts as the nearest of 0.5 to 2.
    ///
    /// Gestures that had begun end with the change. A controller that drives several players is as sensitive as the
    /// first of them.
    public mutating func setSensitivity(_ sensitivity: Double, of player: PlayerNumber) {
        let sensitivity = sensitivity.isNaN ? 1 : min(max(sensitivity, 0.5), 2)
        guard talents(of: player).sensitivity != sensitivity else { return }
        change(player) { $0.sensitivity = sensitivity }
    }

    public func sensitivity(of player: PlayerNumber) -> Double { talents(of: player).sensitivity }

    /// What the player taught, replacing all before; what has a problem is left out.
    public mutating func setTaught(_ gestures: [TaughtGesture], of player: PlayerNumber) {
        let usable = gestures.filter { $0.problem == nil }
        guard talents(of: player).taught != usable else { return }
        change(player) { $0.taught = usable }
    }

    public func taught(of player: PlayerNumber) -> [TaughtGesture] { talents(of: player).taught }

    /// Takes the player's next motions, from rest to rest, as examples of the gesture; it replaces one of that name.
    ///
    /// ``advance(to:)`` tells the progress. Until the lesson is over the player's taught gestures are not recognised;
    /// at `deadline` it is called off.
    public mutating func teach(
        _ gesture: GestureKind, times: Int, to player: PlayerNumber, until deadline: HostTime = .distantFuture
    ) {
        change(player) {
            $0.lesson = Lesson(gesture, times: times)
            $0.lessonEndsAt = deadline
        }
        lessonDeadline = min(lessonDeadline, deadline)
    }

    /// Calls the player's lesson off; nothing when there is none.
    public mutating func cancelLesson(of player: PlayerNumber) {
        guard let lesson = talents(of: player).lesson else { return }
        change(player) { $0.lesson = nil }
        progress.append(
            TeachingProgress(player: player, gesture: lesson.kind, times: lesson.times, step: .abandoned))
    }

    /// Calls off what nobody finished in time.
    mutating func endLessons(at now: HostTime) {
        lessonDeadline = .distantFuture
        for player in talents.keys {
            guard let talents = talents[player], talents.lesson != nil else { continue }
            if talents.lessonEndsAt <= now {
                cancelLesson(of: player)
            } else {
                lessonDeadline = min(lessonDeadline, talents.lessonEndsAt)
            }
        }
    }

    private func talents(of player: PlayerNumber) -> Talents { talents[player] ?? Talents() }

    private mutating func change(_ player: PlayerNumber, _ change: (inout Talents) -> Void) {
        var changed = talents(of: player)
        change(&changed)
        talents[player] = changed.isOrdinary ? nil : changed
        for peer in players[player]?.controllers ?? [] { equip(peer) }
        settle()
    }

    /// Gives the controller's speaker the recognizers that its first player needs.
    mutating func equip(_ peer: PeerIndex) {
        for slot in slots(of: peer) where tracks[slot].isSpeaking {
            tracks[slot].fallSilent(into: &detections)
            speak(slot)
        }
    }

    /// The controller has another first player now.
    mutating func equip(_ peer: PeerIndex, after former: PlayerNumber?) {
        let wasOrdinary = former.map { talents(of: $0).isOrdinary } ?? true
        if !wasOrdinary || !talents(drivenBy: peer).isOrdinary { equip(peer) }
    }

    mutating func speak(_ slot: Int) {
        let talents = talents(drivenBy: tracks[slot].key.peer)
        let isTaught = !talents.taught.isEmpty || talents.lesson != nil
        tracks[slot].speak(
            configuration.gestures.map { $0.scaled(by: talents.sensitivity) },
            taught: isTaught ? TaughtRecognizer(GestureBook(talents.taught), isLesson: talents.lesson != nil) : nil)
    }

    private func talents(drivenBy peer: PeerIndex) -> Talents {
        peers[peer]?.players.first.map { talents(of: $0) } ?? Talents()
    }

    /// The controller showed its player's lesson something.
    mutating func learn(_ trace: MotionTrace, from peer: PeerIndex) {
        guard let player = peers[peer]?.players.first, var lesson = talents[player]?.lesson else { return }
        let step = lesson.take(trace)
        let told: TeachingProgress.Step =
            switch step {
            case .example(let count): .example(count)
            case .unlike: .unlike(shown: lesson.shown)
            case .finished(let gesture): .finished(gesture)
            }
        if case .finished(let gesture) = step {
            talents[player]?.taught.removeAll { $0.kind == gesture.kind }
            talents[player]?.taught.append(gesture)
            talents[player]?.lesson = nil
            for peer in players[player]?.controllers ?? [] { equip(peer) }
        } else {
            talents[player]?.lesson = lesson
        }
        progress.append(TeachingProgress(player: player, gesture: lesson.kind, times: lesson.times, step: told))
    }
}
