import Foundation
import Identity
import InputMerge
import RoomRecords
import SiteBroker
import SiteContests
import SiteRecords
import WireProtocol

/// A referee at its desk: reads its mail, and writes questions and verdicts.
struct RefereeDesk {
    /// How long an answer may take until nobody waits for it.
    private static let patience: Duration = .seconds(2)
    /// How often it is looked at who is there.
    private static let lookPeriod: Duration = .milliseconds(500)
    private static let longestEvent = 65_536

    private var referee: Referee
    private let connection: BrokerConnection
    private let watch: SiteWatch
    private let mail: RefereeMail
    private let words: [String]
    private let watchedFor: String?
    private let opened: String
    private let question: [UInt8]
    private let clock = RecordClock(openedAt: HostTime(nanoseconds: 0))
    /// Who takes part, by id.
    private var rooms: [String: SiteRoom] = [:]
    private var told: [String] = []
    private var lookDue = HostTime(nanoseconds: .min)
    private var wakesAt: HostTime?
    private var troubles = RefereeTroubles()
    /// Verdicts of which the broker has said nothing yet.
    private var unwritten = 0
    private var news: [SiteReferee.News] = []

    init(
        _ referee: Referee, _ connection: BrokerConnection, _ watch: SiteWatch, _ mail: RefereeMail,
        opened: String, words: [String], watchedFor: String?
    ) {
        (self.referee, self.connection, self.watch, self.mail) = (referee, connection, watch, mail)
        (self.opened, self.words, self.watchedFor) = (opened, words, watchedFor)
        question = (try? JSONEncoder().encode(OperatorRequest(.watermarks))).map { Array($0) } ?? []
    }

    mutating func turn() -> [SiteReferee.News] {
        for (letter, at) in mail.take() {
            switch letter {
            case .event(let message): take(message, at: at)
            case .answer(let ask, let outcome): take(outcome, to: ask, at: at)
            case .stored(let error): note(stored: error)
            }
        }
        let now = mail.now
        for line in troubles.due(now: now) { news.append(.trouble(line)) }
        if now >= lookDue { look(now: now) }
        for verdict in referee.decide(now: now) { publish(verdict) }
        for unjudged in referee.takeUnjudged() { report(words(unjudged)) }
        for ask in referee.asks(now: now) {
            let mail = mail
            connection.request(watch.subjects.ask(ask.room), question, within: Self.patience) {
                mail.put(.answer(ask, $0))
            }
        }
        defer { news = [] }
        return news
    }

    /// Reads its mail only for what became of the verdicts.
    ///
    /// - Parameter isLast: nothing more will be heard of them.
    mutating func hearOfVerdicts(isLast: Bool) -> [SiteReferee.News] {
        for case (.stored(let error), _) in mail.take() { note(stored: error) }
        if isLast, unwritten > 0 { report("the last verdict may not be in the site's stream: the broker has gone") }
        defer { news = [] }
        return news
    }

    /// Whether the stream has every verdict, or will have none of them.
    var isWritten: Bool { unwritten == 0 }

    private mutating func note(stored error: BrokerError?) {
        unwritten -= 1
        if let error { report("the verdict is not in the site's stream: \(error.message)") }
    }

    private func words(_ unjudged: Referee.Unjudged) -> String {
        let (who, room) = (unjudged.who, name(unjudged.who.room))
        return switch unjudged.reason {
        case .late:
            "a move of P\(who.player) in \(room) was told too late to be judged: is its way to the broker slow?"
        case .tooMany: "\(room) tells more moves than people make: most of them are not judged"
        }
    }

    /// Rings when something is due next.
    mutating func wakeInTime() {
        let now = mail.now
        let due = min(referee.nextDeadline ?? lookDue, lookDue)
        // An earlier bell that still comes is as good.
        if let wakesAt, wakesAt > now, wakesAt <= due { return }
        wakesAt = due
        mail.ring(in: due - now)
    }

    /// It is so, and is found again and again while it is.
    private mutating func complain(_ words: String) {
        if let words = troubles.last(words, now: mail.now) { news.append(.trouble(words)) }
    }

    /// It has happened.
    private mutating func report(_ words: String) {
        if let words = troubles.happen(words, now: mail.now) { news.append(.trouble(words)) }
    }

    // MARK: Who takes part

