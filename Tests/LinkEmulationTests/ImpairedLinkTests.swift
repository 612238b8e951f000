import LinkEmulation
import Testing

@Suite("An emulated link")
struct ImpairedLinkTests {
    @Test("A perfect link hands out everything at once and in order")
    func perfect() {
        var link = ImpairedLink<[UInt8]>(NetworkConditions(), seed: 1)
        for number in UInt8(0)..<10 {
            #expect(link.send([number], at: 5) == .carried(.init(at: 5), duplicate: nil))
        }
        #expect(link.deliver(until: 5).map(\.payload) == (UInt8(0)..<10).map { [$0] })
        #expect(link.counters.unique == 10)
        #expect(link.counters.isBalanced)
    }

    @Test("The law holds at every moment of any trace", arguments: UInt64(1)...40)
    func law(seed: UInt64) throws {
        var chooser = SeededGenerator(seed: seed)
        var link = ImpairedLink<[UInt8]>(randomConditions(&chooser), seed: seed)
        var now: Int64 = 0
        var arrived = LinkCounters()
        for _ in 0..<2_000 {
            now += Int64(chooser.next() % 20_000_000)
            if chooser.chance(0.01) { link.isUp.toggle() }
            if chooser.chance(0.01) { link.conditions = randomConditions(&chooser) }
            arrived.tally(link.send([UInt8](repeating: 7, count: Int(chooser.next() % 1_200) + 1), at: now))
            if chooser.chance(0.5) { arrived.tally(link.deliver(until: now)) }
            try #require(link.counters.isBalanced, "seed \(seed)")
        }
        #expect(link.counters.inFlight > 0 || link.nextDeadline == nil, "seed \(seed)")
        arrived.tally(link.deliver(until: .max))
        #expect(link.counters.isBalanced && link.counters.inFlight == 0, "seed \(seed)")
        #expect(arrived.agrees(with: link.counters), "seed \(seed)")
    }

    @Test("What is handed out agrees with the fate that was told")
    func fates() {
        var link = ImpairedLink<[UInt8]>(busy, seed: 3)
        var told: [Int64] = []
        for number in 0..<3_000 {
            switch link.send([UInt8(number & 255)], at: Int64(number) * 1_000_000) {
            case .down, .lost: break
            case .carried(let first, let second): told += [first.at] + (second.map { [$0.at] } ?? [])
            }
        }
        #expect(link.deliver(until: .max).map(\.at) == told.sorted())
    }

    @Test("The same seed gives the same fates, another seed gives others")
    func determinism() {
        #expect(trace(busy, seed: 11) == trace(busy, seed: 11))
        #expect(trace(busy, seed: 11) != trace(busy, seed: 12))
    }

    @Test("Duplicates change no other fate")
    func independence() {
        var without = busy
        without.duplication = 0
        let firsts = trace(busy, seed: 5).map { fate in
            guard case .carried(let first, _) = fate else { return fate }
            return Fate.carried(first, duplicate: nil)
        }
        #expect(firsts == trace(without, seed: 5))
    }

    @Test("A link that is down swallows what is sent, and what was on the way still arrives")
    func down() {
        var conditions = NetworkConditions()
        conditions.delay = .milliseconds(10)
        var link = ImpairedLink<[UInt8]>(conditions, seed: 1)
        _ = link.send([1], at: 0)
        link.isUp = false
        #expect(link.send([2], at: 1) == .down)
        #expect(link.deliver(until: 9_999_999).isEmpty)
        #expect(link.nextDeadline == 10_000_000)
        #expect(link.deliver(until: 10_000_000).map(\.payload) == [[1]])
        link.isUp = true
        #expect(link.send([3], at: 20_000_000) != .down)
    }

    @Test("A corrupted datagram differs in exactly one bit")
    func corruption() {
        var conditions = NetworkConditions()
        conditions.corruption = 1
        var link = ImpairedLink<[UInt8]>(conditions, seed: 9)
        let sent: [UInt8] = Array(0..<100)
        for time in 0..<50 { _ = link.send(sent, at: Int64(time)) }
        for arrival in link.deliver(until: .max) {
            #expect(zip(arrival.payload, sent).map { ($0 ^ $1).nonzeroBitCount }.reduce(0, +) == 1)
        }
        #expect(link.counters.corrupted == 50)
    }

    @Test("A bottleneck passes its rate and no more, and drops what its queue cannot hold")
    func bottleneck() {
        var conditions = NetworkConditions()
        conditions.bottleneck = .init(rate: 80_000, queue: 5_000)
        var link = ImpairedLink<[UInt8]>(conditions, seed: 2)
        for _ in 0..<10 { _ = link.send([UInt8](repeating: 0, count: 1_000), at: 0) }
        #expect(link.counters.overflowed == 5)
        #expect(link.deliver(until: .max).map(\.at) == (1...5).map { $0 * 100_000_000 })
        #expect(link.counters.isBalanced)
    }

    private var busy: NetworkConditions {
        var conditions = NetworkConditions()
        conditions.loss = 0.05
        conditions.burst = .init(entry: 0.01, exit: 0.25)
        (conditions.delay, conditions.jitter) = (.milliseconds(20), .milliseconds(10))
        conditions.reorder = 0.05
        conditions.duplication = 0.1
        conditions.corruption = 0.02
        return conditions
    }

    private func trace(_ conditions: NetworkConditions, seed: UInt64) -> [Fate] {
        var link = ImpairedLink<[UInt8]>(conditions, seed: seed)
        return (0..<1_000).map { link.send([1, 2, 3], at: $0 * 5_000_000) }
    }

    private func randomConditions(_ chooser: inout SeededGenerator) -> NetworkConditions {
        var conditions = NetworkConditions()
        conditions.loss = chooser.fraction() * 0.3
        if chooser.chance(0.5) { conditions.burst = .init(entry: chooser.fraction(), exit: chooser.fraction()) }
        conditions.delay = .milliseconds(Int64(chooser.next() % 200))
        conditions.jitter = conditions.delay / 2
        conditions.reorder = chooser.fraction() * 0.3
        conditions.duplication = chooser.fraction()
        conditions.corruption = chooser.fraction() * 0.3
        if chooser.chance(0.3) { conditions.bottleneck = .init(rate: 1e6, queue: 10_000) }
        return conditions
    }
}

/// An onlooker who counts from what was told and handed out alone.
extension LinkCounters {
    fileprivate mutating func tally(_ fate: Fate) {
        sent += 1
        switch fate {
        case .down: down += 1
        case .lost: lost += 1
        case .carried(_, let second): if second != nil { duplicated += 1 }
        }
    }

    fileprivate mutating func tally(_ arrivals: [ImpairedLink<[UInt8]>.Arrival]) {
        delivered += arrivals.count
        corrupted += arrivals.count { $0.isCorrupted }
    }

    fileprivate func agrees(with books: LinkCounters) -> Bool {
        (sent, down, lost, duplicated) == (books.sent, books.down, books.lost, books.duplicated)
            && (delivered, corrupted) == (books.delivered, books.corrupted)
    }
}
