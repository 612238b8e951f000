public import WireProtocol

/// What players taught, and how sensitive their gestures are. Both belong to the player, not to a controller.
extension Merge {
    /// What a player brings along.
    struct Talents: Sendable {
        var sensitivity = 1.0
        var taught: [TaughtGesture] = []
        var lesson: Lesson?
        var lessonEndsAt = HostTime.distantFuture
        var airtimes = Airtimes()
        /// Of what is taught, for this sensitivity; made when it is needed.
        var book: GestureBook? { didSet { beginnings = nil } }
        /// Of the book; made with it.
        var beginnings: GestureBeginnings?
        /// The last taught gesture that was recognised, and what was taken for it.
        var latest: (kind: GestureKind, trace: MotionTrace)?

        var isOrdinary: Bool { sensitivity == 1 && taught.isEmpty && lesson == nil && airtimes.count == 0 }
    }

    /// 1 is as configured; 2 recognises twice as readily, 0.5 half as readily. Counts as the nearest of 0.5 to 2.
    ///
    /// Gestures that had begun end with the change. A controller that drives several players is as sensitive as the
    /// first of them.
    public mutating func setSensitivity(_ sensitivity: Double, of player: PlayerNumber) {
        let sensitivity = sensitivity.asSensitivity
        guard talents(of: player).sensitivity != sensitivity else { return }
        change(player) { $0.sensitivity = sensitivity }
    }

    /// How readily a player's gestures are recognised: 0.5 (half as readily) to 2, 1 as the definitions say.
    public func sensitivity(of player: PlayerNumber) -> Double { talents(of: player).sensitivity }

    /// What the player taught, replacing all before; what has a problem is left out.
    public mutating func setTaught(_ gestures: [TaughtGesture], of player: PlayerNumber) {
        let usable = gestures.filter { $0.problem == nil }
        guard talents(of: player).taught != usable else { return }
        change(player) { $0.taught = usable }
    }

    /// The gestures that are recognised for a player because it showed them; none by default.
    public func taught(of player: PlayerNumber) -> [TaughtGesture] { talents(of: player).taught }

    /// How long the player flies, as far as jumps have shown: time to touchdown is announced by it.
    public func airtimes(of player: PlayerNumber) -> Airtimes { talents(of: player).airtimes }

    /// What is known from an earlier evening.
    public mutating func setAirtimes(_ airtimes: Airtimes, of player: PlayerNumber) {
        keep(airtimes, of: player)
    }

    /// That was not it: what was last taken for a taught gesture of the player, and what is like it, is not that gesture.
    ///
    /// - Returns: which gesture learnt that; `nil` when none was recognised since it was taught.
    public mutating func refuseLatest(of player: PlayerNumber) -> GestureKind? {
        guard let latest = talents(of: player).latest,
            talents(of: player).taught.contains(where: { $0.kind == latest.kind })
        else { return nil }
        change(player) { talents in
            for place in talents.taught.indices where talents.taught[place].kind == latest.kind {
                talents.taught[place].refuse(latest.trace)
            }
            talents.latest = nil
        }
        return latest.kind
    }

    /// Takes the player's next motions, from rest to rest, as examples of the gesture; it replaces one of that name.
    ///
    /// ``advance(to:heardUntil:)`` tells the progress. Until the lesson is over the player's taught gestures are not
    /// recognised; at `deadline` it is called off.
    public mutating func teach(
        _ gesture: GestureKind, times: Int, to player: PlayerNumber, until deadline: HostTime = .distantFuture
    ) {
        change(player) {
            $0.lesson = Lesson(gesture, times: times, beside: $0.taught)
            $0.lessonEndsAt = deadline
        }
        lessonDeadline = min(lessonDeadline, deadline)
    }

    /// Calls the player's lesson off; nothing when there is none. What has as many examples as were asked for is kept.
    public mutating func cancelLesson(of player: PlayerNumber) {
        guard let lesson = talents(of: player).lesson else { return }
        if let settled = lesson.settled { return finish(settled, lesson, of: player) }
        abandonLesson(of: player)
    }

    /// Another person plays under this number: a lesson ends unfinished, and all that was taught or learnt goes.
    public mutating func forget(_ player: PlayerNumber) {
        abandonLesson(of: player)
        guard !talents(of: player).isOrdinary else { return }
        change(player) { $0 = Talents() }
    }

