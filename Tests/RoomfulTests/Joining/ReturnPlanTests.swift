import Testing

@testable import Roomful

@Suite("When to ask for a seat again")
struct ReturnPlanTests {
    @Test("The wait doubles from a quarter of a second to five seconds")
    func doubling() {
        var plan = ReturnPlan(patience: .seconds(1_000))
        let waits = (0..<7).map { _ in plan.afterFailure(elapsed: .zero) }
        #expect(
            waits
                == [
                    .milliseconds(250), .milliseconds(500), .seconds(1), .seconds(2), .seconds(4), .seconds(5),
                    .seconds(5),
                ]
                .map { .wait($0) })
    }

    @Test("When the seat would be given away the host is asked once more, not later and not again")
    func lastAttempt() {
        var plan = ReturnPlan(patience: .seconds(40))
        for _ in 0..<8 { _ = plan.afterFailure(elapsed: .zero) }
        #expect(plan.afterFailure(elapsed: .seconds(38)) == .wait(.seconds(2)))
        #expect(plan.afterFailure(elapsed: .seconds(40)) == .giveUp)
    }

    @Test("A host that asks to be left alone is left alone, for a minute at most")
    func retryAfter() {
        var plan = ReturnPlan(patience: .seconds(40))
        #expect(plan.afterFailure(elapsed: .zero, retryAfter: .seconds(30)) == .wait(.seconds(30)))
        #expect(plan.afterFailure(elapsed: .zero, retryAfter: .seconds(86_400)) == .wait(.seconds(60)))
    }
}
