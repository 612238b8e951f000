import Testing

@testable import PeerDiscovery

@Suite("How a responder's process is kept at hand")
struct ResponderLifeTests {
    private typealias Life = ResponderLife

    /// Ends it right after each start; returns the pauses that follow.
    private func pauses(_ count: Int, of life: inout Life, from start: Duration) -> [Duration] {
        var now = start
        return (0..<count).map { _ in
            life.ended(at: now)
            let until = life.nextDeadline ?? now
            #expect(life.advance(to: until - .nanoseconds(1)) == [])
            #expect(life.advance(to: until) == [.start])
            defer { now = until }
            return until - now
        }
    }

    @Test("One that ends is started again after pauses that double, from a second to a minute")
    func growingPauses() {
        var life = Life()
        #expect(life.nextDeadline == nil)
        #expect(life.begin(at: .zero) == [.start])
        #expect(pauses(9, of: &life, from: .zero) == [1, 2, 4, 8, 16, 32, 60, 60, 60].map { .seconds($0) })
    }

    @Test("One that lived for a minute had no bad start: the next pause is a second again")
    func longLife() {
        var life = Life()
        _ = life.begin(at: .zero)
        #expect(pauses(4, of: &life, from: .zero).last == .seconds(8))
        let start = Duration.seconds(15)
        life.ended(at: start + .seconds(60) - .nanoseconds(1))
        #expect(life.rest(from: start + .seconds(60) - .nanoseconds(1)) == .seconds(16))
        let again = start + .seconds(76)
        #expect(life.advance(to: again) == [.start])
        life.ended(at: again + .seconds(60))
        #expect(life.rest(from: again + .seconds(60)) == .seconds(1))
    }

    @Test("One that is silent is asked; if it answers in time it goes on, and it is asked again")
    func asked() {
        var life = Life()
        _ = life.begin(at: .zero)
        life.heard(at: .seconds(1))
        #expect(life.nextDeadline == .seconds(16))
        #expect(life.advance(to: .seconds(15)) == [])
        #expect(life.advance(to: .seconds(16)) == [.ask])
        #expect(life.nextDeadline == .seconds(36))
        life.heard(at: .seconds(35))
        #expect(life.nextDeadline == .seconds(50))
        #expect(life.advance(to: .seconds(50)) == [.ask])
    }

    @Test("One that does not answer, or never says its first word, is killed and counts as ended")
    func hanging() {
        var life = Life()
        _ = life.begin(at: .zero)
        #expect(life.advance(to: .seconds(19)) == [])
        #expect(life.advance(to: .seconds(20)) == [.kill])
        #expect(life.rest(from: .seconds(20)) == .seconds(1))
        #expect(life.advance(to: .seconds(21)) == [.start])
        life.heard(at: .seconds(21))
        #expect(life.advance(to: .seconds(36)) == [.ask])
        #expect(life.advance(to: .seconds(56)) == [.kill])
        #expect(life.nextDeadline == .seconds(58))
    }

    @Test("What is said or heard between two lives changes nothing")
    func betweenLives() {
        var life = Life()
        _ = life.begin(at: .zero)
        life.ended(at: .seconds(5))
        life.ended(at: .seconds(5))
        life.heard(at: .seconds(5))
        #expect(life.nextDeadline == .seconds(6))
        #expect(life.advance(to: .seconds(6)) == [.start])
        life.ended(at: .seconds(6))
        #expect(life.rest(from: .seconds(6)) == .seconds(2))
    }
}
