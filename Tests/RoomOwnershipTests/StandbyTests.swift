import RoomOwnership
import Testing
import WireProtocol

@Suite("The standby of a room")
struct StandbyTests {
    @Test("It claims two seconds after the newest record, when the owner has stopped for half of one, and acts at once")
    func takeover() throws {
        var site = TestSite.playing()
        site.give(.offered(.event([1])), to: 0)
        let lastAt = site.now
        site.stopped = [0]
        site.pass(.milliseconds(1_990))
        #expect(site.standing(1) == .standingBy)
        #expect(site.members[0].actsUntil(site.now) == nil)
        site.now = lastAt + .milliseconds(1_990)
        site.pass(.milliseconds(20))
        #expect(site.standing(1) == .acting(2))
        #expect(site.records.last??.lastEvent == 1, "and goes on with the events' numbers")
    }

    @Test("A feed that is late makes it later: what it learns counts from when it learned it")
    func lateFeed() {
        var site = TestSite.playing()
        // The feed is dead, and so is reading; the owner goes on.
        site.deaf = [1]
        site.pass(.milliseconds(1_800))
        site.deaf = []
        for entry in site.log { site.give(.heard(entry), to: 1) }
        site.stopped = [0]
        site.pass(.milliseconds(1_900))
        #expect(site.standing(1) == .standingBy)
        site.pass(.milliseconds(200))
        #expect(site.standing(1) == .acting(2))
    }

    @Test("A claim that comes too late is refused, and changes nothing")
    func falseClaim() {
        var site = TestSite.playing()
        site.deaf = [1]
        site.pass(.seconds(5))
        site.deaf = []
        site.pass(.seconds(5))
        #expect(site.standing(0) == .acting(1) && site.standing(1) == .standingBy)
        #expect(site.records.count { $0?.isClaim == true } == 1)
    }

    @Test("Of two that claim at once one owns the room, and the other stands by for it")
    func twoStandbys() {
        var site = TestSite.playing(standbys: 2)
        site.stopped = [0]
        site.pass(.seconds(3))
        #expect([1, 2].count { site.acts($0) } == 1)
        #expect([1, 2].count { site.standing($0) == .standingBy } == 1)
        #expect(site.records.count { $0?.epoch == 2 && $0?.isClaim == true } == 1)
        #expect(site.records.last??.policy == .yield, "the other one is healthy, so the new owner yields, too")
    }

    @Test("What the owner said of itself as a standby, heard late, makes it none", arguments: [true, false])
    func lateWord(isBeforeTheLog: Bool) {
        var site = TestSite.playing()
        let late = StandbyPresence(host: 2, isReady: true, follows: 1)
        site.stopped = [0]
        site.pass(.seconds(3))
        #expect(site.acts(1))
        site.stopped = []
        if isBeforeTheLog { site.give(.standby(late), to: 0) }
        site.pass(.milliseconds(600))
        if !isBeforeTheLog { site.give(.standby(late), to: 0) }
        site.stopped = [1]
        site.pass(.seconds(3))
        #expect(site.acts(0))
        #expect(site.records.compactMap { $0 }.last { $0.isClaim }?.policy == .play, "nobody is there to go on")
    }

    @Test("It never claims a room whose owner plays on; an operator may, and a record from the owner voids the word")
    func operatorsWord() {
        var site = TestSite.playing(whenCut: .play)
        site.cut = [0]
        site.pass(.seconds(60))
        #expect(site.acts(0))
        #expect(site.standing(1) == .waiting(.operatorDecides))
        site.stopped = [0]
        site.give(.command(.takeOver), to: 1)
        #expect(site.standing(1) == .suspended(2), "the operator may be wrong about one that yields")
        site.pass(.milliseconds(2_100))
        #expect(site.standing(1) == .acting(2))
        #expect(site.records.contains { $0?.body == .claim(.operatorWord) })
        // The word was given of a host that wrote again before the claim came to the log.
        var other = TestSite.playing(whenCut: .play)
        other.deaf = [1]
        other.give(.command(.takeOver), to: 1)
        other.give(.offered(.event([1])), to: 0)
        other.deaf = []
        other.pass(.seconds(5))
        #expect(other.standing(0) == .acting(1) && other.standing(1) == .waiting(.operatorDecides))
    }

