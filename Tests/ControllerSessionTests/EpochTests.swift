import Testing
import WireProtocol

@testable import ControllerSession

@Suite("Link epochs and stream epochs")
struct EpochTests {
    @Test("Without feedback for a second the link asks to join again, and goes on sending meanwhile")
    func quiet() throws {
        var controller = Controller()
        _ = try controller.stream(from: 0, count: 100)
        #expect(controller.link.state == .live)
        controller.hear(at: 995)
        _ = try controller.stream(from: 1_000, count: 99)
        #expect(controller.link.state == .live)
        #expect(try !controller.stream(from: 1_995, count: 1).isEmpty)
        #expect(controller.link.state == .quiet(since: .ms(995)))
        #expect(controller.link.needsRejoin)
        controller.hear(at: 2_100)
        #expect(controller.link.state == .live)
    }

    @Test("A silent link has one deadline for the silence, and the heartbeats go on")
    func silence() {
        var controller = Controller()
        #expect(controller.idle(until: 3_000).map(\.at.since) == [0, 500, 1_000, 1_500, 2_000, 2_500, 3_000])
        #expect(controller.link.needsRejoin)
    }

    @Test("A host that remembers gets the same indexes: what it has not confirmed is repeated, newest first")
    func continuing() throws {
        var controller = Controller()
        _ = try controller.stream(from: 0, count: 300)
        controller.acknowledge(below: 100, at: 2_995)
        controller.open(2, continues: true, at: 3_000)
        let sent = controller.idle(until: 3_050).map(\.datagram)
        #expect(sent.map(\.number).prefix(3) == [0, 1, 2])
        #expect(Set(sent.flatMap(\.indexes)) == Set(100..<300))
        #expect(sent.allSatisfy { $0.streams.allSatisfy { $0.epoch == 0 && $0.floor == 100 } })
        #expect(try controller.append(at: 3_060) == 300)
    }

    @Test("For a host that forgot, every stream begins anew with what is still held, numbered from 0")
    func restarting() throws {
        var controller = Controller()
        _ = try controller.stream(from: 0, count: 10)
        controller.acknowledge(below: 3, and: [5], at: 95)
        controller.open(2, continues: false, at: 100)
        let sent = controller.send(at: 100)
        #expect(sent.first?.streams.first?.epoch == 1)
        #expect(sent.first?.indexes == [0, 1, 2, 3, 4, 5])
        #expect(sent.first?.streams.first?.samples.map(\.sample.sampledAt.since) == [30, 40, 60, 70, 80, 90])
        #expect(controller.link.report.streams[0].isBalanced)
        controller.acknowledge(below: 6, epoch: 0, at: 110)
        #expect(controller.link.report.streams[0].unacknowledged == 6)
        controller.acknowledge(below: 6, epoch: 1, at: 120)
        #expect(controller.link.report.streams[0].unacknowledged == 0)
        #expect(try controller.append(at: 130) == 6)
    }

    @Test(
        "What is sampled before there is a seat is refused and counted; the first sample with one has index 0 of epoch 0"
    )
    func first() throws {
        var controller = Controller(isOpen: false)
        for step in 0..<200 {
            let error = #expect(throws: SampleError.self) { try controller.append(at: Double(step) * 10) }
            #expect(error?.code == .notSeated)
        }
        controller.open(1, continues: false, at: 2_000)
        #expect(try controller.append(at: 2_000) == 0)
        let sent = controller.idle(until: 2_030).map(\.datagram)
        #expect(Set(sent.flatMap(\.indexes)) == [0])
        #expect(sent.allSatisfy { $0.streams.allSatisfy { $0.epoch == 0 } })
        #expect((controller.link.report.streams[0].refused, controller.link.report.streams[0].appended) == (200, 1))
    }

    @Test("A host that remembers gets messages under the ids that they have, and none is acted on twice")
    func continuingMessages() throws {
        var controller = try exchanged()
        controller.open(2, continues: true, at: 10)
        #expect(controller.idle(until: 60).flatMap(\.datagram.messages).map(\.id) == [1, 2])
        #expect(controller.hear(at: 61) { _ = $0.writeMessage(id: 0, body: [4]) } == [])
        #expect(controller.hear(at: 62) { _ = $0.writeMessage(id: 1, body: [4]) } == [.message(.identify)])
    }

