import Datagrams
import Foundation
import Logging
import RoomOwnership
import RoomRecords
import SiteBroker
package import SiteRecords
import WireProtocol

/// One host's part in who owns a room of a site: it keeps a ``Participant`` in touch with the room's log, and what a
/// successor needs in it.
///
/// It runs on a thread of its own, whether the room is open here or not. ``tenures`` has each time that the room is this
/// host's; whoever opens it then asks the tenure's fence before each act.
package actor RoomKeeper {
    package struct Plan: Sendable {
        package var site: SiteOptions
        package var key: SiteKey
        /// As people know it.
        package var name: String
        /// Its id, 32 hexadecimal digits.
        package var room: String
        package var host: UInt64
        /// The folder in which the room's keys lie; `nil` where none do.
        package var keys: String?

        package init(
            site: SiteOptions, key: SiteKey, name: String, room: String, host: UInt64, keys: String? = nil
        ) {
            (self.site, self.key, self.name, self.room, self.host) = (site, key, name, room, host)
            self.keys = keys
        }
    }

    static let logger = Logger(label: "roomful.site")
    /// A broker that says nothing for so long is taken for one that is away.
    static let patience: Duration = .seconds(5)
    /// Everything is told anew after so many records: who begins to read has a whole copy soon, and what the log lets go
    /// of is in it again.
    private static let recordsBetweenCopies: UInt64 = 512
    /// The log keeps at least three whole copies.
    static let keptRecords = 2_048

    nonisolated let plan: Plan
    let subjects: SiteSubjects
    nonisolated let mailbox = KeeperMailbox()
    private let executor = BrokerExecutor("roomful.owner")
    let me: OwnerID
    var participant: Participant
    var copy: HeritageCopy
    var connection: BrokerConnection?
    var heardLast = LeaseClock.now()
    /// What the log is asked, one after the other.
    nonisolated let questions: AsyncStream<LogReading>
    nonisolated let asking: AsyncStream<LogReading>.Continuation
    var isCatchingUp = false
    var names: [UInt64: String] = [:]
    var told = ""

    /// An operator wants the room taken over by hand, and it has not been tried yet.
    var takesOver: Bool
    var tenure: KeptTenure?
    /// The room is left to the next run of this host's program.
    var isLeaving = false
    var copiedAt: UInt64 = 0
    var mustCopy = false
    var offered: UInt64 = 0
    /// Claims of event numbers that are on their way, by the item's number.
    var numbers: [UInt64: Int] = [:]

    /// Each time that the room is this host's.
    package nonisolated let tenures: AsyncStream<KeptTenure>
    nonisolated let owning: AsyncStream<KeptTenure>.Continuation

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    package init(_ plan: Plan) {
        self.plan = plan
        subjects = SiteSubjects(plan.site.site)
        me = OwnerID(host: plan.host, life: .random(in: 1 ... .max))
        var configuration = OwnershipConfiguration(me: me, ambition: plan.site.isStandby ? .standby : .host)
        configuration.whenCut = plan.site.playsOnWhenCut ? .play : .yield
        // A large room's copy waits whole.
        configuration.buffer.items = 65_536
        configuration.buffer.bytes = 16 << 20
        participant = Participant(configuration, now: LeaseClock.now())
        copy = HeritageCopy(plan.key, room: plan.room)
        takesOver = plan.site.takesOver
        (tenures, owning) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        (questions, asking) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(64))
    }

    /// Takes part until ``stop()``.
    package func run() async {
        // Until the log was read nobody knows what this host could go on with.
        perform(participant.handle(.fit(false), now: LeaseClock.now()))
        await withDiscardingTaskGroup { group in
            group.addTask { await self.keepConnected() }
            group.addTask { await self.keepReading() }
            group.addTask { await self.keepTime() }
            for await _ in mailbox.bell { turn() }
            group.cancelAll()
            asking.finish()
        }
        owning.finish()
        connection?.close()
        connection = nil
    }

    package nonisolated func stop() { mailbox.finish() }

    /// The room that was open in this tenure has closed: tells the log, for 2 s at most.
    ///
    /// - Returns: whether the log knows it.
    package nonisolated func closed(_ tenure: KeptTenure) async -> Bool {
        mailbox.post(.depart(tenure.epoch, to: tenure.handsOverTo ?? (tenure.isLeft ? plan.host : nil)))
        for _ in 0..<100 where !tenure.hasDeparted { try? await Task.sleep(for: .milliseconds(20)) }
        return tenure.hasDeparted
    }

    // MARK: Turns

    private func keepTime() async {
        while !Task.isCancelled {
            let wait = participant.nextDeadline.map { $0 - LeaseClock.now() } ?? .milliseconds(50)
            try? await Task.sleep(for: min(max(wait, .milliseconds(2)), .milliseconds(50)))
            mailbox.ring()
        }
    }

    private func turn() {
        let mail = mailbox.take()
        for (presence, name) in mail.standbys.values {
            if names.count < 64 { names[presence.host] = name }
            perform(participant.handle(.standby(presence), now: LeaseClock.now()))
        }
        for letter in mail.letters { handle(letter) }
        if mail.isCopyDue { mustCopy = tenure != nil }
        // An owner knows what it wrote, and is refused where somebody else did.
        if mail.isRung, participant.proofAge(LeaseClock.now()) == nil { catchUp() }
        judgeFitness()
        takeOverIfWanted()
        perform(participant.advance(to: LeaseClock.now()))
        let isOld = participant.lastSequence > copiedAt + Self.recordsBetweenCopies
        if mustCopy || tenure != nil && isOld { offerCopy() }
        settle()
    }

    private func handle(_ letter: KeeperMailbox.Letter) {
        switch letter {
        case .input(let input):
            if case .answered(_, let answer) = input, answer != .unknown { heardLast = LeaseClock.now() }
            perform(participant.handle(input, now: LeaseClock.now()))
        case .begin(_, let epoch):
            guard epoch == tenure?.epoch else { return }
            offerCopy()
        case .change(let item, let epoch):
            guard epoch == tenure?.epoch else { return }
            offer(item)
        case .depart(let epoch, let host):
            guard epoch == tenure?.epoch else { return }
            isLeaving = host == me.host
            let command = host.map { OwnershipCommand.handOver(to: $0) } ?? .release
            perform(participant.handle(.command(command), now: LeaseClock.now()))
        }
    }

    /// Whether it could go on with the room: by its copy, as the one that had it open last, or with nothing where nobody has more.
    private func judgeFitness() {
        let last = copy.teller ?? participant.ownership.owner
        let isFit = copy.isWhole || participant.isUnclaimed || participant.beginsAnew || last?.host == me.host
        guard isFit != participant.isFit else { return }
        perform(participant.handle(.fit(isFit), now: LeaseClock.now()))
    }

    /// Once the log was read to its end: what is written later was written by somebody who lives.
    private func takeOverIfWanted() {
        guard takesOver, participant.isFit || participant.hasLostOwner else { return }
        switch participant.standing(LeaseClock.now()) {
        case .standingBy, .waiting: takesOver = false
        case .reading, .claiming, .acting, .suspended, .closed: return
        }
        perform(participant.handle(.command(.takeOver), now: LeaseClock.now()))
    }

    // MARK: What comes of it

    func perform(_ outputs: [OwnershipOutput]) {
        for output in outputs {
            switch output {
            case .append(let request): append(request)
            case .read(let question): asking.yield(.question(question))
            case .announce(let presence): announce(presence)
            case .learned(let entry): copy.learn(entry)
            case .readsAnew: copy = HeritageCopy(plan.key, room: plan.room)
            case .missed:
                copy.missed()
                mustCopy = tenure != nil
            case .committed(let items):
                for item in items {
                    if let last = numbers.removeValue(forKey: item) { tenure?.grant(upTo: last) }
                }
            case .lost(let items, let cause):
                for item in items { numbers[item] = nil }
                if cause == .noPlace { mustCopy = tenure != nil }
            case .deposed(let owner, let epoch):
                let why =
                    owner == nil && !participant.isOfAnotherVersion
                    ? "somebody has filled the room's log, and another host may have claimed the room unread"
                    : "\(hostName(owner)) owns the room since epoch \(epoch), as this host was not heard for too long"
                end(why, isDeposed: true)
            case .standing(let standing): if case .closed = standing { end("closed", isDeposed: false) }
            }
        }
    }
}