    @Test("A room that is handed over is claimed at once; from the handover's sending on the old owner does not act")
    func handover() throws {
        var site = TestSite.playing(standbys: 2)
        site.deaf = [0]
        site.give(.offered(.event([1])), to: 0)
        site.give(.command(.handOver(to: 3)), to: 0)
        #expect(site.acts(0), "what waits is committed first")
        let batch = try #require(site.appends[0].last)
        site.cut = [0]
        site.give(.answered(batch.id, .accepted(sequence: batch.expected + 1)), to: 0)
        #expect(!site.acts(0), "the handover is on its way")
        site.cut = []
        site.pass(.milliseconds(350))
        #expect(site.standing(2) == .acting(2))
        #expect(site.records.compactMap { $0 }.last { $0.isClaim }?.body == .claim(.handover))
        site.deaf = []
        site.pass(.seconds(1))
        #expect(site.standing(0) == .standingBy)
    }

    @Test("If the one that it was handed to does not come, another takes it after the usual silence")
    func handoverToNobody() {
        var site = TestSite.playing(standbys: 2)
        site.stopped = [2]
        site.give(.command(.handOver(to: 3)), to: 0)
        site.pass(.milliseconds(1_900))
        #expect(!site.acts(0) && !site.acts(1))
        site.pass(.milliseconds(200))
        #expect([0, 1].count { site.acts($0) } == 1)
    }

    @Test("A host that ends hands the room to its standby, stands by for that when it is back, and gets it back so")
    func endsBesideAStandby() {
        var site = TestSite.playing()
        site.give(.command(.handOver(to: 2)), to: 0)
        site.stopped = [0]
        site.start(TestSite.configuration(1, .host, life: 2))
        site.pass(.seconds(4))
        #expect(site.standing(1) == .acting(2) && site.standing(2) == .standingBy)
        site.give(.command(.handOver(to: 1)), to: 1)
        site.stopped = [0, 1]
        site.start(TestSite.configuration(2, .standby, life: 2))
        site.pass(.seconds(4))
        #expect(site.standing(2) == .acting(3) && site.standing(3) == .standingBy)
    }

    @Test("A host that ends without a standby has the room when it is back, whatever it is there for; this run has not")
    func endsAlone() {
        var site = TestSite.playing()
        site.stopped = [0]
        site.pass(.seconds(3))
        #expect(site.standing(1) == .acting(2))
        site.give(.command(.handOver(to: 2)), to: 1)
        site.pass(.seconds(30))
        #expect(site.standing(1) == .closed && site.records.last??.body == .handover(to: 2))
        site.start(TestSite.configuration(2, .standby, life: 2))
        site.pass(.milliseconds(10))
        #expect(site.standing(2) == .acting(3))
    }

    @Test("Where a standby comes before it, that one has the room after the usual silence")
    func endsAloneForGood() {
        var site = TestSite.playing(standbys: 0)
        site.give(.command(.handOver(to: 1)), to: 0)
        site.start(TestSite.configuration(2, .standby))
        site.pass(.milliseconds(1_900))
        #expect(site.standing(1) == .standingBy)
        site.pass(.milliseconds(200))
        #expect(site.standing(1) == .acting(2) && site.standing(0) == .closed)
    }

    @Test("A closed room stays closed until somebody opens it")
    func released() {
        var site = TestSite.playing()
        site.give(.command(.release), to: 0)
        #expect(site.standing(0) == .closed)
        site.pass(.seconds(30))
        #expect(site.standing(1) == .waiting(.closed))
        site.start(TestSite.configuration(1, .host, life: 2))
        site.pass(.milliseconds(10))
        #expect(site.standing(2) == .acting(2))
    }

    @Test("What is closed where it was taken over stays closed for the host that had it and is back")
    func releasedElsewhere() {
        var site = TestSite.playing()
        site.stopped = [0]
        site.pass(.seconds(3))
        #expect(site.standing(1) == .acting(2))
        site.start(TestSite.configuration(1, .host, life: 2))
        site.pass(.seconds(4))
        #expect(site.standing(2) == .standingBy)
        site.give(.command(.release), to: 1)
        site.pass(.seconds(30))
        #expect(site.standing(2) == .waiting(.closed))
        site.stopped = [0, 2]
        site.start(TestSite.configuration(1, .host, life: 3))
        site.pass(.milliseconds(10))
        #expect(site.standing(3) == .acting(3), "whoever starts it again opens it")
    }

