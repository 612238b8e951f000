import SessionCoordinator
import Testing
import WireProtocol

@Suite("How long the host itself stood still")
struct StandstillsTests {
    @Test("A long one is said at once, and told for a minute; others meanwhile add to it, and are not said again")
    func long() throws {
        var standstills = Standstills()
        let said = standstills.note(from: .s(10), until: .s(13))
        #expect(said?.longest == .seconds(3) && said?.ago == .zero && said?.total == .seconds(3))
        let again = standstills.note(from: .s(20), until: .s(22))
        #expect(again == nil)
        let told = try #require(standstills.report(at: .s(33)))
        #expect(told.longest == .seconds(3) && told.ago == .seconds(20) && told.total == .seconds(5))
        #expect(standstills.report(at: .s(73))?.longest == .seconds(2))
        #expect(standstills.report(at: .s(82)) == nil)
        let later = standstills.note(from: .s(90), until: .s(91))
        #expect(later?.longest == .seconds(1) && later?.total == .seconds(1))
    }

    @Test("One that is much longer than what was said is said, though less than a minute has passed")
    func longer() {
        var standstills = Standstills()
        #expect(standstills.note(from: .s(10), until: .s(10.5))?.longest == .milliseconds(500))
        #expect(standstills.note(from: .s(20), until: .s(21.5)) == nil)
        #expect(standstills.note(from: .s(30), until: .s(50))?.longest == .seconds(20))
    }

    @Test("Of one that began before the last minute what lies before it is no part of that minute")
    func part() throws {
        var standstills = Standstills()
        standstills.note(from: .s(10), until: .s(40))
        #expect(try #require(standstills.report(at: .s(41))).total == .seconds(30))
        #expect(try #require(standstills.report(at: .s(90))).total == .seconds(11))
    }

    @Test("A machine that gives the processor for 5 of every 100 ms is told of, once a minute")
    func starved() throws {
        var standstills = Standstills()
        var said: [Int] = []
        for period in 1...1_200 {
            let begin = Double(period) * 100
            if standstills.note(from: .ms(begin), until: .ms(begin + 95)) != nil { said.append(period) }
        }
        #expect(said == [64, 664])
        let told = try #require(standstills.report(at: .s(121)))
        #expect(told.longest == .milliseconds(95) && (50_000...57_000).contains(told.total.milliseconds))
    }

    @Test("What every machine does now and then is not told: to be late by less than 50 ms, or by 60 once a second")
    func usual() {
        var (often, seldom) = (Standstills(), Standstills())
        for second in 0..<120 {
            let begin = Double(second) * 1_000
            for part in 0..<10 {
                often.note(from: .ms(begin + Double(part) * 100), until: .ms(begin + Double(part) * 100 + 49))
            }
            seldom.note(from: .ms(begin), until: .ms(begin + 60))
        }
        #expect(often.report(at: .s(120)) == nil && seldom.report(at: .s(120)) == nil)
    }
}
