import SiteBroker
import SiteRecords
import Synchronization
import Testing

/// What a room's stream and a room's log need of a broker, on a real one.
@Suite(.enabled(if: OwnBroker.isPossible, "needs nats-server and libnats3.4"), .serialized)
struct JetStreamTests {
    private let plan = StreamPlan(name: "LOG", subjects: ["log.>"], age: .seconds(3_600), bytes: 1 << 20)

    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test("Who appends after what is not the last record is refused, and told so: the fence of a log with one writer")
    func fence() async throws {
        let broker = try OwnBroker()
        let (one, other) = (try await broker.connection(), try await broker.connection())
        _ = try await one.createStream(plan)
        let first = try await one.append(bytes("claim"), to: "log.a", id: "1", ifLast: 0)
        #expect(first.sequence == 1 && !first.isDuplicate)
        #expect(try await other.append(bytes("beat"), to: "log.a", id: "2", ifLast: 1).sequence == 2)
        let refusal = await #expect(throws: BrokerError.self) {
            try await one.append(bytes("late"), to: "log.a", id: "3", ifLast: 1)
        }
        #expect(refusal?.code == .notLast)
        #expect(try await one.append(bytes("beat"), to: "log.a", id: "2").isDuplicate)
        let facts = try #require(try await one.stream("LOG"))
        #expect(facts.last == 2 && facts.messages == 2)
        #expect(try await one.newest(in: "LOG", of: "log.a")?.payload == bytes("beat"))
        #expect(try await one.record(in: "LOG", at: 1)?.payload == bytes("claim"))
        #expect(try await one.record(in: "LOG", at: 9) == nil)
    }

    @Test("A record says behind which one its writer wanted it; what a consumer of another stream is sent says nothing")
    func delivered() async throws {
        let broker = try OwnBroker()
        let connection = try await broker.connection()
        _ = try await connection.createStream(plan)
        _ = try await connection.createStream(
            StreamPlan(name: "EVENTS", subjects: ["events.>"], age: .seconds(3_600), bytes: 1 << 20))
        for last in 0...1 as ClosedRange<UInt64> {
            _ = try await connection.append(bytes("beat"), to: "log.a", id: "\(last)", ifLast: last)
        }
        _ = try await connection.append(bytes("event"), to: "events.a", id: "event")
        // The broker sends to a subject that somebody hears by its whole name, as a room's hosts do.
        try connection.hear("log.a", atMost: 64) { _ in }
        let consumer = #"{"deliver_subject":"log.a","deliver_policy":"all","ack_policy":"none"}"#
        _ = try await connection.request(
            "$JS.API.CONSUMER.CREATE.EVENTS", bytes(#"{"stream_name":"EVENTS","config":\#(consumer)}"#))
        var third: StreamRecord?
        for _ in 0..<500 where third == nil {
            try await Task.sleep(for: .milliseconds(20))
            third = try await connection.record(in: "LOG", at: 3)
        }
        let first = try await connection.record(in: "LOG", at: 1)
        let second = try await connection.record(in: "LOG", at: 2)
        #expect(first?.follows == 0 && second?.follows == 1)
        #expect(third?.payload == bytes("event") && third?.follows == nil)
    }

    @Test("A reader gets each record once and in order from a place on, and those that come while it reads")
    func following() async throws {
        let broker = try OwnBroker()
        let writer = try await broker.connection()
        _ = try await writer.createStream(plan)
        for number in 1...20 { _ = try await writer.append(bytes("\(number)"), to: "log.a") }
        var seen: [UInt64] = []
        var reader = StreamReader(try await broker.connection(), stream: "LOG", from: .sequence(6))
        try await reader.read { record in
            seen.append(record.sequence)
            #expect(record.payload == bytes("\(record.sequence)") && record.subject == "log.a")
            if record.sequence >= 20, record.sequence < 30 {
                _ = try await writer.append(bytes("\(record.sequence + 1)"), to: "log.a")
            }
            return record.sequence < 30
        }
        #expect(seen == Array(6...30))
    }

    @Test("When the broker got a record is the same to the ns, whether it is read along or asked for")
    func times() async throws {
        let broker = try OwnBroker()
        let connection = try await broker.connection()
        _ = try await connection.createStream(plan)
        for number in 1...5 { _ = try await connection.append(bytes("\(number)"), to: "log.a") }
        var read: [UInt64] = []
        var reader = StreamReader(connection, stream: "LOG", from: .all)
        try await reader.read { record in
            read.append(record.time ?? 0)
            return record.sequence < 5
        }
        var asked: [UInt64] = []
        for place in 1...5 as ClosedRange<UInt64> {
            asked.append(try await connection.record(in: "LOG", at: place)?.time ?? 1)
        }
        #expect(read == asked && read == read.sorted() && read.allSatisfy { $0 > 1_700_000_000_000_000_000 })
    }

    @Test("A slow reader of many records misses none: the broker waits for it")
    func slowReader() async throws {
        let broker = try OwnBroker()
        let writer = try await broker.connection()
        _ = try await writer.createStream(
            StreamPlan(name: "LOG", subjects: ["log.>"], age: .seconds(3_600), bytes: 64 << 20))
        let payload = [UInt8](repeating: 7, count: 20_000)
        for _ in 1...1_000 { try writer.publish(payload, to: "log.a") }
        writer.flush()
        var count: UInt64 = 0
        var reader = StreamReader(try await broker.connection(), stream: "LOG", from: .all)
        try await reader.read { record in
            count += 1
            #expect(record.sequence == count)
            if count % 100 == 0 { try await Task.sleep(for: .milliseconds(20)) }
            return count < 1_000
        }
        #expect(count == 1_000)
    }

    @Test("What is missing is said: nobody who answers, no stream, no such record")
    func absences() async throws {
        let broker = try OwnBroker()
        let connection = try await broker.connection()
        let nobody = await #expect(throws: BrokerError.self) { try await connection.request("nobody.here") }
        #expect(nobody?.code == .nobodyHears)
        #expect(try await connection.stream("LOG") == nil)
        let streamless = await #expect(throws: BrokerError.self) { try await connection.append([], to: "log.a") }
        #expect(streamless?.code == .noStream)
        let long = await #expect(throws: BrokerError.self) {
            try await connection.append([UInt8](repeating: 0, count: 2 << 20), to: "log.a")
        }
        #expect(long?.code == .refused)
    }

    @Test(
        "Whoever waits for an answer is told when the broker goes, and nothing that comes later touches what was freed")
    func ending() async throws {
        for round in 0..<5 {
            let broker = try OwnBroker()
            let connection = try await broker.connection()
            try connection.hear("quiet", atMost: 8) { _ in }
            async let answer = connection.request("quiet", within: .seconds(30))
            for _ in 0..<1_000 { try? connection.publish([1, 2, 3], to: "quiet") }
            if round % 2 == 0 { broker.end() } else { connection.close() }
            do {
                _ = try await answer
                Issue.record("nobody answers there")
            } catch {
                #expect((error as? BrokerError)?.code == .closed)
            }
            connection.close()
            #expect(throws: BrokerError.self) { try connection.publish([], to: "quiet") }
        }
    }
}

