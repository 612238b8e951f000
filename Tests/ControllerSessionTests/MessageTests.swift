import ControllerSession
import Testing
import WireProtocol

@Suite("Messages, data and goodbyes")
struct MessageTests {
    @Test("A message leaves at once and is repeated every 50 ms or round trip until its receipt")
    func reliable() throws {
        var controller = Controller()
        _ = controller.send(at: 0)
        try controller.link.send(.rezero)
        let sent = controller.idle(until: 130)
        #expect(sent.map(\.at.since) == [8, 58, 108])
        #expect(sent.allSatisfy { $0.datagram.messages.map(\.id) == [0] })
        controller.hear(at: 131) { _ = $0.writeReceipt(next: 1) }
        #expect(controller.idle(until: 600).allSatisfy { $0.datagram.messages.isEmpty })
        #expect(controller.link.report.waitingMessages == 0)
    }

    @Test("The host's messages are acted on once and in order, and every copy is receipted")
    func ordered() throws {
        var controller = Controller()
        _ = controller.send(at: 0)
        func message(_ id: UInt32, at time: Double) -> [LinkEvent] {
            controller.hear(at: time) { _ = $0.writeMessage(id: id, body: [6, UInt8(id)]) }
        }
        #expect(message(1, at: 1) == [])
        #expect(message(0, at: 2) == [.message(.application([0]))])
        #expect(message(0, at: 3) == [])
        #expect(message(1, at: 4) == [.message(.application([1]))])
        #expect(controller.idle(until: 20).map(\.datagram.receipt) == [2])
        #expect(message(1, at: 21) == [])
        #expect(controller.idle(until: 40).map(\.datagram.receipt) == [2])
    }

    @Test("A message that cannot be read is receipted and dropped, and those behind it go on")
    func unreadable() {
        var controller = Controller()
        #expect(controller.hear(at: 1) { _ = $0.writeMessage(id: 0, body: [1, 2]) } == [])
        #expect(controller.hear(at: 2) { _ = $0.writeMessage(id: 1, body: [4]) } == [.message(.identify)])
        #expect(controller.send(at: 6).first?.receipt == 2)
        #expect(controller.link.report.feedback.unreadable == 1)
    }

    @Test("Messages leave room for fresh samples, however many wait")
    func room() throws {
        var controller = Controller()
        _ = controller.send(at: 0)
        for _ in 0..<100 { try controller.link.send(.application([UInt8](repeating: 1, count: 511))) }
        for step in 1...50 {
            try controller.append(at: Double(step) * 10)
            #expect(controller.send(at: Double(step) * 10).flatMap(\.indexes).contains(UInt32(step - 1)))
        }
    }

    @Test("A message too long, or one too many, is refused with its reason")
    func refused() throws {
        var controller = Controller()
        let long = #expect(throws: SendError.self) {
            try controller.link.send(.application([UInt8](repeating: 0, count: 512)))
        }
        #expect(long?.code == .tooLong)
        for _ in 0..<256 { try controller.link.send(.rezero) }
        let many = #expect(throws: SendError.self) { try controller.link.send(.rezero) }
        #expect(many?.code == .tooManyWaiting)
        let channels = #expect(throws: SendError.self) {
            for channel in UInt8(0)...16 { try controller.link.sendNewest([], channel: channel) }
        }
        #expect(channels?.code == .tooManyChannels)
    }

    @Test("Newest-wins data is sent once, and only the newest piece of each channel")
    func newestOut() throws {
        var controller = Controller()
        _ = controller.send(at: 0)
        for piece in UInt8(0)..<3 { try controller.link.sendNewest([piece], channel: 7) }
        try controller.link.sendNewest([9], channel: 2)
        let sent = controller.idle(until: 400)
        #expect(sent.count == 1)
        #expect(sent.first?.datagram.data.map(\.bytes) == [[2], [9]])
        try controller.link.sendNewest([3], channel: 7)
        #expect(controller.send(at: 410).first?.data.map(\.sequence) == [3])
    }

    @Test("Who leaves says so three times, 20 ms apart, with the last number used, and is silent then")
    func goodbye() throws {
        var controller = Controller()
        _ = try controller.stream(from: 0, count: 3)
        controller.link.goodbye(.left, now: .ms(25))
        #expect(controller.link.state == .leaving(.left))
        let sent = controller.idle(until: 5_000)
        #expect(sent.map(\.at.since) == [25, 45, 65])
        #expect(sent.map(\.datagram.goodbye?.lastSent) == [3, 4, 5])
        #expect(sent.allSatisfy { $0.datagram.goodbye?.reason == .left })
        #expect(controller.link.state == .ended(.left))
        #expect(controller.link.nextDeadline == nil)
    }

    @Test("Who only pauses takes the link up again where it was")
    func pause() throws {
        var controller = Controller()
        _ = controller.send(at: 0)
        controller.link.goodbye(.paused, now: .ms(10))
        _ = controller.idle(until: 5_000)
        #expect(controller.link.state == .ended(.paused))
        controller.link.resume(now: .ms(6_000))
        #expect(controller.send(at: 6_000).map(\.number) == [4])
        #expect(controller.link.state == .live)
    }

    @Test("After the host's goodbye nothing is sent or collected until the link is opened again")
    func closing() throws {
        var controller = Controller()
        let events = controller.hear(at: 1) { _ = $0.writeGoodbye(.kicked, lastSent: 0) }
        #expect(events == [.goodbye(.kicked)])
        #expect(controller.link.state == .ended(.kicked))
        let error = #expect(throws: SampleError.self) { try controller.append(at: 2) }
        #expect(error?.code == .notSeated)
        #expect(controller.send(at: 600).isEmpty)
        #expect(!controller.link.needsRejoin)
        controller.open(2, continues: false, at: 700)
        #expect(try controller.append(at: 700) == 0)
        #expect(controller.send(at: 700).map(\.indexes) == [[0]])
    }

    @Test(
        "Of its own next link the old one may hear first: what is sampled in between is held, and sent over the new one"
    )
    func replaced() throws {
        var controller = Controller()
        try controller.append(at: 0)
        _ = controller.send(at: 0)
        #expect(controller.hear(at: 1_200) { _ = $0.writeGoodbye(.replaced, lastSent: 1) } == [.goodbye(.replaced)])
        #expect(try [1_210.0, 1_220].map { try controller.append(at: $0) } == [1, 2])
        #expect(controller.send(at: 1_225).isEmpty, "to whom")
        controller.open(2, continues: true, at: 1_230)
        #expect(Set(controller.send(at: 1_230).flatMap(\.indexes)).isSuperset(of: [1, 2]))
        #expect(controller.link.report.streams[0].refused == 0)
    }
}
