import ControllerSession
import LinkEmulation
import RoomSimulation
import SessionCoordinator
import Testing
import WireProtocol

/// Every bound here is a count of what the host did, at moments that the test sets: none depends on a machine's speed.
@Suite("What a peer may cost")
struct BudgetTests {
    /// A seated controller that floods the host, datagram by datagram.
    private struct Flood {
        var room = HostedRoom(RoomConfiguration(policy: .open))
        var pad: Pad
        let conversation: ConversationID
        private(set) var seconds = 0

        init(streams: [StreamDeclaration] = [StreamDeclaration()]) throws {
            var guest = Guest(1)
            guest.streams = streams
            conversation = room.newConversation()
            pad = try #require(Pad(room.invite(guest, from: conversation)?.seat))
        }

        var isSeated: Bool { room.playerStates.last != .left }
        var totals: DatagramTotals? { (room.report(of: Guest(1)) ?? room.departed.last)?.datagrams }
        var toldReason: String? {
            guard case .goodbye(let farewell)? = room.answers[conversation]?.last else { return nil }
            return farewell.reason.rawValue
        }

        /// Until the seat is taken, or for half a minute. `write` is told the datagram's number.
        mutating func run(perSecond: Int, _ write: (inout ByteWriter, UInt32, HostedRoom) -> Void) {
            while isSeated, seconds < 30 {
                let start = room.now
                for place in 0..<perSecond where isSeated {
                    room.pass(to: start + .nanoseconds(Int64(place) * 1_000_000_000 / Int64(perSecond)))
                    let number = pad.nextNumber
                    room.receive(pad.datagram { write(&$0, number, room) }, from: pad.address)
                }
                room.pass(to: start + .seconds(1))
                seconds += 1
            }
        }
    }

    private static func writeEpochs(_ count: Int, stream: UInt8, from epoch: Int, to writer: inout ByteWriter) {
        let codec = SampleCodec(StreamDeclaration())
        for step in 0..<count {
            let block = StreamBlockWriter(
                stream: stream, epoch: UInt8(truncatingIfNeeded: epoch + step), floor: 0, codec: codec, to: &writer)
            block?.finish(&writer)
        }
    }

    @Test(
        "An epoch storm makes no more work than a few restarts of a sensor, and costs its sender the seat",
        arguments: [116, 44, 20, 1])
    func epochStorm(blocks: Int) throws {
        var flood = try Flood(streams: [StreamDeclaration(nominalRate: 4_000)])
        flood.run(perSecond: 900) { writer, number, _ in
            Self.writeEpochs(blocks, stream: 0, from: Int(number) * blocks, to: &writer)
        }
        #expect((5...15).contains(flood.seconds))
        #expect(flood.toldReason == "tooFast")
        let begun = flood.room.sink.epochs.values.joined().count
        // Eight at once, one a second, and what the last datagram that was read overdrew.
        #expect(begun <= 8 + flood.seconds + 44, "\(begun) stream epochs")
        let totals = try #require(flood.totals)
        #expect(totals.rateLimited > 0 && totals.unique == UInt64(flood.pad.nextNumber))
    }

    @Test("A message storm reaches the game as a trickle, and costs its sender the seat", arguments: [167, 20])
    func messageStorm(messages: Int) throws {
        var flood = try Flood()
        flood.run(perSecond: 250) { writer, _, room in
            // The one that the host expects next, and those after it: each would be acted on.
            let next = UInt32(room.messages.count)
            for place in 0..<UInt32(messages) { _ = writer.writeMessage(id: next + place, body: [6]) }
        }
        #expect((5...15).contains(flood.seconds))
        #expect(flood.toldReason == "tooFast")
        let taken = flood.room.messages.count
        #expect(taken <= 512 + 250 * flood.seconds + messages, "\(taken) messages")
    }

    @Test("Newest-wins data is newest only so often")
    func dataStorm() throws {
        var flood = try Flood()
        var sequence: UInt32 = 0
        flood.run(perSecond: 250) { writer, _, _ in
            while writer.writeData(channel: 1, sequence: sequence + 1, body: []) { sequence += 1 }
        }
        #expect((5...15).contains(flood.seconds))
        #expect(flood.toldReason == "tooFast")
        let taken = flood.room.pieces.count
        #expect(taken <= 1_000 + 1_000 * flood.seconds + 146, "\(taken) pieces")
    }

