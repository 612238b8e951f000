import WireProtocol

/// One stream epoch: every index that arrived or was given up, in sets.
struct StreamBooks: Sendable {
    let stream: StreamID
    let epoch: UInt8
    var isClosed = false
    private(set) var arrived: Set<UInt32> = []
    private(set) var abandoned: Set<UInt32> = []
    private(set) var redundant: UInt64 = 0
    private(set) var late: UInt64 = 0
    /// Those of which nobody can tell without the merge.
    private(set) var unknown: UInt64 = 0
    private var floor: UInt32 = 0
    private var newest: UInt32 = 0
    private var end = 0
    private var givenUp = GivenUp()

    init(stream: StreamID, epoch: UInt8) {
        self.stream = stream
        self.epoch = epoch
    }

    var missing: UInt64 { UInt64(end - arrived.count - abandoned.count) }

    /// Books a block's samples; those that are new go into `fresh`.
    mutating func take(
        _ block: SentRecord.Block, _ arrival: LeaseBooks.Arrival, isOver: Bool, into fresh: inout [LeaseBooks.Fresh]
    ) {
        while floor < block.floor {
            if !arrived.contains(floor) { abandoned.insert(floor) }
            floor += 1
        }
        end = max(end, Int(floor))
        for run in block.runs {
            for index in run.first..<run.first + run.count {
                guard index >= floor, arrived.insert(index).inserted else {
                    redundant += 1
                    continue
                }
                end = max(end, Int(index) + 1)
                let lateness = isOver ? .late : judge(index, run, arrival)
                switch lateness {
                case .onTime: break
                case .late: late += 1
                case .unknown: unknown += 1
                }
                fresh.append(LeaseBooks.Fresh(stream: stream, index: index, lateness: lateness))
            }
        }
    }

    private mutating func judge(
        _ index: UInt32, _ run: SentRecord.Run, _ arrival: LeaseBooks.Arrival
    ) -> Lateness {
        switch arrival.rule {
        case .behind(let patience):
            defer { newest = max(newest, index) }
            return index + patience < newest ? .late : .onTime
        case .timeline(let rule):
            return givenUp.judge(
                Int(index), takenAt: run.takenAt, admittedAt: arrival.admittedAt, isDoubtful: arrival.isDoubtful,
                at: arrival.at, now: arrival.now, rule)
        }
    }
}
