import SiteRecords
import Testing
import WireProtocol

/// What waits for a broker: in order, each event in the stream or in a gap, and never in both.
struct EventSpoolTests {
    private func spool(count: Int = 100, bytes: Int = 10_000, window: Int = 4) -> EventSpool {
        EventSpool(EventSpool.Limits(count: count, bytes: bytes, window: window))
    }

    private func fill(_ spool: inout EventSpool, _ numbers: ClosedRange<Int>, bytes: Int = 10) {
        for number in numbers { spool.append(number: number, payload: Array(repeating: 0, count: bytes)) }
    }

    /// The last numbers of what is sent next.
    private func send(_ spool: inout EventSpool) -> [EventSpool.Record] {
        var sent: [EventSpool.Record] = []
        while let record = spool.next() { sent.append(record) }
        return sent
    }

    @Test("What is confirmed makes room in the window, and nothing is sent beyond it")
    func window() {
        var spool = spool()
        fill(&spool, 0...5)
        let first = send(&spool)
        #expect(first.map(\.last) == [0, 1, 2, 3])
        spool.store(first[1])
        #expect(send(&spool).map(\.last) == [4])
        #expect(spool.waiting == 5 && spool.confirmed == 1)
    }

    @Test(
        "After a broken connection what the stream has is confirmed, and the rest goes again before all else, in order")
    func resumption() {
        var spool = spool()
        fill(&spool, 0...7)
        _ = send(&spool)
        spool.resume(stored: 1, isNew: false)
        #expect(spool.confirmed == 2)
        #expect(send(&spool).map(\.last) == [2, 3, 4, 5])
    }

    @Test("A full window that nobody confirmed is sent again by the next connection")
    func fullWindow() {
        var spool = spool()
        fill(&spool, 0...9)
        #expect(send(&spool).count == 4)
        spool.resume(stored: nil, isNew: false)
        #expect(send(&spool).map(\.last) == [0, 1, 2, 3])
    }

    @Test("The oldest that was never tried goes when there is no room, and one gap tells of it at its place")
    func overflow() {
        var spool = spool(count: 5)
        fill(&spool, 0...3)
        let tried = send(&spool)
        fill(&spool, 4...20)
        #expect(spool.lost == 12 && spool.waiting == 9)
        for record in tried { spool.store(record) }
        #expect(send(&spool).prefix(2) == [.gap(4...15), .event(number: 16, payload: Array(repeating: 0, count: 10))])
    }

    @Test("Bytes are bounded, too; one event that is larger than all of it still goes")
    func bytes() {
        var spool = spool(bytes: 100)
        fill(&spool, 0...19)
        #expect(spool.bytes <= 100 && spool.lost == 10)
        fill(&spool, 20...20, bytes: 500)
        #expect(send(&spool).map(\.last) == [19, 20])
    }

    @Test("Numbers that never came here are told as a gap where they are missing")
    func hole() {
        var spool = spool(window: 10)
        fill(&spool, 0...2)
        fill(&spool, 6...7)
        #expect(send(&spool).map(\.last) == [0, 1, 2, 5, 6, 7])
        #expect(spool.lost == 3)
    }

