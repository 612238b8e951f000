import RoomOwnership
import Testing
import WireProtocol

@Suite("A log from which records are pushed out before hosts read them")
struct FloodedLogTests {
    private let first = OwnerID(host: 1, life: 1)

    private func claims(_ site: TestSite) -> [(epoch: UInt64, place: Int)] {
        site.records.enumerated().compactMap { place, record in
            record.flatMap { $0.isClaim ? ($0.epoch, place + 1) : nil }
        }
    }

    @Test("Under `play`, where nobody claims a silent room, its owner plays on")
    func playsOn() {
        var site = TestSite.playing(whenCut: .play)
        site.flood()
        for _ in 0..<40 {
            site.pass(.milliseconds(100))
            #expect(site.standing(0) == .acting(1))
        }
        #expect(site.members[1].ownership.owner == first && claims(site).count == 1)
    }

    @Test("Under `yield` its owner stops, and goes on once every standby has said that it still stands by")
    func goesOn() throws {
        var site = TestSite.playing(standbys: 2)
        site.flood()
        site.pass(.milliseconds(10))
        #expect(!site.acts(0) && site.said[0].contains(.deposed(by: nil, epoch: 1)))
        site.pass(.seconds(4))
        let claim = try #require(claims(site).last)
        #expect(claim.epoch == claim.place, "no claim among what nobody read can have had a greater one")
        #expect(site.standing(0) == .acting(claim.epoch))
        #expect(site.standing(1) == .standingBy && site.standing(2) == .standingBy)
        #expect(site.members[1].ownership.owner == first)
    }

    @Test("Who may have claimed the room among what nobody read is waited for, until its next word or an operator's")
    func waits() throws {
        var site = TestSite.playing()
        site.stopped = [0]
        site.pass(.seconds(3))
        #expect(site.acts(1))
        // Both are out of touch while that claim is pushed out.
        site.cut = [1]
        site.flood()
        site.stopped = []
        site.pass(.seconds(20))
        #expect(site.standing(0) == .waiting(.recordsLost) && claims(site).count == 2)
        var byHand = site
        byHand.give(.command(.takeOver), to: 0)
        byHand.pass(.seconds(3))
        let claim = try #require(claims(byHand).last)
        #expect(byHand.standing(0) == .acting(claim.epoch) && claim.epoch == claim.place)
        site.cut = []
        site.pass(.seconds(5))
        #expect(site.acts(1) && !site.acts(0) && claims(site).count == 2)
    }

    @Test("A batch that was taken and pushed out before its writer heard of it is not written again")
    func batchAmongThem() {
        var site = TestSite.playing(whenCut: .play)
        site.deaf = [0]
        site.give(.offered(.event([1])), to: 0)
        site.flood()
        site.deaf = []
        // It reads what is left before its append is answered.
        site.give(.heard(site.log[site.log.count - 1]), to: 0)
        #expect(site.members[0].lastSequence == UInt64(site.log.count) && site.members[0].account.committed == 0)
        site.pass(.seconds(2))
        let batches = site.records.filter { if case .batch = $0?.body { true } else { false } }
        #expect(batches.count == 1 && site.members[0].account.committed == 1)
        site.give(.offered(.event([2])), to: 0)
        site.pass(.seconds(1))
        #expect(site.records.last { $0?.body != .beat }??.lastEvent == 2 && site.members[1].lastEvent == 2)
    }

    @Test("One that was not taken is written behind them, with the same numbers")
    func batchBehindThem() {
        var site = TestSite.playing(whenCut: .play)
        site.cut = [0]
        site.give(.offered(.event([1])), to: 0)
        site.flood()
        site.cut = []
        site.pass(.seconds(2))
        #expect(site.members[0].account.committed == 1 && site.members[1].lastEvent == 1)
    }

    @Test("A newcomer opens nothing over it by itself, and by an operator's word what nobody has any more")
    func newcomer() throws {
        var site = TestSite.playing(standbys: 0)
        site.stopped = [0]
        site.flood()
        site.start(TestSite.configuration(9, .host))
        site.pass(.seconds(10))
        #expect(site.standing(1) == .waiting(.recordsLost))
        site.give(.command(.takeOver), to: 1)
        #expect(site.members[1].beginsAnew || site.members[1].ownership.owner?.host == 9)
        site.pass(.seconds(3))
        #expect(site.acts(1))
        #expect(site.members[1].lastEvent > 1_024, "no number is given again to another event")
    }

    @Test("Who plays on does not yield before a record of its own stands behind what is gone")
    func standbyComesAmidIt() {
        var site = TestSite([TestSite.configuration(1, .host), TestSite.configuration(2, .standby)])
        site.stopped = [1]
        site.pass(.seconds(4))
        #expect(site.standing(0) == .acting(1))
        site.stopped = []
        for _ in 0..<20 {
            site.flood()
            site.pass(.milliseconds(100))
            #expect(site.acts(0))
        }
        site.pass(.seconds(3))
        #expect(site.standing(0) == .acting(1) && site.members[0].isOpenToTakeover)
    }

    @Test("A room that is handed over amid it goes back to who gave it away, once the other says that it stands by")
    func handedOver() throws {
        var site = TestSite.playing()
        site.stopped = [1]
        site.give(.command(.handOver(to: 2)), to: 0)
        site.pass(.milliseconds(100))
        #expect(!site.acts(0))
        site.flood()
        site.stopped = []
        site.pass(.seconds(5))
        let claim = try #require(claims(site).last)
        #expect(site.standing(0) == .acting(claim.epoch) && claim.epoch == claim.place)
        #expect(site.standing(1) == .standingBy)
    }

    @Test("Who yields leaves out the numbers of what was on its way: they may have been taken")
    func numbersOnTheWay() throws {
        var site = TestSite.playing()
        site.deaf = [0]
        site.give(.offered(.event([1])), to: 0)
        site.flood()
        site.deaf = []
        site.give(.heard(site.log[site.log.count - 1]), to: 0)
        site.pass(.seconds(4))
        let claim = try #require(site.records.compactMap { $0 }.last { $0.isClaim })
        #expect(claim.epoch > 1 && claim.lastEvent == 1)
    }

    @Test("Until it goes on it stands by for nobody: another that was interrupted would wait for it")
    func standsByForNobody() {
        var site = TestSite.playing()
        site.flood()
        // Who stands by says so once a second.
        site.pass(.milliseconds(1_500))
        #expect(site.members[1].standbys.rows.isEmpty)
        site.pass(.seconds(4))
        #expect(site.acts(0))
    }

    @Test("Its two seconds begin anew with each gap, by whatever way it learns of one")
    func gapAfterGap() {
        var site = TestSite.playing()
        site.flood()
        site.pass(.milliseconds(1_500))
        // Nobody's feed says so: hosts ask once a second.
        site.flood(isHeard: false)
        site.pass(.milliseconds(2_000))
        #expect(claims(site).count == 1)
        site.pass(.seconds(3))
        #expect(site.acts(0) && claims(site).count == 2)
    }

    @Test("Who cannot have known all standbys waits for an operator", arguments: [60, 80])
    func manyStandbys(count: UInt64) {
        var site = TestSite.playing()
        func say(_ last: Int) {
            for host in 100..<100 + count {
                site.give(.standby(StandbyPresence(host: host, isReady: true, follows: UInt64(last))), to: 0)
            }
        }
        say(site.log.count)
        site.flood()
        say(site.log.count)
        site.pass(.seconds(5))
        #expect(site.acts(0) == (count < 64))
        #expect((site.standing(0) == .waiting(.recordsLost)) == (count > 64))
    }
}