/// What a delivery's subject says.
struct DeliveryTests {
    @Test("Both forms are read, and others are not")
    func forms() {
        let short = Delivery(reply: "$JS.ACK.LOG.c1.1.4711.12.1700000000000000000.5")
        #expect(short == Delivery(reply: "$JS.ACK.hub.ABC.LOG.c1.1.4711.12.1700000000000000000.5.x"))
        #expect(short?.sequence == 4_711 && short?.number == 12 && short?.time == 1_700_000_000_000_000_000)
        for other in ["", "$JS.ACK", "$JS.ACK.a.b.c.d.e.f.g", "_INBOX.a.b.c.d.e.f.g.h", "$JS.ACK.a.b.c.-1.2.f.g"] {
            #expect(Delivery(reply: other) == nil)
        }
    }

    @Test("300 connections that are closed amid messages end nobody: libnats 3.4.1 aborts on what is freed early")
    func closedAmidMessages() async throws {
        let broker = try OwnBroker()
        let writer = try await broker.connection()
        let flood = Task.detached {
            while !Task.isCancelled {
                for _ in 0..<100 { try writer.publish([1, 2, 3], to: "news.today") }
                await Task.yield()
            }
        }
        let heard = Mutex(0)
        for _ in 0..<300 {
            let reader = try await broker.connection()
            for _ in 0..<8 { try reader.hear("news.*", atMost: 1_024) { _ in heard.withLock { $0 += 1 } } }
            try await Task.sleep(for: .microseconds(.random(in: 500...4_000)))
            reader.close()
            #expect(throws: BrokerError.self) { try reader.publish([1], to: "news.today") }
        }
        flood.cancel()
        _ = await flood.result
        #expect(heard.withLock { $0 } > 300)
        #expect(!writer.hasEnded && writer.flush())
    }
}
