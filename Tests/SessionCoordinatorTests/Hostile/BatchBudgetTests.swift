import Testing
import WireProtocol

@testable import SessionCoordinator

@Suite("What a peer may bring at once")
struct BatchBudgetTests {
    @Test("Whatever batches are declared, no more than 16,384 samples are read at once; a watch's ten seconds are")
    func batches() {
        func atOnce(_ streams: [StreamDeclaration]) -> Int {
            var (budget, count) = (PeerBudget(streams), 0)
            _ = budget.admit(Payload.Counts(), at: 0)
            while budget.admitBlock(at: 0), count < 1_000_000 {
                budget.spend(samples: 1)
                count += 1
            }
            return count
        }
        let greedy = (0..<8).map {
            StreamDeclaration(stream: StreamID($0), nominalRate: 4_000, batch: .seconds(10))
        }
        #expect(atOnce(greedy) == 16_384)
        let watch = atOnce([StreamDeclaration(nominalRate: 800, batch: .seconds(10))])
        #expect((8_000...16_384).contains(watch))
    }
}