    @Test("Of marks 20 are taken at once and one a second; that the rest was dropped is told now and then")
    func markStorm() throws {
        var flood = try Flood()
        let body = try LinkMessage.mark("lap", at: DeviceTime(nanoseconds: 0)).encoded()
        flood.run(perSecond: 20) { writer, number, _ in _ = writer.writeMessage(id: number, body: body) }
        #expect(flood.isSeated && flood.seconds == 30)
        let marks = flood.room.marks
        #expect((49...52).contains(marks.taken.count) && marks.dropped == [1, 10, 100])
    }

    @Test("A datagram full of receipts is not read, and its sender loses the seat")
    func receiptStorm() throws {
        var flood = try Flood()
        flood.run(perSecond: 200) { writer, _, _ in while writer.writeReceipt(next: 0) {} }
        #expect((5...15).contains(flood.seconds))
        #expect(flood.totals?.rateLimited == flood.totals?.unique)
    }

    @Test("A sensor of 4 kHz in batches, on a network that loses and overtakes, is never refused")
    func fastSensor() {
        var bad = NetworkConditions()
        (bad.delay, bad.jitter, bad.loss) = (.milliseconds(20), .milliseconds(5), 0.05)
        var room = SimulatedRoom(1, bad, seed: 11, interval: 250_000, batch: 32)
        room.joinAll()
        room.run(for: .seconds(8))
        room.drain()
        #expect(room.differences.isEmpty, "\(room.differences)")
        let report = room.host.report(of: room.pads[0].guest)
        #expect(report?.datagrams.rateLimited == 0)
        #expect((report?.samples.delivered ?? 0) + (report?.samples.late ?? 0) > 30_000)
    }

    @Test("A phone that wakes with 10 s of samples and a full outbox is never refused")
    func wakes() throws {
        var room = SimulatedRoom(1, seed: 12)
        room.joinAll()
        room.run(for: .seconds(5))
        room.pads[0].isUp = false
        for number in 0..<256 { try room.pads[0].link.send(.application([UInt8(number)])) }
        room.run(for: .seconds(9))
        room.pads[0].isUp = true
        room.run(for: .seconds(5))
        room.drain()
        #expect(room.differences.isEmpty, "\(room.differences)")
        #expect(room.host.report(of: room.pads[0].guest)?.datagrams.rateLimited == 0)
        #expect(room.host.messages.count == 256)
    }

    @Test("A program that is started anew again and again is never refused")
    func livesAnew() {
        var room = SimulatedRoom(1, seed: 13)
        room.joinAll()
        for life in 1...6 {
            room.run(for: .seconds(2))
            room.pads[0].startAnew(SimulatedClock(offset: Int64(life) * 1_000_000_000, drift: 0), now: room.now)
            room.join(0)
        }
        room.run(for: .seconds(2))
        #expect(room.host.report(of: room.pads[0].guest)?.datagrams.rateLimited == 0)
        #expect(room.host.playerStates.last == .joined)
    }

    @Test("A game that plays hundreds of haptics a second is answered by as many receipts, and that is no storm")
    func receipts() throws {
        var room = HostedRoom(RoomConfiguration(policy: .open))
        var pad = try #require(Pad(room.invite(Guest(1))?.seat))
        room.receive(pad.samples(0..<1), from: pad.address)
        var receipts: UInt32 = 0
        for _ in 0..<600 {
            let ids = (0..<8).compactMap { _ in room.coordinator.play(intensity: 1, sharpness: 1, on: 0) }
            room.pass(to: room.now + .milliseconds(10))
            let datagram = pad.datagram { writer in
                _ = writer.writeReceipt(next: receipts + UInt32(ids.count))
                for id in ids {
                    let played = HapticReceipt(id: id, outcome: .played(at: DeviceTime(nanoseconds: 0)))
                    guard let body = try? LinkMessage.hapticReceipt(played).encoded() else { continue }
                    _ = writer.writeMessage(id: receipts, body: body)
                    receipts += 1
                }
            }
            room.receive(datagram, from: pad.address)
        }
        #expect(receipts == 4_800)
        #expect(room.report(of: Guest(1))?.datagrams.rateLimited == 0)
    }
}
