import Testing

@testable import SessionCoordinator

@Suite("Quality, as GameNetworkingSockets words it")
struct QualityMeterTests {
    /// A ledger into which these numbers came in this order.
    private func book(_ numbers: [UInt32], into ledger: inout DatagramLedger, _ window: inout ReplayWindow) {
        for number in numbers { ledger.book(window.admit(number), number: number, bytes: 100) }
    }

    @Test("(unique - reordered - duplicate) / (unique + duplicate + missing), of one period alone")
    func formula() {
        var (ledger, window, meter) = (DatagramLedger(), ReplayWindow(), QualityMeter())
        book(Array(0..<500), into: &ledger, &window)
        meter.read(ledger, now: 0)
        #expect(meter.quality == nil)
        // 90 new ones, of which 2 overtaken; 4 copies; 10 never came.
        book(
            Array(500..<548) + [549, 548, 551, 550] + Array(562..<600) + [590, 591, 592, 593], into: &ledger, &window)
        meter.read(ledger, now: QualityMeter.period - 1)
        #expect(meter.quality == nil)
        meter.read(ledger, now: QualityMeter.period)
        #expect(meter.quality == Double(90 - 2 - 4) / Double(90 + 4 + 10))
    }

    @Test("Copies and overtaken ones count once a period: counters that add themselves would count them twice")
    func countersDoNotAddThemselves() {
        var (ledger, window, meter) = (DatagramLedger(), ReplayWindow(), QualityMeter())
        meter.read(ledger, now: 0)
        for period in 1...3 {
            let first = UInt32(period - 1) * 100
            book([first + 1, first] + Array(first + 2..<first + 100) + [first + 5], into: &ledger, &window)
            meter.read(ledger, now: Int64(period) * QualityMeter.period)
            #expect(meter.quality == Double(100 - 1 - 1) / Double(100 + 1))
        }
    }

    @Test("A hole of 100 or more is a hole: it does not vanish", arguments: [99, 100, 101, 1_000, 50_000] as [UInt32])
    func largeHoles(size: UInt32) {
        var (ledger, window, meter) = (DatagramLedger(), ReplayWindow(), QualityMeter())
        meter.read(ledger, now: 0)
        book(Array(0..<50) + Array(50 + size..<100 + size), into: &ledger, &window)
        meter.read(ledger, now: QualityMeter.period)
        #expect(meter.quality == 100 / Double(100 + size))
    }

    @Test("A period in which nothing came has no quality, and no share of it is lost: nothing was expected")
    func silence() {
        var (ledger, window, meter) = (DatagramLedger(), ReplayWindow(), QualityMeter())
        meter.read(ledger, now: 0)
        book(Array(0..<10), into: &ledger, &window)
        meter.read(ledger, now: QualityMeter.period)
        #expect(meter.quality == 1)
        #expect(meter.interval?.fractionLost == 0)
        meter.read(ledger, now: 2 * QualityMeter.period)
        #expect(meter.quality == nil)
        #expect(meter.interval != nil)
        #expect(meter.interval?.fractionLost == nil)
    }

    @Test("What was missing and came in the next period is no gain that would make up for that one's copies")
    func cameAfterAll() {
        var (ledger, window, meter) = (DatagramLedger(), ReplayWindow(), QualityMeter())
        book(Array(0..<100) + Array(120..<200), into: &ledger, &window)
        meter.read(ledger, now: 0)
        book(Array(100..<120) + Array(200..<280), into: &ledger, &window)
        meter.read(ledger, now: QualityMeter.period)
        #expect(meter.quality == Double(100 - 20) / 100)
        book(Array(280..<380), into: &ledger, &window)
        meter.read(ledger, now: 2 * QualityMeter.period)
        #expect(meter.quality == 1)
    }
}
