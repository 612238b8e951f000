import RoomOwnership
import Testing
import WireProtocol

@Suite("The owner of a room")
struct OwnerTests {
    @Test("A host opens a room that nobody opened, once an emptied log could have no owner any more")
    func opening() {
        var site = TestSite([TestSite.configuration(1, .host)])
        site.pass(.milliseconds(1_900))
        #expect(site.log.isEmpty)
        site.pass(.milliseconds(200))
        #expect(site.standing(0) == .acting(1))
        #expect(site.records[0]?.body == .claim(.opening))
    }

    @Test("It says twice a second that it is there, and nothing more")
    func beats() {
        var site = TestSite.playing()
        let before = site.log.count
        site.pass(.seconds(10))
        #expect(site.log.count == before + 20)
    }

    @Test("The fence counts from the sending of what was acknowledged, however late the answer comes")
    func fence() throws {
        var site = TestSite.playing()
        site.deaf = [0]
        site.pass(.milliseconds(500))
        let sentAt = site.now
        let request = try #require(site.appends[0].last)
        site.pass(.milliseconds(1_200))
        #expect(!site.acts(0), "the record before that one is older than the fence")
        site.deaf = []
        site.give(.answered(request.id, .accepted(sequence: request.expected + 1)), to: 0)
        let until = try #require(site.members[0].actsUntil(site.now))
        // It may have written another one on that answer; the fence is never later than a fence from now.
        #expect(until <= site.now + .milliseconds(1_500))
        #expect(until >= sentAt)
    }

    @Test("An answer that is later than the fence is no leave to act: something must have been sent since")
    func lateAnswer() throws {
        var site = TestSite.playing()
        site.stopped = [1]
        site.deaf = [0]
        site.pass(.seconds(3))
        #expect(site.standing(0) == .suspended(1))
        let request = try #require(site.appends[0].last)
        site.cut = [0]
        site.give(.answered(request.id, .accepted(sequence: request.expected + 1)), to: 0)
        #expect(!site.acts(0))
        (site.cut, site.deaf) = ([], [])
        site.pass(.milliseconds(400))
        #expect(site.acts(0), "and now something was")
    }

    @Test("What has no answer is sent again, the same bytes under the same id, and stands in the log once")
    func resend() {
        var site = TestSite.playing(standbys: 0)
        site.deaf = [0]
        site.give(.offered(.event([7])), to: 0)
        let first = site.appends[0].count - 1
        site.give(.offered(.event([8])), to: 0)
        site.pass(.seconds(1))
        let sent = site.appends[0][first...]
        #expect(sent.count == 4)
        #expect(Set(sent).count == 1)
        site.deaf = []
        site.pass(.seconds(1))
        #expect(site.members[0].account.committed == 2)
        #expect(site.members[0].lastEvent == 2)
    }

    @Test("A refusal by its own first copy, when the log no longer knows the id, is found out by reading")
    func forgottenID() throws {
        var site = TestSite.playing()
        site.deaf = [0]
        site.give(.offered(.event([7])), to: 0)
        let request = try #require(site.appends[0].last)
        site.deaf = []
        site.give(.answered(request.id, .refused(last: request.expected + 1)), to: 0)
        #expect(site.acts(0))
        #expect(site.members[0].account.committed == 1)
        #expect(site.records.compactMap { $0 }.flatMap { Array($0.events) } == [1])
    }

    @Test("Who was stopped for ten seconds does not act on waking, is deposed, and says what is lost")
    func deposed() {
        var site = TestSite.playing()
        site.deaf = [0]
        site.cut = [0]
        site.give(.offered(.event([7])), to: 0)
        site.stopped = [0]
        site.pass(.seconds(10))
        #expect(site.standing(1) == .acting(2))
        (site.stopped, site.deaf, site.cut) = ([], [], [])
        #expect(!site.acts(0))
        site.pass(.milliseconds(20))
        #expect(site.said[0].contains(.deposed(by: OwnerID(host: 2, life: 1), epoch: 2)))
        #expect(site.said[0].contains(.lost([1], .notOwner)))
        #expect(site.members[0].account.abandoned == 1)
        site.pass(.seconds(3))
        #expect(site.standing(0) == .standingBy, "it helps as a standby from now on")
    }

