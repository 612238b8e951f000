import LinkEmulation
import Testing
import WireProtocol

@testable import SessionCoordinator

@Suite("The receiving side of a stream")
struct StreamReceiverTests {
    @Test("It settles, gives up and acknowledges as sets would: random runs, floors, copies", arguments: 1...6)
    func model(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var receiver = StreamReceiver(declaration: StreamDeclaration(), epoch: 0)
        var (arrived, abandoned): (Set<UInt32>, Set<UInt32>) = ([], [])
        var (floor, redundant): (UInt32, UInt64) = (0, 0)
        for step in 0..<200 {
            // A sender's floor rises, at times by more than the window; a late datagram still bears an old one.
            let jump: UInt32 = step % 67 == 66 ? 6_000 : UInt32(random.next() % 40)
            let claimed = random.chance(0.3) ? floor + jump : floor - min(floor, 30)
            for index in floor..<max(floor, claimed) where !arrived.contains(index) { abandoned.insert(index) }
            floor = max(floor, claimed)
            receiver.raise(floor: claimed)
            let reach: UInt32 = step % 50 == 49 ? WireFormat.streamWindow - 20 : 60
            let first = claimed + UInt32(random.next() % UInt64(reach))
            for index in first..<first + UInt32(random.next() % 20) {
                #expect(receiver.isSettled(index) == (index < floor || arrived.contains(index)), "seed \(seed)")
                guard receiver.isNews(index) else {
                    redundant += 1
                    continue
                }
                receiver.take(index, verdict: .delivered)
                arrived.insert(index)
            }
            check(receiver, arrived, abandoned, floor, "seed \(seed), step \(step)")
        }
        #expect(receiver.ledger.redundant == redundant)
    }

    private func check(
        _ receiver: StreamReceiver, _ arrived: Set<UInt32>, _ abandoned: Set<UInt32>, _ floor: UInt32, _ place: Comment
    ) {
        let known = arrived.union(abandoned)
        var cumulative = floor
        while arrived.contains(cumulative) { cumulative += 1 }
        #expect(receiver.cumulative == cumulative, place)
        #expect(receiver.ledger.delivered == UInt64(arrived.count), place)
        #expect(receiver.ledger.abandoned == UInt64(abandoned.count), place)
        #expect(receiver.ledger.expected == (known.max().map { UInt64($0) + 1 } ?? 0), place)
        #expect(receiver.ledger.isBalanced, place)
        #expect(receiver.hasHoles == arrived.contains { $0 > cumulative }, place)
        checkAcknowledgement(receiver, arrived, cumulative, place)
    }

    private func checkAcknowledgement(
        _ receiver: StreamReceiver, _ arrived: Set<UInt32>, _ cumulative: UInt32, _ place: Comment
    ) {
        var bytes = [UInt8](repeating: 0, count: 8 + 600)
        let count = bytes.withUnsafeMutableBytes { buffer in
            var writer = ByteWriter(buffer)
            writer.write(Int64(0))
            let fits = receiver.writeAcknowledgement(to: &writer)
            #expect(fits, place)
            return writer.count
        }
        bytes.withUnsafeBytes { buffer in
            guard let payload = try? Payload(reading: UnsafeRawBufferPointer(rebasing: buffer[..<count])) else {
                Issue.record("the acknowledgement cannot be read: \(place)")
                return
            }
            for case .acknowledgement(let acknowledgement) in payload.blocks {
                #expect(acknowledgement.cumulative == cumulative, place)
                for index in cumulative..<acknowledgement.end {
                    #expect(acknowledgement.covers(index) == arrived.contains(index), place)
                }
                #expect(acknowledgement.end >= arrived.max() ?? 0, place)
            }
        }
    }

    @Test("A floor beyond all that came gives up everything between, once")
    func floorBeyondEnd() {
        var receiver = StreamReceiver(declaration: StreamDeclaration(), epoch: 0)
        receiver.take(2, verdict: .delivered)
        receiver.raise(floor: 10)
        #expect(receiver.ledger.abandoned == 9)
        receiver.raise(floor: 10)
        #expect(receiver.ledger.abandoned == 9)
        #expect(receiver.isSettled(9) && !receiver.isSettled(10))
        #expect(receiver.ledger.missing == 0)
    }

    @Test("A floor that only passes what has come gives up nothing")
    func floorOverArrived() {
        var receiver = StreamReceiver(declaration: StreamDeclaration(), epoch: 0)
        for index: UInt32 in 0..<5 { receiver.take(index, verdict: .delivered) }
        receiver.raise(floor: 5)
        #expect(receiver.ledger.abandoned == 0)
    }

    @Test("A stream counts as dead a second after its newest sample, or ten samples' time, and its batch later")
    func death() {
        for (rate, batch, patience) in [(100.0, 0, 1_000), (100, 2_500, 3_500), (2, 0, 5_000), (2, 2_500, 7_500)] {
            let declaration = StreamDeclaration(nominalRate: rate, batch: .milliseconds(batch))
            var receiver = StreamReceiver(declaration: declaration, epoch: 0)
            #expect(receiver.deathDue == nil)
            receiver.noteNews(at: .ms(70))
            #expect(receiver.deathDue == HostTime.ms(70 + Double(patience)).nanoseconds)
        }
    }
}
