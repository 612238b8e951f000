import Testing
import WireProtocol

@testable import PeerDiscovery

@Suite("The budget of resolvers")
struct ResolverBudgetTests {
    private let a = sighting("a"), b = sighting("b"), c = sighting("c")

    @Test("Within the limit every announcement is resolved and listened to until it is gone")
    func withinTheLimit() {
        var budget = ResolverBudget(limit: 2)
        #expect(budget.request(a) == [.open(a)])
        #expect(budget.request(a) == [])
        #expect(budget.settle(a) == [])
        #expect(budget.withdraw(a) == [.close(a)])
        #expect(budget.withdraw(a) == [])
    }

    @Test("Beyond the limit the longest settled makes way; nobody is cut off before an answer")
    func beyondTheLimit() {
        var budget = ResolverBudget(limit: 2)
        _ = budget.request(a)
        _ = budget.request(b)
        #expect(budget.request(c) == [])
        #expect(budget.settle(b) == [.close(b), .open(c)])
        #expect(budget.openCount == 2)
    }

    @Test("Who made way for a flood is listened to again when the flood is gone, whoever has been gone longest first")
    func afterTheFlood() {
        var budget = ResolverBudget(limit: 1)
        for sighting in [a, b, c] {
            _ = budget.request(sighting)
            _ = budget.settle(sighting)
        }
        #expect(budget.withdraw(c) == [.close(c), .open(a)])
        #expect(budget.settle(a) == [])
        #expect(budget.withdraw(b) == [])
        #expect(budget.withdraw(a) == [.close(a)])
        #expect(budget.openCount == 0)
    }

    @Test("Whatever happens, no more are open than allowed, and opened and closed balance", arguments: 0..<20)
    func bounded(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var budget = ResolverBudget(limit: 4)
        var open: Set<Sighting> = []
        for _ in 0..<1_000 {
            let sighting = sighting("room \(Int.random(in: 0..<12, using: &random))")
            let actions =
                switch Int.random(in: 0..<3, using: &random) {
                case 0: budget.request(sighting)
                case 1: budget.settle(sighting)
                default: budget.withdraw(sighting)
                }
            for action in actions {
                switch action {
                case .open(let sighting): #expect(open.insert(sighting).inserted, "seed \(seed)")
                case .close(let sighting): #expect(open.remove(sighting) != nil, "seed \(seed)")
                }
            }
            #expect(open.count == budget.openCount && open.count <= 4, "seed \(seed)")
        }
    }
}
