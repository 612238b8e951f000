import Testing
import WireProtocol

@testable import SiteFront

/// What a referee says of what is wrong, and how often.
struct RefereeTroublesTests {
    private func at(_ seconds: Double) -> HostTime { HostTime(nanoseconds: Int64(seconds * 1e9)) }

    @Test("What happens is said each time, also hours later; of a flood the first, and how many more there were")
    func happening() {
        var troubles = RefereeTroubles()
        for round in [0, 6, 3_600] as [Double] {
            _ = troubles.due(now: at(round))
            #expect(troubles.happen("late", now: at(round)) == "late")
            #expect(troubles.happen("other", now: at(round)) == "other")
        }
        for number in 1...40 {
            #expect(troubles.happen("late", now: at(3_600 + Double(number) / 10)) == nil)
            #expect(troubles.due(now: at(3_600 + Double(number) / 10)).isEmpty)
        }
        #expect(troubles.due(now: at(3_605)) == ["late (40 more of these)"])
        #expect(troubles.happen("late", now: at(3_606)) == nil && troubles.happen("other", now: at(3_606)) == "other")
        #expect(troubles.due(now: at(3_612)) == ["late (1 more of these)"])
        #expect(troubles.due(now: at(3_618)).isEmpty && troubles.happen("late", now: at(3_619)) == "late")
    }

    @Test("What lasts is said once, and again when it was over and is so anew")
    func lasting() {
        var troubles = RefereeTroubles()
        var said: [Double] = []
        for second in (0..<100).map({ Double($0) }) where !(40..<55).contains(second) {
            if troubles.last("no room is heard", now: at(second)) != nil { said.append(second) }
            #expect(troubles.due(now: at(second)).isEmpty)
        }
        #expect(said == [0, 55])
    }

    @Test("However many rooms have whatever names, what is remembered has an end")
    func bounded() {
        var troubles = RefereeTroubles()
        let said = (0..<5_000).count { troubles.last("\($0)", now: at(1)) != nil }
        let happened = (0..<5_000).count { troubles.happen("\($0)", now: at(1)) != nil }
        #expect(said == 1_024 && happened == 1_024)
        _ = troubles.due(now: at(60))
        #expect(troubles.last("5000", now: at(60)) != nil && troubles.happen("5000", now: at(60)) != nil)
    }
}
