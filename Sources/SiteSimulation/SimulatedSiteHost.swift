import RoomOwnership
import WireProtocol

/// A machine that may own the room: its program's present run, its clock, and the truth about whether it acts.
struct SimulatedSiteHost: Sendable {
    enum Power: Hashable, Sendable {
        case running
        /// SIGSTOP: nothing is handled, and what arrives waits.
        case stopped(until: Moment)
        case off(until: Moment)
    }

    let number: Int
    var clock: SimulatedHostClock
    var power = Power.off(until: 0)
    var life: UInt64 = 0
    var participant: Participant?
    var ambition: OwnershipConfiguration.Ambition
    /// What waits for a program that is stopped.
    var inbox: [OwnershipInput] = []
    /// When its program asked to be woken.
    var wakeAt: Moment = .max
    /// Until when it acts if nothing more happens: its fence's end, and as long as an act takes that was begun before.
    var actsUntil: Moment = .min
    var actsInEpoch: OwnershipEpoch = 0
    /// Whether its own last word was that it acts.
    var isActing = false
    var lastActedAt: Moment = .min
    /// To and from the log, and to the other hosts.
    var isUplinkCut = false
    var isDownlinkCut = false
    var isFanCut = false
    /// What the log tells unasked does not come; answers do.
    var isFeedCut = false
    var healsAt: Moment = .max
    /// When its program ends in order, and until when it is off then.
    var leaves: (at: Moment, until: Moment)?
    /// The truth's name of each thing that this run offered, from 1.
    var offered: [UInt64] = []
    /// What it has read, in order.
    var learned: UInt64 = 0

    var isRunning: Bool { power == .running }
    var id: UInt64 { UInt64(number) + 1 }
    /// The log hears it, and it hears the log's answers: all that an owner needs.
    var reachesLog: Bool { !isUplinkCut && !isDownlinkCut }
    var isReachable: Bool { reachesLog && !isFeedCut }

    func acts(at now: Moment) -> Bool { isRunning && actsUntil > now }

    mutating func start(_ configuration: OwnershipConfiguration, now: Moment) {
        (power, life) = (.running, configuration.me.life)
        participant = Participant(configuration, now: clock.shows(now))
        (inbox, offered, learned) = ([], [], 0)
        (wakeAt, actsUntil, isActing) = (now, .min, false)
    }

    mutating func end(until: Moment) {
        (power, participant, inbox) = (.off(until: until), nil, [])
        (wakeAt, actsUntil, isActing) = (.max, .min, false)
        leaves = nil
    }
}