    @Test("For a host that forgot, messages are numbered from 0 again in both directions")
    func restartingMessages() throws {
        var controller = try exchanged()
        controller.open(2, continues: false, at: 10)
        #expect(controller.send(at: 10).first?.messages.map(\.id) == [0, 1])
        #expect(controller.hear(at: 20) { _ = $0.writeMessage(id: 0, body: [4]) } == [.message(.identify)])
    }

    /// A controller that sent three messages, with a receipt for one of them, and got one.
    private func exchanged() throws -> Controller {
        var controller = Controller()
        for _ in 0..<3 { try controller.link.send(.rezero) }
        _ = controller.send(at: 0)
        controller.hear(at: 5) { writer in
            _ = writer.writeReceipt(next: 1)
            _ = writer.writeMessage(id: 0, body: [4])
        }
        return controller
    }

    @Test("Datagrams of the epoch before are unknown, and the books go on over both")
    func books() {
        var controller = Controller()
        controller.hear(at: 1)
        controller.hear(at: 2)
        let late = Feedback(epoch: .numbered(1), number: 2).sealed { _ in }
        controller.open(2, continues: true, at: 10)
        _ = controller.receive(late, at: .ms(11))
        controller.hear(at: 12)
        let books = controller.link.report.feedback
        #expect((books.unknown, books.unique, books.expected, books.missing) == (1, 3, 3, 0))
        #expect(books.isBalanced)
    }

    @Test("A number is never used twice: near the end the link asks to join again, at the end it is silent")
    func exhaustion() throws {
        var controller = Controller()
        controller.link.opened?.nextNumber = .max - 65_536
        _ = try controller.stream(from: 0, count: 1)
        #expect(controller.link.state == .exhausted)
        #expect(controller.link.needsRejoin)
        controller.link.opened?.nextNumber = .max - 2
        let sent = try controller.stream(from: 10, count: 10)
        let last: [UInt32] = [.max - 2, .max - 1]
        #expect(sent.map(\.number) == last)
        controller.open(2, continues: true, at: 200)
        #expect(controller.send(at: 200).first?.number == 0)
    }

    @Test("At the end of its indexes a stream begins a new epoch in the same link, and nothing is lost")
    func endOfIndexes() throws {
        var controller = Controller()
        let first = UInt32.max - WireFormat.streamWindow - 20
        controller.link.streams[0] = OutgoingStream(
            Controller.declarations[0], capacity: controller.link.configuration.historyCapacity, from: first)
        let old = try controller.stream(from: 0, count: 20)
        #expect(Set(old.flatMap(\.indexes)) == Set(first..<first + 20))
        #expect(old.allSatisfy { $0.streams.allSatisfy { $0.epoch == 0 } })
        controller.acknowledge(below: first + 15, at: 195)
        let new = try controller.stream(from: 200, count: 10)
        #expect(new.allSatisfy { $0.streams.allSatisfy { $0.epoch == 1 } })
        #expect(Set(new.flatMap(\.indexes)) == Set(0..<15))
        let times = new.flatMap { $0.streams.flatMap { $0.samples.map(\.sample.sampledAt.since) } }
        #expect(Set(times) == Set((15..<30).map { Double($0) * 10 }))
        // The host's account of both epochs is 20 and 15.
        let books = controller.link.report.streams[0]
        #expect((books.appended, books.abandoned, books.unacknowledged) == (35, 5, 15))
        #expect(books.isBalanced)
        #expect(controller.link.sentInAll.samples == 35 && !controller.link.needsRejoin)
        controller.acknowledge(below: first + 20, epoch: 0, at: 300)
        #expect(controller.link.report.streams[0].unacknowledged == 15)
        controller.acknowledge(below: 15, epoch: 1, at: 310)
        #expect(controller.link.isSettled)
    }