    @Test("A stream in place of another begins with what the old one had and this one has not")
    func anotherStream() {
        var spool = spool()
        fill(&spool, 0...5)
        for record in send(&spool) { spool.store(record) }
        _ = send(&spool)
        spool.resume(stored: nil, isNew: true)
        #expect(
            send(&spool) == [
                .gap(1...3), .event(number: 4, payload: Array(repeating: 0, count: 10)),
                .event(number: 5, payload: Array(repeating: 0, count: 10)),
            ])
    }

    @Test("What a stream has lost of its newest records is told once as a gap, before what waits, and counts as lost")
    func shorterStream() {
        var spool = spool(window: 8)
        fill(&spool, 0...7)
        let sent = send(&spool)
        for record in sent.prefix(6) { spool.store(record) }
        spool.resume(stored: 2, isNew: false, isShorter: true)
        #expect(spool.lost == 3 && spool.confirmed == 3 && spool.lastConfirmed == 2)
        // The connection breaks before anything of it is stored.
        #expect(send(&spool) == [.gap(3...5), sent[6], sent[7]])
        spool.resume(stored: 2, isNew: false)
        let again = send(&spool)
        #expect(again == [.gap(3...5), sent[6], sent[7]])
        for record in again { spool.store(record) }
        #expect(spool.isEmpty && spool.lost == 3 && spool.confirmed == 5)
        // Nothing of it is left: but the greeting, as in a new stream.
        spool.resume(stored: nil, isNew: false, isShorter: true)
        #expect(send(&spool) == [.gap(1...7)])
        #expect(spool.lost == 8 && spool.confirmed == 0)
    }

    @Test("What was confirmed out of turn and is lost takes along what was not: no number beside a gap that names it")
    func shorterStreamOutOfTurn() {
        var spool = spool()
        fill(&spool, 0...3)
        let sent = send(&spool)
        for place in [0, 2] { spool.store(sent[place]) }
        spool.resume(stored: 0, isNew: false, isShorter: true)
        #expect(send(&spool) == [.gap(1...2), sent[3]])
        #expect(spool.lost == 2 && spool.confirmed == 1)
    }

    @Test("One that was refused while later ones were taken is told as a gap, and not sent out of order")
    func refused() {
        var spool = spool()
        fill(&spool, 0...3)
        let sent = send(&spool)
        spool.store(sent[0])
        spool.refuse(sent[1])
        spool.resume(stored: 3, isNew: false)
        #expect(send(&spool) == [.gap(1...1)])
        #expect(spool.lost == 1 && spool.confirmed == 3)
    }

    @Test("A gap names what was refused, and nothing that was taken in between")
    func refusedHereAndThere() {
        var spool = spool(window: 6)
        fill(&spool, 0...5)
        let sent = send(&spool)
        for place in [1, 2, 4] { spool.refuse(sent[place]) }
        spool.resume(stored: 5, isNew: false)
        #expect(send(&spool) == [.gap(1...2), .gap(4...4)])
        #expect(spool.lost == 3 && spool.confirmed == 3)
    }

    /// A broker that stores, repeats nothing that it has, and breaks off at any moment; 2,000 evenings by seed.
    @Test("Whatever breaks when, the stream has every number once and in order, or a gap that names it")
    func evenings() {
        for seed in UInt64(1)...2_000 {
            var dice = SplitMix64(seed: seed)
            var spool = spool(count: 6 + Int(dice.next() % 20), bytes: 400, window: 1 + Int(dice.next() % 6))
            var stream: [EventSpool.Record] = []
            var underWay: [EventSpool.Record] = []
            var number = 0
            for _ in 0..<200 {
                switch dice.next() % 6 {
                case 0, 1, 2:
                    spool.append(number: number, payload: [UInt8](repeating: 0, count: Int(dice.next() % 30)))
                    number += dice.next() % 17 == 0 ? 3 : 1
                case 3: while let record = spool.next() { underWay.append(record) }
                case 4:
                    // Some of what is under way arrives, in order, and is confirmed or not.
                    for _ in 0..<dice.next() % 5 where !underWay.isEmpty {
                        let record = underWay.removeFirst()
                        stream.append(record)
                        if dice.next() % 3 != 0 { spool.store(record) }
                    }
                default:
                    underWay = []
                    spool.resume(stored: stream.last?.last, isNew: false)
                }
            }
            spool.resume(stored: stream.last?.last, isNew: false)
            while !spool.isEmpty {
                while let record = spool.next() {
                    stream.append(record)
                    spool.store(record)
                }
            }
            #expect(Self.isWhole(stream), "seed \(seed)")
        }
    }

    private static func isWhole(_ stream: [EventSpool.Record]) -> Bool {
        var next = 0
        for record in stream {
            switch record {
            case .event(let number, _):
                guard number == next else { return false }
                next += 1
            case .gap(let numbers):
                guard numbers.lowerBound == next else { return false }
                next = numbers.upperBound + 1
            }
        }
        return true
    }
}
