import ControllerSession
import SessionCoordinator
import Testing
import WireProtocol

@Suite("Faults: values that cannot be, and versions that do not fit")
struct ValueFaultTests {
    @Test(
        "Another version is refused as such, with a message that names both, and takes no seat: P6",
        arguments: [0, 2, 3, -1, Int.min, .max])
    func version(number: Int) throws {
        var room = HostedRoom(RoomConfiguration(policy: .open))
        var invitation = Guest(1).invitation
        invitation.v = number
        let conversation = room.newConversation()
        let key = LinkKey(a: 0, b: 0, c: 0, d: 0)
        let material = LinkMaterial(
            motionKey: key, feedbackKey: key, probeKey: key, secret: "", secretHash: [], presentedHash: nil)
        room.perform(room.coordinator.invite(invitation, from: conversation, material: material, now: room.now))
        let refusal = try #require(room.answers[conversation]?.last?.refusal)
        #expect(refusal.reason == .wrongVersion && refusal.retryAfter == nil)
        #expect(refusal.message.contains("version \(number)") && refusal.message.contains("version 1"))
        #expect(room.closed == [conversation] && room.coordinator.freeSeats == 4 && room.disk.isEmpty)
    }

    /// What no sensor reads, and what some do.
    static let absurd: [Float] = [.nan, -.nan, .signalingNaN, .infinity, -.infinity]
    static let extreme: [Float] = [
        .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNonzeroMagnitude, -.leastNonzeroMagnitude,
        .leastNormalMagnitude, 1e20, -1e20, -0.0,
    ]

    @Test("A controller refuses what is no number, counts it, and sends none of it: P8", arguments: absurd, 0..<10)
    func controllerRefuses(value: Float, axis: Int) throws {
        let declaration = StreamDeclaration(measures: [.acceleration, .rotationRate, .attitude])
        var link = ControllerLink(streams: [declaration], now: DeviceTime(nanoseconds: 0))
        let key = LinkKey(a: 1, b: 2, c: 3, d: 4)
        link.open(
            LinkEpoch(connection: ConnectionID(index: 0, generation: 1), sendKey: key, receiveKey: key),
            continues: false, now: DeviceTime(nanoseconds: 0))
        var sample = Sample(sampledAt: DeviceTime(nanoseconds: 1_000), measures: declaration.measures)
        sample.set(axis, to: value)
        let error = #expect(throws: SampleError.self) { try link.append(sample, to: 0, now: sample.sampledAt) }
        #expect(error?.code == .notFinite)
        #expect((link.report.streams[0].refused, link.report.streams[0].appended) == (1, 0))
    }

    @Test("What is only far too large or small arrives as a number within the declared range: P8", arguments: extreme)
    func extremes(value: Float) throws {
        var room = SimulatedRoom(1, seed: 8)
        room.pads[0].motion = { number in
            var sample = Sample(sampledAt: DeviceTime(nanoseconds: 0))
            sample.set(number % 6, to: value)
            return (sample.acceleration, sample.rotationRate)
        }
        room.joinAll()
        room.run(for: .milliseconds(300))
        #expect(room.host.sink.samples.count > 20 && room.differences == [])
        for sample in room.host.sink.samples { #expect(sample.isWithinRange) }
    }

    @Test("Whatever bytes an authenticated peer writes for an axis, the game gets a number or nothing: P8")
    func hostReads() throws {
        var room = HostedRoom(RoomConfiguration(policy: .open))
        var guest = Guest(1)
        guest.streams = [StreamDeclaration(measures: [.acceleration, .rotationRate, .attitude])]
        var pad = try #require(Pad(room.invite(guest)?.seat))
        var unreadable: UInt64 = 0
        var index: UInt32 = 0
        for pattern: UInt8 in 0...255 {
            // Every axis of one sample holds the same two bytes; 0x7FC0 would be a half-precision NaN.
            for low: UInt8 in [0, 0x80, 0xFF] {
                let field = Int16(truncatingIfNeeded: Int(pattern) << 8 | Int(low))
                let norm = 4 * Int64(field) * Int64(field)
                if norm < 1 << 27 { unreadable += 1 }
                let (fields, run) = (Array(repeating: [pattern, low], count: 10).flatMap { $0 }, index)
                room.receive(
                    pad.datagram { writer in
                        writer.write([BlockType.stream.rawValue, 0, 43, 0, 0, 7])
                        writer.write(run)
                        writer.write(run)
                        writer.write(UInt8(1))
                        writer.write(Int64(run) * 10_000)
                        writer.write([0, 0, 0] + fields)
                    }, from: pad.address)
                index += 1
            }
            room.pass(to: room.now + .milliseconds(20))
        }
        let report = try #require(room.report(of: guest))
        #expect(report.datagrams.unreadable == unreadable)
        #expect(UInt64(room.sink.samples.count) == 768 - unreadable)
        for sample in room.sink.samples { #expect(sample.isWithinRange) }
    }
}

extension Sample {
    /// Axes 0 to 2 are the accelerometer's, 3 to 5 the gyroscope's, 6 to 9 the attitude's.
    fileprivate mutating func set(_ axis: Int, to value: Float) {
        switch axis {
        case 0...2: acceleration[axis] = value
        case 3...5: rotationRate[axis - 3] = value
        default: attitude[axis - 6] = value
        }
    }

    fileprivate var isWithinRange: Bool {
        (0..<3).allSatisfy { abs(acceleration[$0]) <= 156.92 && abs(rotationRate[$0]) <= 34.91 }
            && (0..<4).allSatisfy { abs(attitude[$0]) <= 1 } && (attitude * attitude).sum() > 0.12
    }
}
