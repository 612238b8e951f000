import Logging
import RoomOwnership
import SiteRecords
import WireProtocol

/// How a host stands to a room that it could own, in words for people.
extension RoomKeeper {
    /// Logs what has changed.
    func tell(_ standing: Standing, _ now: HostTime) {
        // On the way to something, and over in a moment.
        if standing == .reading || standing == .claiming { return }
        let words = self.words(standing, now)
        guard words != told else { return }
        told = words
        let line = "\"\(plan.name)\": \(words)"
        if case .suspended = standing, !participant.isDeparting, !participant.isWaitingToBegin {
            Self.logger.warning("\(line)")
        } else {
            Self.logger.notice("\(line)")
        }
    }

    private func words(_ standing: Standing, _ now: HostTime) -> String {
        let owner = hostName(participant.ownership.owner)
        if let copyProblem, participant.proofAge(now) == nil { return copyProblem }
        switch standing {
        case .reading: return "reads the room's log"
        case .claiming: return "claims the room"
        case .standingBy where participant.ownership.owner == nil: return "waits whether another host owns the room"
        case .standingBy where participant.ownership.owner == me: return "has handed the room over"
        case .standingBy: return "standing by for \(owner) (epoch \(participant.ownership.epoch))"
        case .waiting(.unfit): return "standing by for \(owner) once its copy is whole"
        case .waiting(.operatorDecides):
            return "standing by for \(owner), which has not seen that yet or plays on by --when-cut play"
        case .waiting(.neverOpened) where plan.site.isStandby && plan.keys != nil:
            return
                "waits: no host has opened the room whose keys lie here yet; where another room of this name plays, end this "
                + "host, move \(plan.keys ?? "") away and start it again: it finds that one then"
        case .waiting(.neverOpened): return "waits: no host has opened the room yet"
        case .waiting(.closed) where !plan.site.isStandby:
            return "waits: the room was closed by the host that had it: start this one again to open it"
        case .waiting(.closed): return "waits: the room was closed: open it with roomful host"
        case .waiting(.unreadable(let error)):
            return "waits: the newest record of the room's log cannot be read: \(error)"
        case .waiting(.recordsLost):
            return
                "waits: somebody has filled the room's log, and what its host wrote is gone: if that host does not go "
                + "on, take over by hand"
        case .waiting(.trouble(let trouble)):
            return "waits: \(trouble); it is not taken over by itself: if the other host is off, take over by hand"
        case .acting(let epoch):
            let ready = participant.standbys.hasHealthy(
                besides: me.host, within: participant.configuration.timing.gone, now: now)
            let backing =
                !ready
                ? "no standby is ready"
                : participant.isOpenToTakeover
                    ? "a standby is ready"
                    : plan.site.playsOnWhenCut ? "a standby is ready for a handover" : "a standby has come"
            if let trouble = participant.trouble { return "owns the room (epoch \(epoch)), but \(trouble)" }
            return "owns the room (epoch \(epoch)); \(backing)"
        case .suspended where participant.isDeparting: return "gives the room back"
        case .suspended(let epoch) where participant.isWaitingToBegin:
            return "owns the room (epoch \(epoch)) by hand; it waits 2 s, so that whoever had it has stopped"
        case .suspended(let epoch):
            return
                "owned the room (epoch \(epoch)); it was out of touch with the broker for so long that a standby may "
                + "own it by now: it falls silent until the broker answers"
        case .closed where isLeaving:
            return
                "ends here, and the room is not closed: it is this host's when it is back, if no standby comes before"
        case .closed: return "closed the room"
        }
    }

    private var copyProblem: String? {
        switch copy.problem {
        case .sealedOtherwise:
            "cannot take the room over: its log does not open with this site key; give all hosts the same file by "
                + "--site-key, and where that is a new one, open the room first at the host that had it last, or put the "
                + "former key back"
        case .senseless:
            "cannot take the room over: its log holds what this version does not know; install the same on all hosts"
        case nil: nil
        }
    }
}
