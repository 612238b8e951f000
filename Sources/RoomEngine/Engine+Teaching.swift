import InputMerge
import SessionCoordinator
import WireProtocol

/// Lessons, taught gestures and sensitivity: they belong to a player, and are kept with the player's leases.
extension Engine {
    /// A lesson that nobody finishes is called off after this.
    private static let longestLesson: Duration = .seconds(120)
    private static let longestName = 40

    mutating func carryOut(teaching command: TeachingCommand, now: HostTime) -> Result<RoomAnswer, RoomError> {
        switch command {
        case .teach(let who, let gesture, let times):
            if let problem = nameProblem(gesture) { return .failure(problem) }
            guard (1...TaughtGesture.mostExamples).contains(times) else {
                return .failure(
                    RoomError(.badOption, "times is \(times), but must be 1 to \(TaughtGesture.mostExamples)"))
            }
            return onPlayer(who) { engine, player in
                engine.sink.tell {
                    $0.teach(
                        GestureKind(rawValue: gesture), times: times, to: player, until: now + Self.longestLesson)
                }
                return .success(.taught(engine.summaries(of: player)))
            }
        case .cancel(let who):
            return onPlayer(who) { engine, player in
                engine.sink.tell { $0.cancelLesson(of: player) }
                return .success(.done)
            }
        case .taught(nil):
            let players = Set(coordinator.sitters.map(\.player))
            return .success(.taught(players.sorted().flatMap { summaries(of: $0) }))
        case .taught(let who?):
            return onPlayer(who) { engine, player in .success(.taught(engine.summaries(of: player))) }
        case .rename(let who, let old, let new):
            if let problem = nameProblem(new) { return .failure(problem) }
            return change(who, old) { gestures, _ in
                // It keeps its place, and so its button; another one of that name goes.
                gestures.removeAll { $0.kind.rawValue == new && old != new }
                for place in gestures.indices where gestures[place].kind.rawValue == old {
                    gestures[place].kind = GestureKind(rawValue: new)
                }
            }
        case .refuseLatest(let who):
            return onPlayer(who) { engine, player in
                guard engine.sink.refuseLatest(of: player) != nil else {
                    return .failure(
                        RoomError(
                            .notFound,
                            "none of P\(player)'s taught gestures was recognised of late: there is nothing to refuse"))
                }
                engine.keepTalents(of: player)
                return .success(.taught(engine.summaries(of: player)))
            }
        case .remove(let who, let name):
            return change(who, name) { gestures, place in gestures.remove(at: place) }
        case .sensitivity(let who, let value):
            guard (0.5...2).contains(value) else {
                return .failure(RoomError(.badOption, "sensitivity is \(value), but must be 0.5 to 2"))
            }
            return onPlayer(who) { engine, player in
                engine.sink.tell { $0.setSensitivity(value, of: player) }
                engine.keepTalents(of: player)
                return .success(.done)
            }
        }
    }

    mutating func tell(_ progress: TeachingProgress, now: HostTime) {
        if case .finished = progress.step { keepTalents(of: progress.player) }
        publish(.teaching(progress, at: now))
    }

    /// Who drives whom has changed: everyone has what is kept with the leases of those who drive them now.
    mutating func refreshTalents() {
        if talents.isEmpty, talented.isEmpty { return }
        var found: [PlayerNumber: PlayerTalents] = [:]
        for sitter in coordinator.sitters where found[sitter.player] == nil {
            if let kept = talents[sitter.controller] { found[sitter.player] = kept }
        }
        for player in Set(talented).union(found.keys).sorted() {
            let kept = found[player] ?? PlayerTalents()
            if sink.merge.taught(of: player).map(\.kind) != kept.gestures.map(\.kind) { noteTaught(by: player) }
            sink.tell { $0.setSensitivity(kept.sensitivity, of: player) }
            sink.tell { $0.setTaught(kept.gestures, of: player) }
            sink.tell { $0.setAirtimes(kept.airtimes, of: player) }
        }
        talented = found.keys.sorted()
    }

