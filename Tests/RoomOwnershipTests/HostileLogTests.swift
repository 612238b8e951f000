import LinkEmulation
import RoomOwnership
import Testing
import WireProtocol

@Suite("A broker that says anything")
struct HostileLogTests {
    @Test(
        "Whatever answers, records and words come, nothing traps, what waits has an end, and nobody is due all the time"
    )
    func anything() {
        for seed: UInt64 in 1...300 {
            var random = SeededGenerator(seed: seed)
            var configuration = TestSite.configuration(1, random.chance(0.5) ? .host : .standby)
            configuration.buffer.items = 30
            var now = TestSite.start
            var participant = Participant(configuration, now: now)
            var asked: [AppendRequest] = []
            var questions: [LogQuestion] = []
            for _ in 0..<400 {
                now = participant.nextDeadline.map { min(max($0, now), now + .milliseconds(300)) } ?? now
                now = now + .nanoseconds(Int64(random.next() % 40_000_000))
                let input = drawn(&random, asked, questions, participant)
                for output in input.map({ participant.handle($0, now: now) }) ?? participant.advance(to: now) {
                    if case .append(let request) = output { asked = asked.suffix(5) + [request] }
                    if case .read(let question) = output { questions = questions.suffix(5) + [question] }
                }
                #expect(participant.account.uncommitted <= 30 + 1_024, "seed \(seed)")
            }
            var turns = 0
            let end = now + .seconds(1)
            while let due = participant.nextDeadline, due <= end, turns < 500 {
                now = max(now, due)
                _ = participant.advance(to: now)
                turns += 1
            }
            #expect(turns < 100, "seed \(seed): \(turns) turns in a second without an input")
        }
    }

    private func drawn(
        _ random: inout SeededGenerator, _ asked: [AppendRequest], _ questions: [LogQuestion],
        _ participant: Participant
    ) -> OwnershipInput? {
        func number() -> UInt64 {
            switch random.next() % 6 {
            case 0: random.next()
            case 1: .max
            case 2: 0
            default: participant.lastSequence &+ random.next() % 4
            }
        }
        func entry() -> LogEntry {
            let body: SiteLogRecord.Body =
                [.claim(.silence), .beat, .handover(to: 1), .released, .batch(CommitBatch(items: [.event([])]))][
                    Int(random.next() % 5)]
            let record = SiteLogRecord(
                epoch: max(1, participant.ownership.epoch &+ random.next() % 3),
                owner: random.chance(0.5) ? participant.configuration.me : OwnerID(host: 2, life: 1),
                policy: random.chance(0.5) ? .play : .yield, lastEvent: number(), chain: nil, body: body)
            var bytes = random.chance(0.3) ? asked.last?.bytes ?? record.encoded : record.encoded
            if random.chance(0.2) { bytes[Int(random.next() % UInt64(bytes.count))] = 255 }
            return LogEntry(sequence: number(), bytes: bytes, isPlaced: random.chance(0.9))
        }
        switch random.next() % 8 {
        case 0: return .heard(entry())
        case 1:
            let first = number()
            let entries = (0..<random.next() % 4).map { LogEntry(sequence: first &+ $0, bytes: entry().bytes) }
            return .read(
                LogExtract(question: questions.last ?? LogQuestion(from: 1, known: 0), entries: entries, last: number())
            )
        case 2, 3:
            guard let request = asked.randomElement(using: &random) else { return nil }
            let answers: [AppendAnswer] =
                [
                    .accepted(sequence: request.expected + 1), .accepted(sequence: number()), .refused(last: number()),
                    .refused(last: nil), .unknown,
                ]
            return .answered(request.id, answers[Int(random.next() % 5)])
        case 4: return .standby(StandbyPresence(host: random.next() % 20, isReady: true, follows: number()))
        case 5: return .offered(SiteItem(kind: UInt8(random.next() % 3), sealed: [1]))
        case 6:
            let commands: [OwnershipCommand] = [.handOver(to: random.next() % 3), .takeOver, .takeOver, .release]
            return random.chance(0.1) ? .command(commands[Int(random.next() % 4)]) : nil
        default: return nil
        }
    }
}
