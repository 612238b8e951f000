import Testing

@testable import SiteBroker
@testable import SiteFront

/// Where a stream is read on, by what is known of it.
struct SiteReadingTests {
    private func stream(_ kept: ClosedRange<UInt64>, created: String = "monday") -> StreamFacts {
        StreamFacts(created: created, first: kept.lowerBound, last: kept.upperBound, messages: UInt64(kept.count))
    }

    private let mark = SiteReading.Mark(created: "monday", time: 7)

    @Test("A number is gone on from, in the stream that gave it and by who knows no stream")
    func goesOn() {
        for known in [mark, nil] {
            let reading = SiteReading(.sequence(6), after: known, of: stream(1...9))
            #expect(reading.start == .sequence(6) && !reading.isNew && !reading.isShorter && reading.missing == nil)
            #expect(reading.mark.created == "monday" && reading.mark.time == known?.time)
        }
        #expect(SiteReading(.new, after: nil, of: stream(1...9)).start == .sequence(10))
        #expect(SiteReading(.sequence(2), after: mark, of: stream(5...9)).missing == 2...4)
    }

    @Test("Another stream is read from its beginning, also where it has grown past the number")
    func another() {
        for last in [3, 5, 6, 20] as [UInt64] {
            let reading = SiteReading(.sequence(6), after: mark, of: stream(1...last, created: "tuesday"))
            #expect(reading.isNew && !reading.isShorter && reading.start == .all && reading.missing == nil)
            #expect(reading.mark == SiteReading.Mark(created: "tuesday"))
        }
    }

    @Test("The same stream with fewer records is read on behind them; to who knows none it is another")
    func shorter() {
        let reading = SiteReading(.sequence(10), after: mark, of: stream(1...6))
        #expect(reading.isShorter && !reading.isNew && reading.start == .sequence(7))
        let unknown = SiteReading(.sequence(10), after: nil, of: stream(1...6))
        #expect(unknown.isNew && !unknown.isShorter && unknown.start == .all)
    }
}
