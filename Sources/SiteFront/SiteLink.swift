import Foundation
import Logging
package import RoomRecords
import SiteBroker
package import SiteRecords
import Synchronization
import WireProtocol

/// A room's way to its site: what happens goes into the site's stream, how it stands is said once a second, and operators
/// are answered. The broker may go and come; the room notices nothing of it.
///
/// It runs on a thread of its own, as the broker's socket may make it wait.
package actor SiteLink {
    /// A broker that confirms nothing for so long is taken for one that is away.
    private static let patience: Duration = .seconds(5)

    let room: any HostedRoom
    let options: SiteOptions
    let logger: Logger
    /// In a room that can outlive its host: what is told is fenced by it.
    let tenure: (any RoomTenure)?
    let subjects: SiteSubjects
    let plan: StreamPlan
    private let executor: BrokerExecutor
    let mailbox = SiteMailbox()

    var signer: SiteSigner?
    var spool: EventSpool
    var connection: BrokerConnection?
    private var state = SiteStanding.State.connecting
    private var problem: BrokerError?
    private var since = ContinuousClock.now
    private var heardLast = ContinuousClock.now
    /// Which stream took our records: when it was made, and the last place that it gave us.
    private var streamCreated: String?
    private var lastSequence: UInt64 = 0
    /// The place of the room's newest record, as far as this owner knows.
    private var lastOwn: UInt64 = 0
    private var hasGoneOn = false
    /// Something that the site should know of at once has happened.
    var hasNews = true
    var toldAt = ContinuousClock.now - .seconds(1)
    var motionWantedUntil = ContinuousClock.now
    var answering = 0
    var answeringHosts = 0
    /// Hears other rooms, on the connection that it was begun on.
    var watch: (watch: SiteWatch, connection: BrokerConnection)?
    private var pause = GrowingPause()

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    package init(_ room: any HostedRoom, _ options: SiteOptions, _ tenure: (any RoomTenure)? = nil) {
        self.room = room
        self.options = options
        logger = Logger("roomful.site", ofRoom: room.name)
        self.tenure = tenure
        var limits = EventSpool.Limits()
        // Each record says which one it stands behind: that is known once the one before is confirmed.
        if tenure != nil { limits.window = 1 }
        spool = EventSpool(limits)
        subjects = SiteSubjects(options.site)
        plan = StreamPlan(
            name: subjects.stream, subjects: [subjects.allEvents], age: .seconds(7 * 86_400), bytes: 512 << 20)
        executor = BrokerExecutor("roomful.site")
    }

    /// Serves until the room closes, and then for as long as its last words need, 2 s at most.
    package func run() async {
        note()
        let answers = Task { await answerAll() }
        await withDiscardingTaskGroup { group in
            group.addTask { await self.keepConnected() }
            group.addTask { await self.probe() }
            group.addTask { await self.tellStatus() }
            group.addTask { await self.tellMotion() }
            await tellEvents()
            // Whoever waits for something that will not happen here any more is told so while there is a connection.
            answers.cancel()
            await sayGoodbye()
            group.cancelAll()
        }
        await answers.value
        connection?.close()
        connection = nil
    }

    // MARK: The connection

    private func keepConnected() async {
        while !Task.isCancelled {
            do throws(BrokerError) {
                try await serve()
                connection?.close()
            } catch {
                noteAway(error)
                if error.code == .timedOut, !Task.isCancelled { connection?.giveUp() } else { connection?.close() }
            }
            connection = nil
            try? await Task.sleep(for: .milliseconds(pause.milliseconds()))
        }
    }

    /// A broker that is cut off from its cluster answers pings and keeps nothing: where nothing is told, it is asked, and
    /// left when it twice knows nothing. Where there is only one, nothing would be gained.
    private func probe() async {
        guard options.addresses.count > 1 else { return }
        var misses = 0
        while !Task.isCancelled {
            try? await Task.sleep(for: Self.patience)
            guard let asked = connection, state == .connected, !spool.hasUnconfirmed else { continue }
            do throws(BrokerError) {
                _ = try await asked.stream(plan.name)
                misses = 0
            } catch {
                guard asked === connection, error.code == .timedOut else { continue }
                misses += 1
                guard misses > 1 else { continue }
                mailbox.fail(error)
                misses = 0
            }
        }
    }

    /// Connects, and hands over what waits until something goes wrong.
    private func serve() async throws(BrokerError) {
        guard let signer = await signed() else { return }
        let mailbox = mailbox
        let connection = try await BrokerConnection.open(options, name: "roomful host") { mailbox.close() }
        mailbox.empty()
        self.connection = connection
        try await resume(connection, signer)
        try connection.hear(subjects.ask(signer.room), atMost: SiteMailbox.mostAsks) { mailbox.ask($0) }
        try connection.hear(subjects.host(signer.room), atMost: SiteMailbox.mostAsks) { mailbox.askAsHost($0) }
        try connection.hear(subjects.want(signer.room), atMost: 64) { _ in mailbox.want() }
        noteConnected()
        heardLast = .now
        for await _ in mailbox.bell {
            try takeMail()
            try handOver(connection, signer)
        }
    }

    /// Learns what the stream has of ours.
    private func resume(_ connection: BrokerConnection, _ signer: SiteSigner) async throws(BrokerError) {
        let stream: StreamFacts
        if let found = try await connection.stream(plan.name) {
            stream = found
        } else {
            stream = try await connection.createStream(plan)
        }
        let newest = try await connection.newest(in: plan.name, of: subjects.events(signer.room))
        let isNew = streamCreated != nil && streamCreated != stream.created
        if isNew { logger.warning("the site's stream is another one than before: what the old one had is gone") }
        let stored = newest.flatMap { signer.number(of: $0.payload) }
        // A disk lost its last seconds, or was put back. Where all of ours went for their age, the stream begins later.
        let isShorter = !isNew && lastOwn > 0 && (newest.map { $0.sequence < lastOwn } ?? (stream.first <= lastOwn))
        if let tenure { try follow(tenure, newest, stored, signer) }
        let lost = spool.lost
        spool.resume(stored: stored, isNew: isNew, isShorter: isShorter)
        if spool.lost > lost, isShorter {
            logger.warning("the broker has lost its newest records: \(spool.lost - lost) of this room's are gone")
        }
        (streamCreated, lastSequence, lastOwn) = (stream.created, 0, newest?.sequence ?? 0)
    }

    /// Goes on behind what the room's owners have told so far.
    private func follow(
        _ tenure: any RoomTenure, _ newest: StreamRecord?, _ stored: Int?, _ signer: SiteSigner
    ) throws(BrokerError) {
        if let newest, signer.epoch(of: newest.payload) > tenure.epoch {
            throw BrokerError(.notAllowed, "another host tells the room's events by now")
        }
        if let stored, !hasGoneOn { spool.goOn(after: stored, from: tenure.lastEvent) }
        hasGoneOn = true
    }

    private func takeMail() throws(BrokerError) {
        let mail = mailbox.take()
        if mail.wantsMotion { motionWantedUntil = .now + .seconds(10) }
        var failure: BrokerError?
        for (record, outcome) in mail.outcomes {
            switch outcome {
            case .success(let receipt):
                spool.store(record)
                heardLast = .now
                pause.reset()
                if receipt.sequence < lastSequence, !receipt.isDuplicate {
                    failure = failure ?? BrokerError(.noStream, "somebody put another stream in place of the site's")
                }
                lastSequence = max(lastSequence, receipt.sequence)
                lastOwn = max(lastOwn, receipt.sequence)
            case .failure(let error):
                if error.code != .closed { spool.refuse(record) }
                failure = failure ?? error
            }
        }
        if let failure = failure ?? mail.failure { throw failure }
    }

    private func handOver(_ connection: BrokerConnection, _ signer: SiteSigner) throws(BrokerError) {
        if !spool.hasUnconfirmed { heardLast = .now }
        if ContinuousClock.now - heardLast > Self.patience {
            throw BrokerError(.timedOut, "the broker has confirmed nothing for 5 s: is its disk full or slow?")
        }
        let subject = subjects.events(signer.room)
        while mayTellNext, let record = spool.next() {
            guard let payload = Self.payload(of: record, signer) else { continue }
            let mailbox = mailbox
            connection.append(
                payload, to: subject, id: signer.id(record), ifLastOfSubject: tenure == nil ? nil : lastOwn
            ) { mailbox.note(record, $0) }
        }
    }

    /// What a later owner might use as a number, too, is not told yet.
    private var mayTellNext: Bool {
        guard let tenure else { return true }
        return tenure.mayAct && (spool.nextNumber.map { tenure.mayTell($0) } ?? true)
    }

    private static func payload(of record: EventSpool.Record, _ signer: SiteSigner) -> [UInt8]? {
        switch record {
        case .event(_, let payload): payload
        case .gap(let numbers): signer.gap(numbers)
        }
    }

    // MARK: How it stands

    private func noteConnected() {
        let (was, away) = (state, Int((ContinuousClock.now - since) / .seconds(1)))
        (state, problem, since, hasNews) = (.connected, nil, .now, true)
        let there = "\(place), site \"\(options.site)\""
        if was == .away {
            logger.notice("\(there): back after \(away) s, with \(plural(spool.waiting, "event")) to catch up")
        } else {
            logger.notice("\(there): connected")
        }
        note()
    }

    private func noteAway(_ error: BrokerError) {
        guard !Task.isCancelled else { return }
        if state != .away {
            (state, since) = (.away, .now)
            problem = nil
        }
        if error.isNews(after: problem) {
            // What a room that can outlive its host does meanwhile, its keeper says.
            let meanwhile = tenure == nil ? "the room plays on, and its events wait here" : "its events wait here"
            logger.warning("the site's broker is away: \(error); \(meanwhile)")
        }
        problem = error
        note()
    }

    /// Tells the room how its way to the site stands.
    func note() { room.note(standing) }

    var standing: SiteStanding {
        SiteStanding(
            site: options.site.text, broker: place, state: state, problem: problem?.message,
            forSeconds: ((ContinuousClock.now - since) / .milliseconds(1)).rounded() / 1_000, waiting: spool.waiting,
            waitingBytes: spool.bytes, confirmed: spool.confirmed, lost: spool.lost, ownership: tenure?.words,
            isSilent: tenure.map { !$0.mayAct })
    }

    /// The broker that this host is connected to, or those that it would be.
    private var place: String { connection?.place.address.description ?? options.place }

    var isConnected: Bool { state == .connected }
}
