import Testing
import WireProtocol

@testable import SessionCoordinator

@Suite("A haptic is meant for its moment, and ends in one way, whatever its controller says or does not")
struct HapticLifeTests {
    /// What waits and is due, as a controller reads it.
    private func told(_ messages: inout PeerMessages, at now: HostTime) -> [LinkMessage] {
        var bytes = [UInt8](repeating: 0, count: WireFormat.maximumDatagramSize)
        return bytes.withUnsafeMutableBytes { buffer -> [LinkMessage] in
            var writer = ByteWriter(buffer)
            writer.write(now.nanoseconds)
            messages.write(to: &writer, now: now)
            let content = UnsafeRawBufferPointer(rebasing: buffer[..<writer.count])
            guard let payload = try? Payload(reading: content) else { return [] }
            return payload.blocks.compactMap { block -> LinkMessage? in
                guard case .message(_, let body) = block else { return nil }
                return try? LinkMessage(reading: body)
            }
        }
    }

    /// One haptic that is worth playing for 500 ms.
    private func messages() throws -> PeerMessages {
        var messages = PeerMessages()
        let isTaken = messages.play(try LinkMessage.haptic(Haptic(id: 7)).encoded(), id: 7, until: .ms(500))
        try #require(isTaken)
        return messages
    }

    @Test("Each sending says for how long it is worth playing still, and once it is not, nothing under the same id")
    func aging() throws {
        var messages = try messages()
        var times: [Duration] = []
        for moment in [0, 60, 300.4, 499.5] {
            for case .haptic(let haptic) in told(&messages, at: .ms(moment)) { times.append(haptic.timeToLive) }
        }
        #expect(times == [.milliseconds(500), .milliseconds(440), .milliseconds(200), .milliseconds(1)])
        let after = [550.0, 600].map { told(&messages, at: .ms($0)) }
        #expect(after == [[.unknown(kind: 0)], [.unknown(kind: 0)]])
        #expect(messages.outbox.count == 1)
    }

    @Test("Taken back before it was ever sent, it has expired as soon as that is acknowledged")
    func neverSent() throws {
        var messages = try messages()
        let first = told(&messages, at: .ms(8_000))
        #expect(first == [.unknown(kind: 0)])
        let early = messages.takeOverdue(at: .ms(60_000))
        messages.acknowledge(below: 1, at: .ms(8_010))
        let ended = messages.takeOverdue(at: .ms(8_010))
        #expect(early == nil && ended?.isTakenBack == true && ended?.sentAt == nil)
        #expect(messages.haptics.isEmpty)
    }

    @Test("Taken back after it was sent, it may have been played: a receipt counts, and without one it has expired")
    func sentAndTakenBack() throws {
        var messages = try messages()
        _ = told(&messages, at: .ms(0))
        _ = told(&messages, at: .ms(600))
        messages.acknowledge(below: 1, at: .ms(650))
        var other = messages
        let early = messages.takeOverdue(at: .ms(5_649))
        let received = messages.takeHaptic(7)
        #expect(early == nil && received?.sentAt == .ms(0))
        let ended = other.takeOverdue(at: .ms(5_650))
        #expect(ended?.isTakenBack == true && other.haptics.isEmpty)
    }

    @Test("Who takes haptics and never says what became of them gets others once those count as lost")
    func noReceipts() throws {
        var room = HostedRoom(RoomConfiguration(policy: .open))
        var pad = try #require(Pad(room.invite(Guest(1))?.seat))
        room.receive(pad.samples(0..<1), from: pad.address)
        let ids = (0..<70).compactMap { _ in room.coordinator.play(intensity: 1, sharpness: 1, on: 0) }
        #expect(ids.count == 64)
        func run(_ ticks: Int) {
            for _ in 0..<ticks {
                room.pass(to: room.now + .milliseconds(100))
                room.receive(pad.datagram { _ = $0.writeReceipt(next: 64) }, from: pad.address)
            }
        }
        func ended() -> [UInt32] {
            room.occurrences.compactMap { entry in
                guard case .haptic(let outcome) = entry.what, outcome.outcome == .lost else { return nil }
                return outcome.id
            }
        }
        run(50)
        let early = ended()
        run(20)
        #expect(early.isEmpty && ended() == ids)
        let more = room.coordinator.play(intensity: 1, sharpness: 1, on: 0)
        #expect(more != nil)
        // A receipt that comes all the same ends nothing twice.
        let played = HapticReceipt(id: ids[0], outcome: .played(at: DeviceTime(nanoseconds: 0)))
        let body = try LinkMessage.hapticReceipt(played).encoded()
        room.receive(pad.datagram { _ = $0.writeMessage(id: 0, body: body) }, from: pad.address)
        #expect(ended() == ids)
    }
}