    private mutating func look(now: HostTime) {
        lookDue = now + Self.lookPeriod
        if connection.hasEnded { mail.ring() }
        let open = watch.entries.filter { !$0.entry.room.isClosing }
        let speaking = open.filter { $0.silentForMs == nil }.map(\.entry.room)
        // While the room that is meant is silent, none that is called nearly so stands in for it.
        let meant = words.map { word in Set(open.map(\.entry.room).meant(by: word).map(\.room)) }
        var heard: [String: SiteRoom] = [:]
        for room in speaking where words.isEmpty || meant.contains(where: { $0.contains(room.room) }) {
            guard referee.hear(room.room, opened: room.opened) else {
                complain("\(Referee.mostRooms) rooms take part, and no more: say which with --room")
                continue
            }
            heard[room.room] = room
        }
        for (word, ids) in zip(words, meant) where ids.isDisjoint(with: speaking.map(\.room)) {
            complain("no room \"\(spoken(word, atMost: 128))\" is heard; it takes part when it opens")
        }
        for gone in rooms.keys where heard[gone] == nil { referee.leave(gone) }
        rooms = heard
        tellRooms(now: now)
    }

    /// Tells who takes part when that changes, and when a clock is known first.
    private mutating func tellRooms(now: HostTime) {
        let present = rooms.values.sorted { ($0.name, $0.host, $0.room) < ($1.name, $1.host, $1.room) }
        var known: [(room: SiteRoom, uncertainty: Double?)] = []
        for room in present {
            known.append((room, referee.uncertainty(of: room.room, now: now).map { Double($0) / 1e6 }))
        }
        let signs = known.map { "\($0.room.room) \($0.uncertainty != nil) \($0.room.playing)" }
        guard signs != told else { return }
        told = signs
        news.append(.rooms(known))
    }

    private func name(_ room: String) -> String { "\"\(rooms[room]?.name ?? String(room.prefix(8)))\"" }

    // MARK: What comes

    private mutating func take(_ message: BrokerMessage, at: HostTime) {
        guard message.payload.count <= Self.longestEvent,
            let told = try? JSONDecoder().decode(ToldEvent.self, from: Data(message.payload)),
            // Whoever may publish as one room speaks for no other.
            told.room == watch.subjects.room(in: message.subject)
        else { return }
        guard let gap = told.gap else {
            let numbers = told.n...told.n
            return referee.told(
                numbers, of: told.room, opened: told.opened, epoch: told.epoch, move: told.move(of: referee.gesture),
                now: at)
        }
        guard gap.first <= gap.last else { return }
        referee.told(gap.first...gap.last, of: told.room, opened: told.opened, epoch: told.epoch, now: at)
    }

    private mutating func take(_ outcome: Result<BrokerMessage, BrokerError>, to ask: Referee.Ask, at: HostTime) {
        let reply: OperatorReply
        switch outcome {
        case .failure(let error):
            referee.giveUp(ask.id, of: ask.room)
            if error.code == .notAllowed { complain(error.message) }
            return
        case .success(let message):
            guard let decoded = try? JSONDecoder().decode(OperatorReply.self, from: Data(message.payload)) else {
                return complain("\(name(ask.room)) answered what this version does not understand")
            }
            reply = decoded
        }
        guard let report = reply.watermarks else {
            referee.giveUp(ask.id, of: ask.room)
            let why = spoken(reply.error?.message ?? "it does not say why", atMost: 512)
            return complain("\(name(ask.room)) says nothing of its players, who take no part: \(why)")
        }
        referee.take(RoomReport(report), to: ask.id, of: ask.room, now: at)
        if let watchedFor, !report.watched.contains(watchedFor) {
            let known = report.watched.prefix(32).map { spoken($0, atMost: 40) }.joined(separator: ", ")
            complain("\(name(ask.room)) does not watch for \(watchedFor), but for: \(known)")
        }
    }

    // MARK: Verdicts

    private mutating func publish(_ verdict: SiteVerdict) {
        let record = SiteContestRecord(verdict, host: MachineName.own, opened: opened, clock: clock) { who in
            let room = rooms[who.room]
            return SiteContestRecord.Contender(
                room: who.room, name: room?.name ?? "", player: who.player,
                called: room?.players.first { $0.player == who.player }?.name)
        }
        news.append(.verdict(record))
        connection.append(
            record.payload, to: watch.subjects.contests, id: "contests.\(opened).\(record.name).\(record.n)",
            within: Self.patience
        ) { [mail] outcome in
            if case .failure(let error) = outcome { mail.put(.stored(error)) } else { mail.put(.stored(nil)) }
        }
        unwritten += 1
    }
}
