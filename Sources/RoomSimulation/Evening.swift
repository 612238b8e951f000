import ControllerSession
import InputMerge
import LinkEmulation
import RoomEngine
import SessionCoordinator
import WireProtocol

/// A whole room for an evening: its engine, the controllers that come and go, the networks between them, an operator who
/// meddles and, in some, a guest who wants to break it. Time is moved by hand; everything follows from the seed.
///
/// ```swift
/// let report = Evening.play(seed: 7)
/// precondition(report.violations.isEmpty, "seed 7: \(report.violations)")
/// ```
///
/// At every step the laws are checked: ledgers equal what was really sent and let through, one owner a seat, one end an
/// invitation, one answer a question, events in an order that makes sense, pushes told at their time, nothing kept
/// without an end.
public struct Evening: Sendable {
    var host: SimulatedHost
    var controllers: [SimulatedController]
    var now: HostTime
    var random: SeededGenerator
    var report: EveningReport
    var events = EventLaws()
    var pushes = PushLaw()
    var line = QueueLaw()
    var lessons = LessonLaw()
    var dives = DiveLaw()
    var taps = TapLaw()
    var nonces = NonceLaw()
    /// Lessons are drawn apart, so that all else stays what its seed has always made it.
    var lessonRandom: SeededGenerator
    var nextLessonAt: HostTime
    /// Taps are, too.
    var tapRandom: SeededGenerator
    var nextTapAt: HostTime
    var books: [PeerIndex: LeaseBooks] = [:]
    /// Those of leases that have ended, while their links drain, the oldest first.
    var closing: [(books: LeaseBooks, until: HostTime)] = []
    var guest = HostileGuest()
    var guestConversation: ConversationID?
    let plan: EveningPlan
    /// Datagrams that reached the host's socket in its present life.
    var arrivals: UInt64 = 0
    /// While the host stands still, its socket collects what arrives.
    var hostSleepsUntil: HostTime?
    /// What is to be done later, in the order of its time.
    var later: [(at: HostTime, deed: Deed)] = []
    var nextDeedAt: HostTime
    var conversations: UInt64 = 0
    var secrets: UInt64 = 0
    var requests: UInt64 = 0
    /// Final answers to each invitation.
    var finals: [ConversationID: Int] = [:]
    var waitingRequests: Set<RequestID> = []
    var offersOut: Set<OfferID> = []
    var offersEnded: Set<OfferID> = []
    /// When each hand pushed last: no two pushes run into one.
    var lastPush: [ControllerID: HostTime] = [:]
    var departedSeen = 0
    /// When each controller's seat was heard of last, as the network's injector knows; for the laws on silence.
    var timing = TimingLaw()
    /// When each was told to have joined last.
    var joinedAt: [ControllerID: HostTime] = [:]
    /// A source of unsealed frames, in some evenings.
    var legacy: LegacyGuest?
    var lawsDueAt: HostTime
    /// Whether the host is turned at every step, and not only when it asked to be: that must make no difference.
    let isRestless: Bool
    /// When a second recorder begins.
    var recordsAmidAt: HostTime?
    var steps = 0

    /// The host was switched on an hour before.
    static let start = HostTime(nanoseconds: 3_600_000_000_000)

    /// Plays one evening from its beginning to its end.
    ///
    /// - Parameter isRestless: whether the host is turned at every step, and not only when it asked to be: it must say the
    ///   same, to the byte.
    public static func play(
        seed: UInt64, size: EveningSize = EveningSize(), isRestless: Bool = false
    ) -> EveningReport {
        var evening = Evening(seed: seed, size: size, isRestless: isRestless)
        evening.run()
        return evening.report
    }

    /// Plays it with a host that is turned only when it asked to be, and with one that is turned at every step: in words,
    /// what is wrong where they say different things or are turned equally often.
    public static func wakingDifference(seed: UInt64, size: EveningSize = .short) -> String? {
        let (woken, restless) = (play(seed: seed, size: size), play(seed: seed, size: size, isRestless: true))
        if woken.digest != restless.digest { return "a host that is turned all the time says something else" }
        guard let turns = woken.counts["turns"], let all = restless.counts["turns"], turns < all else {
            return "a host that waits to be woken is turned as often as one that never rests"
        }
        return nil
    }

    /// Plays it with a recorder in the host: a tape for each life of its process.
    package static func record(
        seed: UInt64, size: EveningSize = EveningSize()
    ) -> (report: EveningReport, tapes: [EveningTape]) {
        var evening = Evening(seed: seed, size: size, isRecorded: true)
        evening.run()
        evening.host.tapes.last?.end()
        return (evening.report, evening.host.tapes)
    }

    /// The same with a second recorder, which is begun in the middle.
    package static func record(
        seed: UInt64, size: EveningSize = EveningSize(), amid: Duration
    ) -> (tapes: [EveningTape], amid: EveningTape?) {
        var evening = Evening(seed: seed, size: size, isRecorded: true)
        evening.recordsAmidAt = start + amid
        evening.run()
        evening.host.tapes.last?.end()
        evening.host.amid?.end()
        return (evening.host.tapes, evening.host.amid)
    }

    init(seed: UInt64, size: EveningSize, isRestless: Bool = false, isRecorded: Bool = false) {
        self.isRestless = isRestless
        now = Self.start
        plan = EveningPlan(seed: seed, size: size, now: now)
        host = SimulatedHost(
            plan.configuration, now: now, isRecorded: isRecorded, tellsMotion: size.tellsMotion)
        controllers = plan.controllers
        random = SeededGenerator(seed: seed ^ 0x5EED_0000)
        report = EveningReport(seed: seed)
        report.controllers = controllers.count
        nextDeedAt = now + .milliseconds(100)
        lessonRandom = SeededGenerator(seed: seed ^ 0x1E55_0115)
        nextLessonAt = plan.configuration.room.mode == .competitive ? now + .seconds(4) : .distantFuture
        tapRandom = SeededGenerator(seed: seed ^ 0x7A95_7A95)
        nextTapAt = plan.hasTaps ? now + .seconds(4) : .distantFuture
        lawsDueAt = now
        pushes.areOwed = plan.configuration.room.mode == .competitive
        if plan.hasLegacy { legacy = LegacyGuest(now: now) }
    }

    mutating func run() {
        for place in controllers.indices {
            controllers[place].stay = .asksAt(now + .milliseconds(Int64(random.next() % 3_000)))
        }
        let end = now + plan.duration
        run(until: end, withDeeds: true)
        // Everyone goes home; whatever had begun ends.
        for place in controllers.indices { goHome(place) }
        legacy?.fallSilent()
        run(until: end + .seconds(45), withDeeds: false)
        close()
        report.duration = now - Self.start
        report.digest = host.digest.value
        report.note("turns", host.turns)
        report.note("pushes owed", pushes.owed)
        report.note("finds judged", taps.judged)
        report.note("depths judged", dives.judged)
        report.note("lessons judged", lessons.lessonsJudged)
        report.note("drawings judged", lessons.performancesJudged)
    }
}
