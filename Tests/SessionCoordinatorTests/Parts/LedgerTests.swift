import InputMerge
import LinkEmulation
import Testing
import WireProtocol

@testable import SessionCoordinator

@Suite("The ledgers")
struct LedgerTests {
    @Test("What was sampled before the seat was given is late, and by its own name: no network is to blame for it")
    func beforeSeat() throws {
        var room = HostedRoom(RoomConfiguration(policy: .open))
        room.sink.merge = Merge()
        var pad = try #require(Pad(room.invite(Guest(1))?.seat))
        let admitted = room.now
        // Its clock shows the host's own time; two samples of before the seat, two of after.
        func datagram(_ times: [Double], from first: UInt32) -> [UInt8] {
            pad.datagram(sentAt: room.now.nanoseconds) { writer in
                let codec = SampleCodec(StreamDeclaration())
                guard var block = StreamBlockWriter(stream: 0, epoch: 0, floor: 0, codec: codec, to: &writer)
                else { return }
                for (place, time) in times.enumerated() {
                    let at = admitted + .microseconds(Int64(time * 1_000))
                    let sample = Sample(sampledAt: DeviceTime(nanoseconds: at.nanoseconds))
                    _ = block.append(sample, index: first + UInt32(place), to: &writer)
                }
                block.finish(&writer)
            }
        }
        room.pass(to: admitted + .milliseconds(100))
        room.receive(datagram([-900, -800, 10, 20], from: 0), from: pad.address)
        let samples = try #require(room.report(of: Guest(1))?.samples)
        #expect((samples.delivered, samples.late, samples.beforeSeat) == (2, 2, 2))
        #expect(samples.expected == samples.delivered + samples.late)
    }

    @Test("The first datagrams lost are missing too, because numbers start at 0")
    func firstLost() {
        var ledger = DatagramLedger()
        ledger.book(.newest, number: 3, bytes: 100)
        #expect(ledger.expected == 4)
        #expect(ledger.missing == 3)
    }

    @Test("What was sent after the last arrival shows as missing at the tail once the sender says so, not before")
    func tail() {
        var ledger = DatagramLedger()
        #expect(ledger.tailMissing == 0)
        ledger.learn(lastSent: 9)
        #expect(ledger.tailMissing == 10)
        ledger.book(.newest, number: 4, bytes: 100)
        #expect(ledger.tailMissing == 5)
        ledger.learn(lastSent: 2)
        #expect(ledger.lastSent == 9)
        ledger.book(.newest, number: 12, bytes: 100)
        #expect(ledger.tailMissing == 0)
    }

    @Test("RFC 3550's cumulative loss counts copies as received, so it may be negative")
    func cumulativeLost() {
        var ledger = DatagramLedger()
        ledger.book(.newest, number: 0, bytes: 100)
        ledger.book(.duplicate, number: 0, bytes: 100)
        ledger.book(.duplicate, number: 0, bytes: 100)
        #expect(ledger.cumulativeLost == -2)
        #expect(ledger.missing == 0)
    }

    @Test(
        "Whatever arrives: each number is unique once, the highest is the highest, and each arrival has one class",
        arguments: 1...10)
    func datagramLaws(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var (window, ledger, totals) = (ReplayWindow(), DatagramLedger(), DatagramTotals())
        var arrivals: UInt64 = 0
        for _ in 0..<5 {
            var admitted: Set<UInt32> = []
            for _ in 0..<500 {
                let number = UInt32(random.next() % 2_500)
                let verdict = window.admit(number)
                ledger.book(verdict, number: number, bytes: 10)
                if [.newest, .reordered].contains(verdict) { admitted.insert(number) }
                arrivals += 1
                #expect(ledger.isBalanced, "seed \(seed)")
                #expect(ledger.unique == UInt64(admitted.count), "seed \(seed)")
            }
            #expect(ledger.highest == admitted.max(), "seed \(seed)")
            totals.add(ledger)
            (window, ledger) = (ReplayWindow(), DatagramLedger())
        }
        #expect(totals.authenticated == arrivals)
        #expect(totals.bytes == arrivals * 10)
        #expect(totals.epochs == 5)
    }

    @Test("expected = delivered + late + abandoned + missing; repeats stay outside")
    func sampleLaw() {
        var ledger = SampleLedger()
        ledger.book(.delivered, index: 4)
        ledger.book(.late, index: 1)
        ledger.bookRedundant()
        #expect((ledger.expected, ledger.missing, ledger.redundant) == (5, 3, 1))
        ledger.book(abandoned: 2, last: 3)
        #expect((ledger.expected, ledger.missing, ledger.abandoned) == (5, 1, 2))
        ledger.book(abandoned: 3, last: 7)
        #expect((ledger.expected, ledger.missing) == (8, 1))
        #expect(ledger.isBalanced)
    }

    @Test("Epochs are added as integers, and what was missing in one stays missing")
    func sampleTotals() {
        var (first, second, totals) = (SampleLedger(), SampleLedger(), SampleTotals())
        first.book(.delivered, index: 9)
        second.book(.delivered, index: 0)
        totals.add(first)
        totals.add(second)
        #expect((totals.epochs, totals.expected, totals.delivered, totals.missing) == (2, 11, 2, 9))
    }

    @Test("Totals to which a ledger was added and then corrected are those to which it was added as it is now")
    func corrected() {
        var before = DatagramLedger()
        before.book(.newest, number: 4, bytes: 100)
        before.learn(lastSent: 9)
        var now = before
        now.book(.newest, number: 7, bytes: 90)
        now.book(.reordered, number: 2, bytes: 80)
        now.book(.duplicate, number: 2, bytes: 80)
        now.book(.tooOld, number: 0, bytes: 70)
        now.bookUnreadable()
        now.bookRateLimited()
        now.learn(lastSent: 11)
        var (corrected, whole) = (DatagramTotals(), DatagramTotals())
        corrected.add(before)
        #expect(corrected.tailMissing == 5 && corrected.missing == 4)
        corrected.replace(before, by: now)
        whole.add(now)
        #expect(corrected == whole)
        #expect(corrected.tailMissing == 4 && corrected.missing == 5)
    }
}
