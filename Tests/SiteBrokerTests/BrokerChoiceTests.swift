import Foundation
import SiteBroker
import SiteRecords
import Synchronization
import Testing

/// Which of several brokers a connection is to, on real ones.
@Suite(.enabled(if: OwnBroker.isPossible, "needs nats-server and libnats3.4"), .serialized)
struct BrokerChoiceTests {
    private let nobody = "nats://127.0.0.1:1"

    private func connection(_ brokers: [String], _ name: String, _ closed: @escaping @Sendable () -> Void = {})
        async throws -> String
    {
        let options = SiteOptions(broker: brokers.joined(separator: ","))
        let connection = try await BrokerConnection.open(options, name: name, closed: closed)
        defer { connection.close() }
        #expect(connection.flush())
        return connection.place.address.description
    }

    @Test("One that is not there, or does not answer, is passed over; an end that was ours is told to nobody")
    func passedOver() async throws {
        let (one, other) = (try OwnBroker(), try OwnBroker())
        for broker in [one, other] { (try await broker.connection()).close() }
        let ends = Mutex(0)
        let end: @Sendable () -> Void = { ends.withLock { $0 += 1 } }
        #expect(try await connection([nobody, one.text], "refused", end) == one.text)
        #expect(try await connection([one.text, other.text], "first", end) == one.text)
        one.freeze()
        #expect(try await connection([one.text, other.text], "frozen", end) == other.text)
        one.thaw()
        try await Task.sleep(for: .milliseconds(300))
        #expect(ends.withLock { $0 } == 0)
    }

    @Test("One that was given up is asked last, also for another purpose; who is given up later, after it")
    func trust() async throws {
        let (one, other) = (try OwnBroker(), try OwnBroker())
        for broker in [one, other] { (try await broker.connection()).close() }
        let both = SiteOptions(broker: "\(one.text),\(other.text)")
        var seen: [String] = []
        for name in ["owner", "host", "desk"] {
            let connection = try await BrokerConnection.open(both, name: name)
            seen.append(connection.place.address.description)
            connection.giveUp()
        }
        #expect(seen == [one.text, other.text, one.text])
    }

    @Test("One that keeps no streams, as it has none or is cut off, is asked last from then on, whoever closes how")
    func withoutStreams() async throws {
        let (bare, other) = (try OwnBroker(keepsStreams: false), try OwnBroker())
        for broker in [bare, other] { (try await broker.connection()).close() }
        let both = SiteOptions(broker: "\(bare.text),\(other.text)")
        let first = try await BrokerConnection.open(both, name: "owner")
        #expect(first.place.address.description == bare.text)
        let error = await #expect(throws: BrokerError.self) { _ = try await first.stream("LOG") }
        #expect(error?.code == .noJetStream)
        first.close()
        let second = try await BrokerConnection.open(both, name: "owner")
        #expect(second.place.address.description == other.text)
        #expect(try await second.stream("LOG") == nil)
    }

    @Test("Connections that their broker ends while they are let go end nobody: 100 of them")
    func endsTwice() async throws {
        for _ in 0..<10 {
            let broker = try OwnBroker()
            var held: [BrokerConnection] = []
            for _ in 0..<10 {
                let connection = try await broker.connection()
                try connection.hear("news.*", atMost: 64) { _ in }
                held.append(connection)
            }
            let waiting = held.map { connection in
                Task {
                    _ = try? await connection.request("news.ask", within: .seconds(20))
                    connection.close()
                }
            }
            broker.end()
            for task in waiting { await task.value }
            #expect(held.allSatisfy { $0.hasEnded })
        }
    }

    @Test("An end by itself is told once")
    func ends() async throws {
        let (one, other) = (try OwnBroker(), try OwnBroker())
        for broker in [one, other] { (try await broker.connection()).close() }
        let (told, tell) = AsyncStream.makeStream(of: Void.self)
        let options = SiteOptions(broker: "\(one.text),\(other.text)")
        let held = try await BrokerConnection.open(options, name: "ends") { tell.yield() }
        // On a busy machine the first may have been too slow to be asked first.
        (held.place.address.description == one.text ? one : other).end()
        var count = 0
        for await _ in told {
            count += 1
            break
        }
        #expect(count == 1 && held.hasEnded)
    }

    @Test("Where all fail, the one that answers and refuses is quoted; else all are named")
    func failures() async throws {
        let broker = try OwnBroker()
        (try await broker.connection()).close()
        let none = await #expect(throws: BrokerError.self) {
            _ = try await connection([nobody, "nats://127.0.0.1:2"], "none")
        }
        #expect(none?.code == .unreachable && none?.message.contains("127.0.0.1:1, nats://127.0.0.1:2") == true)
        let encrypted = broker.text.replacingOccurrences(of: "nats:", with: "tls:")
        let refused = await #expect(throws: BrokerError.self) {
            _ = try await connection([nobody, encrypted], "refused")
        }
        #expect(refused?.code == .encryption)
    }
}
