import InputMerge
package import RoomEngine

extension OperatorRequest {
    /// What the room's engine is asked by it; `nil` for what the room answers from itself, or in several steps.
    ///
    /// Who or what is left out is the empty word, which nobody bears: the engine's own error names what there is.
    package var command: RoomCommand? {
        let who = who ?? ""
        return switch task {
        case .accept where all != true: .accept(self.who)
        case .decline: .decline(self.who, message: message)
        case .kick: .kick(who, message: message)
        case .lock: .lock
        case .unlock: .unlock
        case .identify: .identify(who)
        case .rezero: .rezero(who)
        case .seatMove: .move(who, seat: seat ?? 0)
        case .seatSwap: .swap(who, other ?? "")
        case .rename: .rename(who, to: name ?? "")
        case .play:
            .play(
                who, intensity: intensity ?? 0.7, sharpness: sharpness ?? 0.5,
                duration: .milliseconds(Int64(min(max(duration ?? 60, 0), 5_000))), answering: gesture)
        case .send: .send(Array((text ?? "").utf8), who)
        case .teach: .teaching(.teach(who, gesture: gesture ?? "", times: times ?? 3))
        case .lessonCancel: .teaching(.cancel(who))
        case .taught: .teaching(.taught(self.who))
        case .taughtRename: .teaching(.rename(who, gesture ?? "", to: name ?? ""))
        case .taughtRemove: .teaching(.remove(who, gesture ?? ""))
        case .taughtRefuse: .teaching(.refuseLatest(who))
        case .detect: .detect((gestures ?? []).prefix(16).map { GestureKind(rawValue: $0) })
        case .sensitivity: .teaching(.sensitivity(who, value ?? .nan))
        case .accept, .status, .ticket, .pages, .peers, .departed, .events, .stop, .latency, .watermarks: nil
        case .invite, .withdraw, .nearby, .recordStart, .recordStop, .recordStatus, .mark, .reload, .handover, .site,
            .move:
            nil
        }
    }
}

extension OperatorReply {
    /// What the engine answered to such a command.
    package init(_ answer: RoomAnswer) {
        self.init()
        switch answer {
        case .taught(let gestures): taught = gestures
        case .accepted(let acceptance): accepted = [acceptance]
        default: break
        }
    }
}
