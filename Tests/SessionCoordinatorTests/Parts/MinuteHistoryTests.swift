import Testing
import WireProtocol

@testable import SessionCoordinator

@Suite("The last minute of a peer")
struct MinuteHistoryTests {
    @Test("Each second holds what came in it; one in which nothing came is silent, not free of loss")
    func seconds() {
        var minute = MinuteHistory()
        minute.roll(to: .s(0), unique: 0, missing: 0, samples: 0)
        minute.note(queueing: 7_000_000)
        minute.note(queueing: 3_000_000)
        minute.roll(to: .s(1.1), unique: 100, missing: 5, samples: 100)
        minute.roll(to: .s(4), unique: 100, missing: 5, samples: 100)
        minute.note(queueing: 1_000)
        minute.roll(to: .s(5), unique: 150, missing: 2, samples: 160)
        let report = minute.report
        #expect(report.map(\.unique) == [100, 0, 0, 0, 50])
        #expect(report.map(\.isSilent) == [false, true, true, true, false])
        // What was missing and came after all is no loss of the second in which it came.
        #expect(report.map(\.missing) == [5, 0, 0, 0, 0])
        #expect(report.map(\.worstQueueing) == [7_000, nil, nil, nil, 1])
    }

    @Test("It holds 60 seconds, however long nobody looked")
    func bounded() {
        var minute = MinuteHistory()
        for second in 0..<200 { minute.roll(to: .s(Double(second)), unique: UInt64(second), missing: 0, samples: 0) }
        #expect(minute.report.count == 60)
        minute.roll(to: .s(100_000), unique: 500, missing: 0, samples: 0)
        #expect(minute.report.count == 60 && minute.report.allSatisfy { $0.isSilent || $0.unique > 0 })
    }
}
