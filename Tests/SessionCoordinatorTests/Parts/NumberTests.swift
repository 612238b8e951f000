import Testing
import WireProtocol

@testable import SessionCoordinator

/// Numbers that a long stay, or a guest who makes them up, brings to their ends.
@Suite("Numbers at the ends of their ranges")
struct NumberTests {
    private static let program = Program(
        process: "1", declarations: [StreamDeclaration()], hasHaptics: true, context: [])
    private static let key = LinkKey(a: 1, b: 2, c: 3, d: 4)

    private func link(from first: UInt32) -> Link {
        var link = Link(
            connection: ConnectionID(rawValue: 0),
            way: .udp(LinkKeys(motion: Self.key, feedback: Self.key, probe: Self.key)),
            program: Self.program, conversation: nil, firstNumber: first)
        link.path.noteArrival(from: .lan(10), bytes: 1_000, isNewest: true, probesSent: 0)
        link.path.noteEcho(of: 0)
        return link
    }

    @Test("After 2^32 - 1 feedbacks a link is silent: no number is used twice under one key, and nothing traps")
    func feedbackNumbers() {
        var link = link(from: .max - 2)
        var numbers: [UInt32] = []
        for moment: Int64 in 1...5 where link.maySend(64) {
            numbers.append(link.nextNumber)
            link.noteSent(bytes: 64, at: moment)
        }
        #expect(numbers == [UInt32.max - 2, UInt32.max - 1])
        #expect(link.isWornOut && !link.maySend(1))
    }

    @Test("A goodbye on a link whose numbers are used up is not said, and nobody waits for it")
    func farewell() {
        var room = HostedRoom(RoomConfiguration())
        room.coordinator.retire(PartingLink(link(from: .max), .closing))
        room.coordinator.retire(PartingLink(link(from: .max - 1), .closing))
        #expect(!room.coordinator.hasSaidGoodbye)
        room.pass(to: room.now + .seconds(1))
        #expect(room.coordinator.hasSaidGoodbye)
        // Of the three copies one has a number.
        #expect(room.outgoing.count == 1)
    }

    @Test("Sums of what guests number stay sums, however often an epoch's end is claimed to be the last index of all")
    func sums() {
        var totals = SampleTotals()
        for epoch in 1...100_000 as ClosedRange<UInt64> {
            var ledger = SampleLedger()
            ledger.book(abandoned: UInt64(UInt32.max), last: .max - 1)
            #expect(ledger.isBalanced && ledger.missing == 0)
            totals.add(ledger)
            if totals.abandoned != epoch * UInt64(UInt32.max) { Issue.record("epoch \(epoch)") }
        }
        #expect(totals.expected == totals.abandoned)
    }

    @Test("Messages, receipts and data at the last number of all are taken or refused, and never trap")
    func messages() {
        var messages = PeerMessages()
        let isAdmitted = messages.admit(.max)
        messages.acknowledge(below: .max, at: .ms(0))
        // After the last number 0 is newer, and half of all numbers farther on nothing is.
        let areNewest = [UInt32.max, 0, .max, 1 << 31 - 1, 0].map { messages.isNewest($0, on: 0) }
        #expect(!isAdmitted)
        #expect(areNewest == [true, true, false, true, false])
    }
}
