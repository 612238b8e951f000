import RoomOwnership

/// The broker's log of one room: it compares before it appends, knows what is sent again, and keeps what it acknowledged;
/// unless it was told to be at fault.
struct SimulatedSiteLog: Sendable {
    /// One log; with ``PlantedFault/diverges`` one for each host's broker.
    private(set) var replicas: [[LogEntry]]
    private var known: [[DeduplicationID: UInt64]]
    private let fault: PlantedFault?
    private let keeps: Int
    /// Appends reach only the replica of whoever sends them.
    var isSplit = false

    init(hosts: Int, keeps: Int, fault: PlantedFault?) {
        let count = fault == .diverges ? hosts : 1
        replicas = Array(repeating: [], count: count)
        known = Array(repeating: [:], count: count)
        (self.keeps, self.fault) = (keeps, fault)
    }

    private func replica(of host: Int) -> Int { replicas.count == 1 ? 0 : host }

    func last(for host: Int) -> UInt64 { UInt64(replicas[replica(of: host)].count) }

    /// - Returns: the answer, and the record where it was appended, with the hosts whose brokers tell of it.
    mutating func append(_ request: AppendRequest, from host: Int) -> (AppendAnswer, LogEntry?, told: [Int]?) {
        let place = replica(of: host)
        // A broker looks for the id first, as nats-server does.
        if let sequence = known[place][request.id] { return (.accepted(sequence: sequence), nil, nil) }
        let last = UInt64(replicas[place].count)
        guard request.expected == last || fault == .ignoresExpectation else {
            return (.refused(last: last), nil, nil)
        }
        let entry = LogEntry(sequence: last + 1, bytes: request.bytes)
        var told: [Int]?
        if isSplit {
            store(entry, request.id, in: place)
            told = [host]
        } else {
            for replica in replicas.indices where replicas[replica].count == Int(last) {
                store(entry, request.id, in: replica)
            }
            if replicas.count > 1 { told = replicas.indices.filter { replicas[$0].last == entry } }
        }
        return (.accepted(sequence: entry.sequence), entry, told)
    }

    private mutating func store(_ entry: LogEntry, _ id: DeduplicationID, in replica: Int) {
        replicas[replica].append(entry)
        known[replica][id] = entry.sequence
    }

    /// Somebody who may write, and is no host of ours.
    mutating func scribble(_ bytes: [UInt8]) -> LogEntry {
        let entry = LogEntry(sequence: UInt64(replicas[0].count) + 1, bytes: bytes)
        for replica in replicas.indices { replicas[replica].append(entry) }
        return entry
    }

    /// What a broker lays into the log for somebody who has it sent there: all that it kept goes, and some more.
    mutating func flood(_ count: Int) -> [LogEntry] {
        let first = UInt64(replicas[0].count) + 1
        let entries = (0..<UInt64(count)).map { LogEntry(sequence: first + $0, bytes: [0x7B], isPlaced: false) }
        for replica in replicas.indices { replicas[replica] += entries }
        return entries
    }

    func read(_ question: LogQuestion, for host: Int) -> LogExtract {
        let all = replicas[replica(of: host)]
        let oldest = UInt64(max(0, all.count - keeps)) + 1
        let from = max(question.from, oldest)
        // As many as a broker hands out at once.
        let entries = from <= UInt64(all.count) ? Array(all[Int(from - 1)...].prefix(50)) : []
        return LogExtract(question: question, entries: entries, last: UInt64(all.count))
    }

    /// Its disk is gone.
    mutating func empty() {
        for replica in replicas.indices { (replicas[replica], known[replica]) = ([], [:]) }
    }
}