    @Test("A host that crashed has its room back at once, whatever the policy, and not while its former life may live")
    func restart() {
        for (isGone, acts) in [(true, true), (false, false)] {
            var site = TestSite.playing(standbys: 0)
            site.stopped = [0]
            var again = TestSite.configuration(1, .host, life: 2)
            again.isFormerLifeGone = isGone
            site.start(again)
            site.pass(.milliseconds(10))
            #expect(site.acts(1) == acts)
        }
    }

    @Test("One of another version never claims, and says why; an owner that meets a later one's record stops")
    func anotherVersion() throws {
        var site = TestSite.playing()
        var bytes = try #require(site.log.last).bytes
        bytes[0] = 2
        site.stopped = [0]
        site.write(bytes)
        site.pass(.seconds(30))
        #expect(site.standing(1) == .waiting(.unreadable(.unknownMajor(2))))
        site.give(.command(.takeOver), to: 1)
        #expect(!site.acts(1), "nor for an operator: it cannot know which event was the last")
        site.stopped = []
        site.pass(.milliseconds(400))
        #expect(site.said[0].contains(.deposed(by: nil, epoch: 1)))
    }

    @Test("What nobody placed in the log ends no tenure and begins none, and is no sign that the owner lives")
    func unplaced() {
        let event = Array(#"{"v":1,"room":"efaeb54b68b4ea52b54b10b8084b5d35"}"#.utf8)
        let claim = SiteLogRecord(
            epoch: 9, owner: OwnerID(host: 7, life: 7), policy: .play, lastEvent: 0, chain: nil, body: .claim(.opening))
        var site = TestSite.playing()
        for bytes in [event, claim.encoded, event] {
            site.write(bytes, isPlaced: false)
            site.pass(.milliseconds(600))
            #expect(site.standing(0) == .acting(1) && site.standing(1) == .standingBy)
        }
        #expect(site.members[1].ownership.epoch == 1 && site.members[1].strangers == 3)
        // A consumer is sent a heartbeat ten times a second.
        site.stopped = [0]
        for _ in 0..<25 {
            site.write(event, isPlaced: false)
            site.pass(.milliseconds(100))
        }
        #expect(site.standing(1) == .acting(2))
    }

    @Test("A log in which nobody placed anything is an empty one, and takes nothing from an operator's word")
    func unplacedAlone() {
        var site = TestSite([TestSite.configuration(1, .host), TestSite.configuration(2, .standby)])
        site.write([0x7B], isPlaced: false)
        site.pass(.seconds(1))
        site.write([0x7B], isPlaced: false)
        site.pass(.seconds(3))
        #expect(site.standing(0) == .acting(1) && site.members[1].ownership.epoch == 1)
        var other = TestSite.playing(whenCut: .play)
        (other.stopped, other.deaf) = ([0], [1])
        other.give(.command(.takeOver), to: 1)
        other.write([0x7B], isPlaced: false)
        other.deaf = []
        other.pass(.seconds(5))
        #expect(other.standing(1) == .acting(2))
    }

    @Test("It finds out that its copy of the log is another than the owner's, and does not claim by it")
    func divergedCopy() throws {
        var site = TestSite.playing()
        site.deaf = [1]
        site.give(.offered(.event([1])), to: 0)
        site.pass(.milliseconds(600))
        // Its broker says that something else stood there.
        let ours = try #require(try? SiteLogRecord(decoding: site.log[site.log.count - 2].bytes))
        var other = ours
        other.body = .batch(CommitBatch(items: [.event([2])]))
        site.give(.heard(LogEntry(sequence: UInt64(site.log.count - 1), bytes: other.encoded)), to: 1)
        site.give(.heard(site.log[site.log.count - 1]), to: 1)
        #expect(site.standing(1) == .waiting(.trouble(.diverged(at: UInt64(site.log.count)))))
    }

    @Test("Who reads a log of which only the end is left knows who owns the room")
    func lateReader() {
        var site = TestSite.playing()
        for number: UInt8 in 1...5 { site.give(.offered(.event([number])), to: 0) }
        var late = Participant(TestSite.configuration(9, .standby), now: site.now)
        let question = LogQuestion(from: 1, known: 0)
        _ = late.advance(to: site.now)
        let outputs = late.handle(
            .read(LogExtract(question: question, entries: site.log.suffix(1), last: UInt64(site.log.count))),
            now: site.now)
        #expect(outputs.contains(.missed(upTo: UInt64(site.log.count) - 1)))
        #expect(late.ownership.owner == OwnerID(host: 1, life: 1))
        #expect(late.lastEvent == 5)
        #expect(late.standing(site.now) == .standingBy)
    }
}