    /// Ends the player's lesson, and keeps nothing of it: it is its pupil's, and does not go on with somebody else.
    mutating func abandonLesson(of player: PlayerNumber) {
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
        let (taught, sensitivity) = (changed.taught, changed.sensitivity)
        change(&changed)
        if changed.taught != taught || changed.sensitivity != sensitivity { changed.book = nil }
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
        let player = peers[tracks[slot].key.peer]?.players.first
        let talents = player.map { self.talents(of: $0) } ?? Talents()
        var taught: TaughtRecognizer?
        if !talents.taught.isEmpty || talents.lesson != nil {
            let book = talents.book ?? GestureBook(talents.taught, sensitivity: talents.sensitivity)
            if let player, talents.book == nil { self.talents[player]?.book = book }
            var beginnings: GestureBeginnings?
            if talents.lesson == nil { beginnings = talents.beginnings ?? GestureBeginnings(of: book) }
            if let player, let beginnings { self.talents[player]?.beginnings = beginnings }
            taught = TaughtRecognizer(book, beginnings: beginnings)
        }
        tracks[slot].speak(
            configuration.gestures.map { $0.scaled(by: talents.sensitivity) }, taught: taught,
            taughtKinds: talents.taught.map(\.kind), airtimes: talents.airtimes)
    }

    private func talents(drivenBy peer: PeerIndex) -> Talents {
        peers[peer]?.players.first.map { talents(of: $0) } ?? Talents()
    }

    /// The controller showed its player's lesson something, or made a taught gesture.
    mutating func note(_ detection: Detection, _ trace: MotionTrace) {
        guard let player = peers[detection.peer]?.players.first else { return }
        if let kind = detection.recognition.kind {
            talents[player]?.latest = (kind, trace)
            return
        }
        guard var lesson = talents[player]?.lesson else { return }
        let told: TeachingProgress.Step =
            switch lesson.take(trace) {
            case .example(let count): .example(count)
            case .unlike: .unlike(shown: lesson.shown)
            case .finished(let gesture): .finished(gesture)
            }
        if case .finished(let gesture) = told { return finish(gesture, lesson, of: player) }
        talents[player]?.lesson = lesson
        progress.append(
            TeachingProgress(
                player: player, gesture: lesson.kind, times: lesson.times, step: told, alike: lesson.alike))
    }

    /// What was taught was played by a button: there is no motion of it that could be refused.
    mutating func notePress(_ detection: Detection) {
        guard detection.recognition.kind != nil, let player = peers[detection.peer]?.players.first else { return }
        talents[player]?.latest = nil
    }

    private mutating func finish(_ gesture: TaughtGesture, _ lesson: Lesson, of player: PlayerNumber) {
        // One that is taught anew keeps its place, and so its button.
        if let place = talents[player]?.taught.firstIndex(where: { $0.kind == gesture.kind }) {
            talents[player]?.taught[place] = gesture
        } else {
            talents[player]?.taught.append(gesture)
        }
        talents[player]?.lesson = nil
        talents[player]?.book = nil
        for peer in players[player]?.controllers ?? [] { equip(peer) }
        progress.append(
            TeachingProgress(
                player: player, gesture: lesson.kind, times: lesson.times, step: .finished(gesture),
                alike: lesson.alike))
    }

    /// A jump of the controller's player lasted so much longer than was foretold.
    mutating func learn(_ difference: Double, from peer: PeerIndex) {
        guard let player = peers[peer]?.players.first else { return }
        var airtimes = talents(of: player).airtimes
        airtimes.note(difference)
        keep(airtimes, of: player)
    }

    private mutating func keep(_ airtimes: Airtimes, of player: PlayerNumber) {
        var changed = talents(of: player)
        guard changed.airtimes != airtimes else { return }
        changed.airtimes = airtimes
        talents[player] = changed.isOrdinary ? nil : changed
        for peer in players[player]?.controllers ?? [] where peers[peer]?.players.first == player {
            for slot in slots(of: peer) where tracks[slot].isSpeaking { tracks[slot].learn(airtimes) }
        }
    }
}