    /// Who drives the player for the merge and for the coordinator, by seat.
    func drivers(of player: PlayerNumber) -> [ControllerID] {
        // Asked at every jump: of a thousand who sit here, those alone are looked at who may be meant.
        let here: [Sitter] = driven.indices.compactMap { peer in
            guard driven[peer] == player, let sitter = coordinator.sitter(at: peer) else { return nil }
            return sitter.player == player && isAssigned(sitter) ? sitter : nil
        }
        return here.sorted { $0.seat < $1.seat }.map(\.controller)
    }

    private mutating func keepTalents(of player: PlayerNumber) {
        let kept = talents(of: player)
        for controller in drivers(of: player) {
            talents[controller] = kept.isEmpty ? nil : kept
            outputs.append(.keep(controller, kept))
        }
        note(talentsOf: player, areNone: kept.isEmpty)
        noteTaught(by: player)
    }

    func talents(of player: PlayerNumber) -> PlayerTalents {
        PlayerTalents(
            sensitivity: sink.merge.sensitivity(of: player), gestures: sink.merge.taught(of: player),
            airtimes: sink.merge.airtimes(of: player))
    }

    mutating func note(talentsOf player: PlayerNumber, areNone: Bool) {
        talented.removeAll { $0 == player }
        if !areNone { talented.append(player) }
    }

    private mutating func change(
        _ who: String, _ name: String, _ body: (inout [TaughtGesture], Int) -> Void
    ) -> Result<RoomAnswer, RoomError> {
        onPlayer(who) { engine, player in
            var gestures = engine.sink.merge.taught(of: player)
            guard let place = gestures.firstIndex(where: { $0.kind.rawValue == name }) else {
                let known = gestures.map(\.kind.rawValue).sorted()
                return .failure(
                    RoomError(
                        .notFound,
                        known.isEmpty
                            ? "P\(player) taught nothing yet; begin with: roomful teach \(name) --player P\(player)"
                            : "P\(player) taught no \"\(name)\", but " + known.joined(separator: ", "),
                        candidates: known))
            }
            body(&gestures, place)
            engine.sink.tell { $0.setTaught(gestures, of: player) }
            engine.keepTalents(of: player)
            return .success(.taught(engine.summaries(of: player)))
        }
    }

    func nameProblem(_ name: String) -> RoomError? {
        let isPlain = name.unicodeScalars.allSatisfy { scalar in
            scalar.properties.isAlphabetic || scalar.properties.numericType != nil
                || "-_ ".unicodeScalars.contains(scalar)
        }
        guard (1...Self.longestName).contains(name.utf8.count), isPlain else {
            return RoomError(
                .badOption, "a gesture's name has 1 to \(Self.longestName) bytes of letters, digits, -, _ and spaces")
        }
        guard configuration.merge.gestures.contains(where: { $0.kind.rawValue == name }) else { return nil }
        return RoomError(.badOption, "\"\(name)\" is built in; choose another name")
    }

    private func summaries(of player: PlayerNumber) -> [TaughtSummary] {
        sink.merge.taught(of: player).map { gesture in
            let seconds = gesture.examples.reduce(0) { $0 + $1.duration } / Double(max(1, gesture.examples.count))
            return TaughtSummary(
                player: player, gesture: gesture.kind.rawValue, examples: gesture.examples.count, seconds: seconds)
        }
    }

    private mutating func onPlayer(
        _ who: String, _ body: (inout Engine, PlayerNumber) -> Result<RoomAnswer, RoomError>
    ) -> Result<RoomAnswer, RoomError> {
        switch coordinator.find(who) {
        case .failure(let error): return .failure(RoomError(error, who: who))
        case .success(let peer):
            guard let sitter = coordinator.sitter(at: peer) else {
                return .failure(RoomError(.notFound, "\"\(who)\" has just left"))
            }
            return body(&self, sitter.player)
        }
    }
}
