import MotionScore
import Testing

@Suite("Score reports")
struct ScoreLineTests {
    @Test("A cost is reached from above, a merit from below, and what nobody asked for always")
    func reached() {
        #expect(ScoreLine("error", 1, "°", target: 2, isCost: true).reachesTarget)
        #expect(!ScoreLine("F1", 1, "%", target: 2).reachesTarget)
        #expect(ScoreLine("F1", 2, "%", parity: 2).reachesParity)
        #expect(ScoreLine("F1", 1, "%").reachesTarget)
    }
}
