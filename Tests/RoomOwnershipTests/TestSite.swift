import RoomOwnership
import WireProtocol

/// Some hosts and a log that answers at once, by hand: what each is told, and what each says.
struct TestSite {
    static let start = HostTime(nanoseconds: 5_000_000_000)
    static let room: Duration = .seconds(1)

    var now = TestSite.start
    var log: [LogEntry] = []
    var members: [Participant]
    /// Whose questions and appends do not reach the log, nor anything the host.
    var cut: Set<Int> = []
    /// Whose appends reach the log, while no answer and no feed reaches the host.
    var deaf: Set<Int> = []
    /// Who is handed nothing, not even the time.
    var stopped: Set<Int> = []
    /// Whether standbys are heard.
    var hasFan = true
    /// So many records were discarded, from the first on.
    var discarded = 0
    /// Everything that each said, but for what is asked of the log.
    var said: [[OwnershipOutput]]
    /// Every append that each asked for.
    var appends: [[AppendRequest]]
    private var ids: [DeduplicationID: UInt64] = [:]

    init(_ configurations: [OwnershipConfiguration]) {
        members = configurations.map { Participant($0, now: Self.start) }
        said = members.map { _ in [] }
        appends = members.map { _ in [] }
    }

    static func configuration(
        _ host: UInt64, _ ambition: OwnershipConfiguration.Ambition, life: UInt64 = 1, whenCut: CutPolicy = .yield
    ) -> OwnershipConfiguration {
        var configuration = OwnershipConfiguration(me: OwnerID(host: host, life: life), ambition: ambition)
        configuration.whenCut = whenCut
        return configuration
    }

    /// A host that acts, and as many standbys that stand by, all of them healthy.
    static func playing(standbys: Int = 1, whenCut: CutPolicy = .yield) -> TestSite {
        var site = TestSite(
            [configuration(1, .host, whenCut: whenCut)]
                + (0..<standbys).map { configuration(UInt64($0) + 2, .standby, whenCut: whenCut) })
        site.pass(.seconds(4))
        return site
    }

    var records: [SiteLogRecord?] { log.map { try? SiteLogRecord(decoding: $0.bytes) } }
    func acts(_ member: Int) -> Bool { members[member].actsUntil(now) != nil }
    func standing(_ member: Int) -> Standing { members[member].standing(now) }

    /// One more run of a host's program.
    mutating func start(_ configuration: OwnershipConfiguration) {
        members.append(Participant(configuration, now: now))
        (said, appends) = (said + [[]], appends + [[]])
    }

    /// Lets time pass, with every host woken when it asked to be.
    mutating func pass(_ duration: Duration) {
        let end = now + duration
        for member in members.indices { give(nil, to: member) }
        while let next = members.indices.filter({ !stopped.contains($0) }).compactMap({ members[$0].nextDeadline })
            .min(),
            next <= end
        {
            now = max(now + .nanoseconds(1), next)
            for member in members.indices { give(nil, to: member) }
        }
        now = end
        for member in members.indices { give(nil, to: member) }
    }

    mutating func give(_ input: OwnershipInput?, to member: Int) {
        guard !stopped.contains(member) else { return }
        let outputs = input.map { members[member].handle($0, now: now) } ?? members[member].advance(to: now)
        for output in outputs { perform(output, member) }
    }

    private mutating func perform(_ output: OwnershipOutput, _ member: Int) {
        switch output {
        case .append(let request):
            appends[member].append(request)
            guard !cut.contains(member) else { return }
            let answer = append(request)
            if !deaf.contains(member) { give(.answered(request.id, answer), to: member) }
        case .read(let question):
            guard !cut.contains(member), !deaf.contains(member) else { return }
            let from = max(Int(question.from), discarded + 1)
            let entries = from <= log.count ? Array(log[(from - 1)...]) : []
            give(.read(LogExtract(question: question, entries: entries, last: UInt64(log.count))), to: member)
        case .announce(let presence):
            guard hasFan, !cut.contains(member) else { return }
            for other in members.indices where other != member && !cut.contains(other) {
                give(.standby(presence), to: other)
            }
        case .learned, .missed, .readsAnew, .committed, .lost, .deposed, .standing: said[member].append(output)
        }
    }

    private mutating func append(_ request: AppendRequest) -> AppendAnswer {
        if let sequence = ids[request.id] { return .accepted(sequence: sequence) }
        guard request.expected == UInt64(log.count) else { return .refused(last: UInt64(log.count)) }
        ids[request.id] = request.expected + 1
        write(request.bytes)
        return .accepted(sequence: request.expected + 1)
    }

    /// Has all that was in the log discarded for what is nobody's, before anybody read that.
    mutating func flood(isHeard: Bool = true) {
        for _ in 0..<8 { log.append(LogEntry(sequence: UInt64(log.count) + 1, bytes: [0x7B], isPlaced: false)) }
        discarded = log.count - 2
        if isHeard { write([0x7B], isPlaced: false) }
    }

    /// Puts a record at the log's end, whoever wrote it.
    mutating func write(_ bytes: [UInt8], isPlaced: Bool = true) {
        let entry = LogEntry(sequence: UInt64(log.count) + 1, bytes: bytes, isPlaced: isPlaced)
        log.append(entry)
        for member in members.indices where !cut.contains(member) && !deaf.contains(member) {
            give(.heard(entry), to: member)
        }
    }
}