    @Test(
        "When the device's clock is set back, one sample is refused at most, and sending goes on without a pause",
        arguments: [20, 400, 999, 60_000] as [Double])
    func clockSetBack(by: Double) throws {
        var controller = Controller()
        _ = try controller.stream(from: 100_000, count: 20)
        var sent: [ReadDatagram] = []
        for step in 0..<20 {
            let time = 100_200 - by + Double(step) * 10
            _ = try? controller.append(at: time)
            sent += controller.send(at: time)
        }
        let stream = controller.link.report.streams[0]
        #expect(stream.refused <= 1 && stream.appended >= 39)
        // Each datagram bears what the clock shows now, and no sample waited for the clock to catch up.
        #expect(sent.count >= 18)
        #expect(sent.allSatisfy { $0.sentAt < DeviceTime.ms(100_400 - by).nanoseconds })
        #expect(controller.link.nextDeadline.map { $0 <= .ms(100_900 - by) } == true)
    }

    @Test("A sample is refused with its reason, counted, and the stream goes on")
    func refusals() throws {
        var controller = Controller()
        try controller.append(at: 10)
        func code(_ sample: Sample, _ stream: StreamID = 0) -> SampleError.Code? {
            let error = #expect(throws: SampleError.self) {
                try controller.link.append(sample, to: stream, now: .ms(20))
            }
            return error?.code
        }
        #expect(code(Sample(sampledAt: .ms(12), acceleration: SIMD3(0, .nan, 0))) == .notFinite)
        #expect(code(Sample(sampledAt: .ms(12), rotationRate: SIMD3(.infinity, 0, 0))) == .notFinite)
        #expect(code(Sample(sampledAt: .ms(10))) == .notAfterPredecessor)
        #expect(code(Sample(sampledAt: .ms(10.0009))) == .notAfterPredecessor)
        #expect(code(Sample(sampledAt: .ms(9))) == .notAfterPredecessor)
        #expect(code(Sample(sampledAt: .ms(1_021))) == .aheadOfClock)
        #expect(code(Sample(sampledAt: .ms(12)), 9) == .unknownStream)
        #expect(try controller.append(at: 21) == 1)
        let report = controller.link.report
        #expect((report.streams[0].refused, report.refusedUnknownStream, report.streams[0].appended) == (6, 1, 2))
        let why = report.streams[0].refusals
        #expect(why.map(\.code) == [.notFinite, .notAfterPredecessor, .aheadOfClock])
        #expect(why.map(\.samples) == [2, 3, 1])
    }

    @Test("A sample whose attitude is none is refused whole, and told apart from one that is no number")
    func noAttitude() throws {
        var controller = Controller(streams: [StreamDeclaration(measures: [.acceleration, .attitude])])
        func code(_ attitude: SIMD4<Float>) -> SampleError.Code? {
            let sample = Sample(sampledAt: .ms(10), measures: [.acceleration, .attitude], attitude: attitude)
            let error = #expect(throws: SampleError.self) {
                try controller.link.append(sample, to: 0, now: .ms(10))
            }
            return error?.code
        }
        #expect(code(.zero) == .noUnitAttitude)
        #expect(code(SIMD4(16_384, 0, 0, 0)) == .noUnitAttitude)
        #expect(code(SIMD4(.nan, 0, 0, 1)) == .notFinite)
        let stream = controller.link.report.streams[0]
        #expect(stream.refusals.map(\.samples) == [2, 1] && stream.appended == 0)
    }

    @Test("A sensor whose clock is set back goes on: its samples leave in a run of their own")
    func clockSetBack() throws {
        var controller = Controller()
        try controller.append(at: 5_000)
        func append(at time: Double) throws -> UInt32 {
            try controller.link.append(Sample(sampledAt: .ms(time)), to: 0, now: .ms(5_020))
        }
        #expect(throws: SampleError.self) { try append(at: 4_001) }
        #expect(try append(at: 4_000) == 1)
        #expect(try append(at: 4_010) == 2)
        #expect(throws: SampleError.self) { try append(at: 4_005) }
    }
}