    @Test("Without a standby it plays on without the log, buffers what fits, tells the rest, and catches up in order")
    func withoutStandby() {
        var configuration = TestSite.configuration(1, .host)
        configuration.buffer.items = 10
        var site = TestSite([configuration])
        site.pass(.seconds(4))
        site.cut = [0]
        for number: UInt8 in 1...20 {
            site.give(.offered(SiteItem(kind: number == 2 ? 5 : 0, sealed: [number])), to: 0)
            site.pass(.seconds(1))
            #expect(site.acts(0))
        }
        #expect(site.members[0].account.uncommitted == 11, "one is on its way")
        site.cut = []
        site.pass(.seconds(1))
        #expect(site.members[0].account.dropped == 9)
        let batches = site.records.compactMap { record -> CommitBatch? in
            if case .batch(let batch) = record?.body { batch } else { nil }
        }
        // The change outlasts older events: a successor does without those sooner.
        #expect(batches.flatMap(\.items).map(\.sealed) == [[1], [2]] + (12...20).map { [$0] })
        #expect(batches.map(\.dropped) == [0, 9])
        #expect(site.records.compactMap { $0 }.flatMap { Array($0.events) } == Array(1...10))
    }

    @Test("It yields from the sending of the record that says so, and plays only once the log holds that it does")
    func policy() {
        var site = TestSite.playing()
        #expect(site.members[0].ownership.policy == .yield)
        // The standby's feed works, and its word past the log does not: it is taken for gone.
        site.hasFan = false
        site.pass(.seconds(6))
        #expect(site.members[0].ownership.policy == .play)
        #expect(site.standing(1) == .waiting(.operatorDecides))
        site.hasFan = true
        site.deaf = [0]
        site.give(.standby(StandbyPresence(host: 2, isReady: true, follows: 1)), to: 0)
        site.pass(.milliseconds(300))
        site.pass(.seconds(3))
        #expect(!site.acts(0), "its record may be in the log, and the standby may go by it")
    }

    @Test("A stranger's record costs it a sending, and nothing else")
    func stranger() {
        var site = TestSite.playing()
        site.write([1, 2, 3])
        site.give(.offered(.event([9])), to: 0)
        #expect(site.acts(0))
        #expect(site.members[0].account.committed == 1)
        site.pass(.seconds(5))
        #expect(site.standing(0) == .acting(1) && site.standing(1) == .standingBy)
    }

    @Test("Who was away for longer than the log keeps its records finds another owner all the same")
    func claimDiscarded() {
        var site = TestSite.playing()
        let from = site.members[0].lastSequence + 1
        site.cut = [0]
        site.pass(.seconds(4))
        #expect(site.standing(1) == .acting(2))
        // The claim is gone; the beats after it are there.
        let kept = site.log.filter { $0.sequence > from + 1 }
        let question = LogExtract(
            question: LogQuestion(from: from, known: from - 1), entries: kept, last: UInt64(site.log.count))
        site.give(.read(question), to: 0)
        #expect(site.said[0].contains(.deposed(by: OwnerID(host: 2, life: 1), epoch: 2)))
    }

    @Test(
        "A log that lost what it acknowledged stops an owner that yields, not one that plays on; an operator claims anew"
    )
    func logLost() throws {
        for (policy, goesOn) in [(CutPolicy.yield, false), (.play, true)] {
            var site = TestSite.playing(whenCut: policy)
            site.log = []
            site.stopped = [1]
            site.pass(.seconds(3))
            #expect(site.acts(0) == goesOn)
            #expect(site.members[0].trouble != nil)
            let epoch = site.members[0].ownership.epoch
            site.give(.command(.takeOver), to: 0)
            site.pass(.milliseconds(2_100))
            #expect(site.standing(0) == .acting(epoch + 1))
        }
    }
}
