import LinkEmulation
import Testing
import WireProtocol

@testable import ControllerSession

@Suite("What a controller takes from the network")
struct ReceivingTests {
    @Test("Garbage, strangers and forgeries are only counted, each in its class")
    func classes() {
        var controller = Controller()
        let good = Feedback(epoch: .numbered(1), number: 0).sealed { _ in }
        let deadline = controller.link.nextDeadline
        for length in 0..<good.count { #expect(controller.receive(Array(good[..<length]), at: .ms(1)).isEmpty) }
        _ = controller.receive([UInt8](repeating: 0x12, count: 1_201), at: .ms(1))
        _ = controller.receive(Feedback(epoch: .numbered(2), number: 0).sealed { _ in }, at: .ms(1))
        for bit in 8..<good.count * 8 {
            var flipped = good
            flipped[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(controller.receive(flipped, at: .ms(1)).isEmpty)
        }
        let books = controller.link.report.feedback
        #expect(books.isBalanced)
        #expect((books.authenticated, books.malformed) == (0, good.count + 1))
        #expect(books.unknown == 1 + 32)
        #expect(books.badAuth == good.count * 8 - 8 - 32)
        #expect(controller.link.nextDeadline == deadline)
    }

    @Test("A copy is not acted on, a late one is, and one far behind is not")
    func replay() {
        var controller = Controller()
        func data(_ number: UInt32) -> [UInt8] {
            Feedback(epoch: .numbered(1), number: number).sealed {
                _ = $0.writeData(channel: UInt8(number & 255), sequence: number, body: [1])
            }
        }
        #expect(controller.receive(data(3), at: .ms(1)) == [.data(channel: 3, bytes: [1])])
        #expect(controller.receive(data(3), at: .ms(2)) == [])
        #expect(controller.receive(data(1), at: .ms(3)) == [.data(channel: 1, bytes: [1])])
        #expect(controller.receive(data(1_200), at: .ms(4)).count == 1)
        #expect(controller.receive(data(2), at: .ms(5)) == [])
        let books = controller.link.report.feedback
        #expect((books.unique, books.duplicate, books.tooOld, books.reordered) == (3, 1, 1, 1))
        #expect((books.expected, books.missing) == (1_201, 1_198))
        #expect(books.isBalanced)
    }

    @Test("A haptic that waited for longer than it is worth playing is refused by the link itself")
    func lateHaptics() throws {
        var controller = Controller()
        _ = controller.send(at: 0)
        func haptic(_ id: UInt32, sent: Double, at arrived: Double) -> [LinkEvent] {
            let sentAt = 1_000_000_000_000 + Int64(sent * 1e6)
            let feedback = Feedback(epoch: .numbered(1), number: id, sentAt: sentAt)
            guard let body = try? LinkMessage.haptic(Haptic(id: id)).encoded() else { return [] }
            return controller.receive(feedback.sealed { _ = $0.writeMessage(id: id, body: body) }, at: .ms(arrived))
        }
        let inTime = [haptic(0, sent: 0, at: 5), haptic(1, sent: 100, at: 600)]
        let tooLate = haptic(2, sent: 700, at: 1_250)
        #expect(inTime.map(\.count) == [1, 1] && tooLate.isEmpty)
        let receipt = try LinkMessage.hapticReceipt(HapticReceipt(id: 2, outcome: .refused(.expired))).encoded()
        #expect(controller.send(at: 1_300).flatMap(\.messages).map(\.body) == [receipt])
    }

    @Test("What waited is told from a clock that stands elsewhere for good, which counts as late for 20 s at most")
    func queueing() {
        var delay = QueueingDelay()
        func arrive(_ milliseconds: Range<Int64>, after late: Int64) -> [Duration] {
            stride(from: milliseconds.lowerBound, to: milliseconds.upperBound, by: 200).map {
                delay.add(sentAt: $0 * 1_000_000, arrivedAt: ($0 + late) * 1_000_000)
            }
        }
        #expect(arrive(0..<15_000, after: 7).allSatisfy { $0 == .zero })
        // The program stood still for long; all that came meanwhile is read at once.
        let burst = delay.add(sentAt: 15_000_000_000, arrivedAt: 55_007_000_000)
        #expect(burst == .seconds(40))
        #expect(arrive(55_000..<56_000, after: 7).allSatisfy { $0 == .zero })
        let asleep = arrive(56_000..<80_000, after: 3_007)
        #expect(asleep.first == .seconds(3) && asleep.last == .zero)
    }

    @Test("Content that cannot be read is not used, though its datagram counts as received")
    func unreadable() {
        var controller = Controller()
        let events = controller.hear(at: 1) { writer in
            _ = writer.writeData(channel: 1, sequence: 0, body: [1])
            writer.write(UInt8(2))
            writer.write(UInt16(500))
        }
        #expect(events == [])
        #expect((controller.link.report.feedback.unique, controller.link.report.feedback.unreadable) == (1, 1))
    }

    @Test("A host is not believed to have what was never sent")
    func implausible() throws {
        var controller = Controller()
        _ = try controller.stream(from: 0, count: 2)
        try controller.append(at: 15)
        controller.acknowledge(below: 4_000_000_000, and: [4_000_000_009], at: 16)
        let stream = controller.link.report.streams[0]
        #expect((stream.acknowledged, stream.unacknowledged) == (2, 1))
        controller.acknowledge(below: 0, account: 77, at: 17)
        #expect(controller.link.report.account == nil)
        #expect(controller.link.report.feedback.unreadable == 1)
        controller.acknowledge(below: 3, epoch: 9, at: 18)
        controller.acknowledge(below: 3, stream: 200, at: 19)
        #expect(controller.link.report.streams[0].acknowledged == 2)
    }

    @Test("A probe is answered within 5 ms with the time when it arrived, whatever came in between")
    func probe() {
        var controller = Controller()
        _ = controller.send(at: 0)
        controller.hear(at: 20) { _ = $0.writeProbe(id: 513) }
        #expect(controller.link.nextDeadline == .ms(25))
        let sent = controller.send(at: 25)
        #expect(sent.map(\.sentAt) == [DeviceTime.ms(25).nanoseconds])
        #expect(sent.first?.answers.map(\.id) == [513])
        #expect(sent.first?.answers.map(\.receivedAt) == [.ms(20)])
        #expect(sent.first?.answers.map(\.grain) == [0])
        #expect(sent.first?.isHeartbeat == false)
        #expect(controller.idle(until: 100).allSatisfy { $0.datagram.answers.isEmpty })
    }

    @Test("A clock that moves in steps is told as one with each answer")
    func coarseClock() {
        var configuration = ControllerLink.Configuration()
        configuration.clockGrain = .milliseconds(16)
        var controller = Controller(configuration: configuration)
        _ = controller.send(at: 0)
        controller.hear(at: 20) { _ = $0.writeProbe(id: 513) }
        #expect(controller.send(at: 25).first?.answers.map(\.grain) == [16_000_000])
    }

    @Test("An answer rides on a datagram that leaves anyway")
    func riding() throws {
        var controller = Controller()
        _ = try controller.stream(from: 0, count: 2)
        controller.hear(at: 18) { _ = $0.writeProbe(id: 1) }
        let sent = try controller.stream(from: 20, count: 1)
        #expect(sent.map(\.answers.count) == [1])
        #expect(controller.link.nextDeadline.map { $0 > .ms(40) } == true)
    }

    @Test("Newest-wins data is taken once, and never after a newer piece of its channel")
    func newestIn() {
        var controller = Controller()
        let pieces: [(UInt8, UInt32)] = [(0, 4), (0, 3), (0, 4), (1, 0), (0, 5)]
        let taken = pieces.flatMap { channel, sequence in
            controller.hear(at: 1) { _ = $0.writeData(channel: channel, sequence: sequence, body: [UInt8(sequence)]) }
        }
        #expect(taken == [.data(channel: 0, bytes: [4]), .data(channel: 1, bytes: [0]), .data(channel: 0, bytes: [5])])
    }

    @Test("Random bytes behind a good seal never trap", arguments: UInt64(1)...20)
    func anything(seed: UInt64) {
        var chooser = SeededGenerator(seed: seed)
        var controller = Controller()
        _ = try? controller.stream(from: 0, count: 5)
        for step in 0..<500 {
            let length = Int(chooser.next() % 300)
            let body = (0..<length).map { _ in UInt8(truncatingIfNeeded: chooser.next() >> 32) & 0x0F }
            controller.hear(at: 50 + Double(step)) { $0.write(body) }
            _ = controller.send(at: 50 + Double(step))
        }
        #expect(controller.link.report.feedback.isBalanced, "seed \(seed)")
        #expect(controller.link.report.streams[0].isBalanced, "seed \(seed)")
    }
}
