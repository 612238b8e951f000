import Testing
import WireProtocol

@testable import SessionCoordinator

@Suite("The last minute of a peer")
struct MinuteHistoryTests {
    @Test("Each second holds what came in it; one in which nothing came is silent, not free of loss")
    func seconds() {
        var minute = MinuteHistory()
        minute.roll(to: .s(0), unique: 0, missing: 0, samples: 0, late: 0)
        minute.note(queueing: 7_000_000)
        minute.note(queueing: 3_000_000)
        minute.roll(to: .s(1.1), unique: 100, missing: 5, samples: 100, late: 0)
        minute.roll(to: .s(4), unique: 100, missing: 5, samples: 100, late: 0)
        minute.note(queueing: 1_000)
        minute.roll(to: .s(5), unique: 150, missing: 2, samples: 160, late: 0)
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
        for second in 0..<200 {
            minute.roll(to: .s(Double(second)), unique: UInt64(second), missing: 0, samples: 0, late: 0)
        }
        #expect(minute.report.count == 60)
        minute.roll(to: .s(100_000), unique: 500, missing: 0, samples: 0, late: 0)
        #expect(minute.report.count == 60 && minute.report.allSatisfy { $0.isSilent || $0.unique > 0 })
    }

    @Test("What a peer held back through a silence is no sign of a slow network; what comes late amid play is")
    func late() {
        var minute = MinuteHistory()
        var (samples, late) = (UInt64(0), UInt64(0))
        func second(_ number: Int, late more: UInt64 = 0, isSilent: Bool = false) {
            if !isSilent { (samples, late) = (samples + 60 + more, late + more) }
            minute.roll(to: .s(Double(number)), unique: samples, missing: 0, samples: samples, late: late)
        }
        // A host that was killed: what 9 s had made comes first.
        second(0)
        second(1, late: 540)
        for number in 2...20 { second(number) }
        #expect(minute.recentSamples.late == 0 && minute.recentSamples.all == 17 * 60)
        // A phone that was put away for 5 s, and for one.
        for number in 21...25 { second(number, isSilent: true) }
        second(26, late: 300)
        second(27)
        second(28, isSilent: true)
        second(29, late: 70)
        #expect(minute.recentSamples.late == 0)
        // A slow network.
        for number in 30...40 { second(number, late: 6) }
        #expect(minute.recentSamples.late == 54)
        for number in 41...200 { second(number) }
        #expect(minute.recentSamples.late == 0 && minute.recentSamples.all == 3_600)
        #expect(MemoryLayout<SecondReport>.stride == 12)
    }

    @Test("What comes late over a network that delays and loses nothing was old when it was sent")
    func old() {
        var minute = MinuteHistory()
        var (samples, late, missing) = (UInt64(0), UInt64(0), UInt64(0))
        for number in 0...40 {
            samples += 60
            // A sensor's clock is set back; later a datagram queues, and later still some are lost.
            late += number >= 10 ? 60 : 0
            missing += number == 30 ? 5 : 0
            minute.note(queueing: number == 20 ? 300_000_000 : 2_000_000)
            minute.roll(to: .s(Double(number)), unique: samples, missing: missing, samples: samples, late: late)
        }
        #expect(minute.recentSamples.late == 31 * 60 && minute.recentSamples.old == 27 * 60)
    }

    @Test("What is late as the host stood still is the host's doing; before, and once that is made up for, the peer's")
    func hostPause() {
        var minute = MinuteHistory()
        var (samples, late) = (UInt64(0), UInt64(0))
        func second(_ number: Int, late more: UInt64 = 0) {
            (samples, late) = (samples + 60 + more, late + more)
            minute.roll(to: .s(Double(number)), unique: samples, missing: 0, samples: samples, late: late)
        }
        for number in 0...10 { second(number) }
        for number in 11...20 { second(number, late: 6) }
        minute.noteHostPause()
        second(24, late: 200)
        second(25, late: 30)
        #expect(minute.recentSamples.late == 60 && minute.recentSamples.missedByHost == 230)
        for number in 26...27 { second(number) }
        second(28, late: 7)
        #expect(minute.recentSamples.late == 67 && minute.recentSamples.missedByHost == 230)
        for number in 29...200 { second(number) }
        #expect(minute.recentSamples.late == 0 && minute.recentSamples.missedByHost == 0)
    }

    @Test("What is late over a host that is behind with its reading is the host's doing")
    func hostBehind() {
        for (waited, late, missed) in [(Int64(400_000_000), 37 * 6, 0), (600_000_000, 0, 40 * 6)] {
            var minute = MinuteHistory()
            for number in 0...40 {
                let count = UInt64(number) * 60
                minute.note(waited: waited)
                minute.roll(to: .s(Double(number)), unique: count, missing: 0, samples: count, late: count / 10)
            }
            let recent = minute.recentSamples
            #expect(recent.late == late && recent.missedByHost == missed, "\(recent)")
        }
    }

    @Test("What a peer gives up while the host stands still is no loss of its link")
    func abandonedAtHost() {
        var minute = MinuteHistory()
        func roll(_ second: Double, abandoned: UInt64) {
            minute.roll(to: .s(second), unique: 0, missing: 0, samples: 0, late: 0, abandoned: abandoned)
        }
        for number in 0...10 { roll(Double(number), abandoned: 0) }
        minute.noteHostPause()
        roll(41, abandoned: 500)
        roll(42, abandoned: 700)
        for second in [43.0, 44] { roll(second, abandoned: 700) }
        #expect(minute.recentSamples.abandoned == 0)
        roll(45, abandoned: 705)
        #expect(minute.recentSamples.abandoned == 5)
    }

    @Test("What was given up is told for a minute, and with it what was within the minute before")
    func abandoned() {
        var minute = MinuteHistory()
        for number in 0...300 {
            let lost: UInt64 = number < 10 ? 0 : number < 50 ? 7 : number < 200 ? 12 : 13
            minute.roll(
                to: .s(Double(number)), unique: UInt64(number), missing: 0, samples: 0, late: 0, abandoned: lost)
            let told = number < 10 ? 0 : number < 50 ? 7 : number < 110 ? 12 : number < 200 ? 0 : number < 260 ? 1 : 0
            #expect(minute.recentSamples.abandoned == told, "after \(number) s")
        }
    }

    @Test("As long as the minute begins with the room, it begins in the wake of its own silence")
    func firstMinute() {
        var minute = MinuteHistory()
        for number in 0...60 {
            let samples = UInt64(number) * 100
            minute.roll(to: .s(Double(number)), unique: samples, missing: 0, samples: samples, late: samples)
        }
        #expect(minute.report.count == 60 && minute.recentSamples.late == 57 * 100)
        minute.roll(to: .s(61), unique: 6_100, missing: 0, samples: 6_100, late: 6_100)
        #expect(minute.report.count == 60 && minute.recentSamples.late == 60 * 100)
    }
}
