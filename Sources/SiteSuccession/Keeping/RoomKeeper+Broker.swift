import Datagrams
import Foundation
import Logging
import RoomOwnership
import RoomRecords
import SiteBroker
import SiteRecords
import WireProtocol

/// What the log is asked.
enum LogReading: Sendable {
    /// By the participant, which waits for the answer.
    case question(LogQuestion)
    /// What may have come after this record.
    case next(after: UInt64)
}

/// The log as JetStream keeps it: a stream of its own for each room, with one replica.
extension RoomKeeper {
    /// Records that one answer brings at most.
    private static let mostRead: UInt64 = 64

    private var stream: StreamPlan {
        StreamPlan(
            name: subjects.logStream(plan.room), subjects: [subjects.log(plan.room)], age: nil, bytes: 16 << 20,
            records: Self.keptRecords)
    }

    func keepConnected() async {
        var pause = GrowingPause()
        var problem: BrokerError?
        while !Task.isCancelled {
            do throws(BrokerError) {
                try await serve()
                pause.reset()
                problem = nil
            } catch {
                if error.isNews(after: problem), !Task.isCancelled {
                    Self.logger.warning("\"\(plan.name)\": the room's log cannot be reached: \(error)")
                }
                problem = error
            }
            if let connection {
                if connection.hasEnded || Task.isCancelled { connection.close() } else { connection.giveUp() }
            }
            connection = nil
            try? await Task.sleep(for: .milliseconds(pause.milliseconds()))
        }
    }

    /// Connects, and returns when the connection has ended or says nothing any more.
    private func serve() async throws(BrokerError) {
        let mailbox = mailbox
        let connection = try await BrokerConnection.open(plan.site, name: "roomful owner") { mailbox.ring() }
        if !plan.site.isStandby { _ = try await connection.createStream(stream) }
        try connection.hear(subjects.log(plan.room), atMost: 256) { _ in mailbox.noteLog() }
        try connection.hear(subjects.standby(plan.room), atMost: 64) { message in
            guard let (presence, name) = PresenceWord.read(message.payload) else { return }
            mailbox.note(presence, named: name)
        }
        self.connection = connection
        (heardLast, isCatchingUp) = (LeaseClock.now(), false)
        catchUp()
        while !Task.isCancelled, !connection.hasEnded, LeaseClock.now() - heardLast < Self.patience {
            try? await Task.sleep(for: .milliseconds(100))
        }
    }

    // MARK: Writing

    func append(_ request: AppendRequest) {
        let (mailbox, id) = (mailbox, request.id)
        guard let connection else { return }
        connection.append(
            request.bytes, to: subjects.log(plan.room), id: "\(id)", ifLast: request.expected
        ) { outcome in
            let answer: AppendAnswer =
                switch outcome {
                case .success(let receipt): .accepted(sequence: receipt.sequence)
                case .failure(let error): error.code == .notLast ? .refused(last: nil) : .unknown
                }
            mailbox.post(.input(.answered(id, answer)))
        }
    }

    func announce(_ presence: StandbyPresence) {
        let word = PresenceWord(presence, machine: MachineName.own)
        guard let payload = try? JSONEncoder().encode(word) else { return }
        try? connection?.publish(Array(payload), to: subjects.standby(plan.room))
    }

    // MARK: Reading

    /// Somebody wrote, or the connection is new: what came is read, unless that is being done.
    func catchUp() {
        guard !isCatchingUp else { return }
        isCatchingUp = true
        asking.yield(.next(after: participant.lastSequence))
    }

    func keepReading() async {
        for await reading in questions {
            do throws(BrokerError) {
                switch reading {
                case .question(let question):
                    let (entries, last) = try await read(from: question.from)
                    mailbox.post(.input(.read(LogExtract(question: question, entries: entries, last: last))))
                case .next(let last):
                    isCatchingUp = false
                    for entry in try await read(from: last + 1).entries { mailbox.post(.input(.heard(entry))) }
                }
                heardLast = LeaseClock.now()
            } catch {
                // The participant asks again.
                isCatchingUp = false
            }
        }
    }

    /// The log's records from a place on, without a hole, and its last place; of a log that is not there: none.
    private func read(from first: UInt64) async throws(BrokerError) -> (entries: [LogEntry], last: UInt64) {
        guard let connection else { throw BrokerError(.closed, "there is no connection") }
        let name = subjects.logStream(plan.room)
        guard let facts = try await connection.stream(name) else { return ([], 0) }
        var entries: [LogEntry] = []
        var next = max(first, facts.first, 1)
        let end = next.addingReportingOverflow(Self.mostRead).partialValue
        while next <= facts.last, next < end {
            guard let record = try await connection.record(in: name, at: next) else { break }
            let isPlaced = record.follows == record.sequence &- 1
            entries.append(LogEntry(sequence: record.sequence, bytes: record.payload, isPlaced: isPlaced))
            next += 1
        }
        return (entries, facts.last)
    }
}
