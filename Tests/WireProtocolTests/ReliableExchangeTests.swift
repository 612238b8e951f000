import Testing
import WireProtocol

@Suite("Reliable messages over a bad link")
struct ReliableExchangeTests {
    private let retry = Duration.milliseconds(100)

    /// A link that loses, repeats and reorders datagrams as its seed says.
    private struct BadLink {
        var generator: SplitMix64
        var inFlight: [[UInt8]] = []

        mutating func send(_ datagram: [UInt8]) {
            for _ in 0..<[0, 0, 1, 1, 1, 1, 2].randomElement(using: &generator)! { inFlight.append(datagram) }
        }

        mutating func receive() -> [UInt8]? {
            guard !inFlight.isEmpty, Bool.random(using: &generator) else { return nil }
            return inFlight.remove(at: .random(in: inFlight.indices, using: &generator))
        }
    }

    @Test("Every message arrives exactly once and in order, whatever the link does", arguments: UInt64(1)...40)
    func exactlyOnce(seed: UInt64) throws {
        var outbox = ReliableOutbox(capacity: 16)
        var inbox = ReliableInbox()
        var there = BadLink(generator: SplitMix64(seed: seed))
        var back = BadLink(generator: SplitMix64(seed: seed &+ 1_000))
        var accepted: [[UInt8]] = []
        var delivered: [[UInt8]] = []
        var now: Int64 = 0
        while accepted.count < 100 || !outbox.isEmpty {
            now += 20_000_000
            try #require(now < 600_000_000_000, "the exchange never ends")
            let message = UInt32(accepted.count).bigEndianBytes
            if accepted.count < 100, outbox.append(message) != nil { accepted.append(message) }
            #expect(outbox.count <= outbox.capacity)
            let sent = payload { outbox.write(to: &$0, now: now, retryAfter: retry) }
            if sent.count > 8 { there.send(sent) }
            while let datagram = there.receive() {
                try Payload.reading(datagram) { payload in
                    for case .message(let id, let body) in payload.blocks where inbox.admit(id) {
                        delivered.append(Array(body))
                    }
                }
            }
            let answer = payload { inbox.writeReceipt(to: &$0) }
            if answer.count > 8 { back.send(answer) }
            while let datagram = back.receive() {
                try Payload.reading(datagram) { payload in
                    for case .receipt(let next) in payload.blocks { outbox.acknowledge(below: next) }
                }
            }
        }
        #expect(delivered == accepted)
    }

    @Test("A message is sent at once, then again each time the retry interval has passed, until its receipt")
    func retries() {
        var outbox = ReliableOutbox()
        #expect(outbox.nextDue(retryAfter: retry) == nil)
        #expect(outbox.append([1]) == 0)
        #expect(outbox.nextDue(retryAfter: retry) == .min)
        func sizes(at now: Int64) -> Int { written { outbox.write(to: &$0, now: now, retryAfter: retry) }.count }
        #expect(sizes(at: 0) == 8)
        #expect(outbox.nextDue(retryAfter: retry) == 100_000_000)
        #expect(sizes(at: 99_999_999) == 0)
        #expect(sizes(at: 100_000_000) == 8)
        outbox.acknowledge(below: 1)
        #expect(sizes(at: .max) == 0)
    }

    @Test("A full outbox takes nothing more, and a message that is too long is never taken")
    func bounded() {
        var outbox = ReliableOutbox(capacity: 2)
        #expect(outbox.append(Array(repeating: 0, count: 513)) == nil)
        #expect(outbox.append([1]) == 0)
        #expect(outbox.append([2]) == 1)
        #expect(outbox.append([3]) == nil)
        outbox.acknowledge(below: 1)
        #expect(outbox.append([3]) == 2)
    }

    @Test("A receipt for what was never sent is not believed", arguments: [UInt32(3), 4, .max])
    func falseReceipts(next: UInt32) {
        var outbox = ReliableOutbox()
        _ = outbox.append([1])
        _ = outbox.append([2])
        outbox.acknowledge(below: next)
        #expect(outbox.count == 2)
    }

    @Test("A message that comes before its turn, or again, is not acted on, but a receipt is owed")
    func turns() {
        var inbox = ReliableInbox()
        #expect(!inbox.owesReceipt)
        let early = inbox.admit(1)
        #expect(inbox.owesReceipt)
        let verdicts = [UInt32(0), 0, 1, .max].map { inbox.admit($0) }
        #expect([early] + verdicts == [false, true, false, true, false])
        #expect(inbox.next == 2)
        _ = written(room: 3) { inbox.writeReceipt(to: &$0) }
        #expect(inbox.owesReceipt)
        _ = written { inbox.writeReceipt(to: &$0) }
        #expect(!inbox.owesReceipt)
    }

    @Test("A new link epoch numbers what still waits from 0 again, in the same order")
    func restart() throws {
        var outbox = ReliableOutbox()
        for message in UInt8(0)..<4 { _ = outbox.append([message]) }
        _ = written { outbox.write(to: &$0, now: 0, retryAfter: retry) }
        outbox.acknowledge(below: 2)
        outbox.restart()
        #expect(outbox.nextDue(retryAfter: retry) == .min)
        let blocks = try Payload.blocks(in: payload { outbox.write(to: &$0, now: 1, retryAfter: retry) })
        #expect(blocks.map(\.id) == [0, 1])
        #expect(blocks.map(\.body) == ["02", "03"])
    }
}
