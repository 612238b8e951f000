import LinkEmulation
import RoomEngine
import SessionCoordinator
import WireProtocol

/// Somebody with a seat of their own who sends what no honest controller would: any bytes under the right key.
struct HostileGuest: Sendable {
    let id = ControllerID(high: 0xBAD0_0000_0000_0000, low: 1)
    let address = PeerAddress(ipv4: 0x0A00_00FE, port: 6_666)
    let declaration = StreamDeclaration(
        measures: [.acceleration, .rotationRate, .attitude, .buttons], nominalRate: 4_000,
        buttonGestures: [
            "tilt", "hold-still", "", StreamDeclaration.taughtGesture, "nothing", StreamDeclaration.otherGesture,
        ])
    private(set) var connection: ConnectionID?
    private var key: LinkKey?
    private var number: UInt32 = 0
    private var epoch: UInt8 = 0
    private var index: UInt32 = 0
    /// Probes that it was sent, the newest last.
    private var probes: [UInt16] = []

    /// Numbers that break arithmetic which was meant for honest ones.
    private static let extremes: [Int64] = [
        0, 1, -1, .min, .max, .min + 1, .max - 1, 1 << 62, -(1 << 62), 1 << 53, Int64.max / 1_000, Int64.min / 1_000,
    ]

    private static func extreme(_ random: inout SeededGenerator) -> Int64 {
        random.chance(0.5) ? extremes[Int(random.next() % UInt64(extremes.count))] : Int64(bitPattern: random.next())
    }

    mutating func seated(_ connection: ConnectionID, _ key: LinkKey) {
        (self.connection, self.key, number) = (connection, key, 0)
    }

    mutating func unseated() { (connection, probes) = (nil, []) }

    /// Feedback came: its probes are answered, and not as an honest clock would.
    mutating func hear(_ feedback: [UInt8]) {
        feedback.withUnsafeBytes { bytes in
            guard bytes.count > DatagramHeader.size + sealTagLength,
                let payload = try? Payload(
                    reading: UnsafeRawBufferPointer(
                        rebasing: bytes[DatagramHeader.size..<bytes.count - sealTagLength]))
            else { return }
            for case .probe(let id) in payload.blocks { probes.append(id) }
        }
        if probes.count > 16 { probes.removeFirst(probes.count - 16) }
    }

    /// The next datagram; `nil` without a seat.
    mutating func datagram(_ random: inout SeededGenerator) -> [UInt8]? {
        guard let connection, let key else { return nil }
        number = random.chance(0.02) ? UInt32(truncatingIfNeeded: random.next()) : number &+ 1
        let header = DatagramHeader(kind: .motion, connection: connection, number: number)
        var bytes = [UInt8](repeating: 0, count: WireFormat.maximumDatagramSize)
        let size = bytes.withUnsafeMutableBytes { buffer in
            var writer = ByteWriter(UnsafeMutableRawBufferPointer(rebasing: buffer[..<(buffer.count - sealTagLength)]))
            header.write(to: &writer)
            writer.write(Self.extreme(&random))
            for _ in 0..<1 + random.next() % 4 {
                switch random.next() % 8 {
                case 0...3: writeSamples(&writer, &random)
                case 4:
                    _ = writer.writeProbeAnswer(
                        id: random.chance(0.7) ? probes.popLast() ?? 0 : UInt16(truncatingIfNeeded: random.next()),
                        receivedAt: DeviceTime(nanoseconds: Self.extreme(&random)))
                case 5:
                    let receipt = HapticReceipt(
                        id: UInt32(random.next() % 16),
                        outcome: .played(at: DeviceTime(nanoseconds: Self.extreme(&random))))
                    let body = (try? LinkMessage.hapticReceipt(receipt).encoded()) ?? []
                    _ = writer.writeMessage(id: UInt32(random.next() % 64), body: body)
                case 6: for _ in 0..<random.next() % 40 { writer.write(UInt8(truncatingIfNeeded: random.next())) }
                default: _ = writer.writeGoodbye(.paused, lastSent: UInt32(truncatingIfNeeded: random.next()))
                }
            }
            let size = writer.count + sealTagLength
            ToyCipher().seal(
                UnsafeMutableRawBufferPointer(rebasing: buffer[..<size]), headerLength: DatagramHeader.size, key: key,
                number: header.number)
            return size
        }
        return Array(bytes[..<size])
    }

    private mutating func writeSamples(_ writer: inout ByteWriter, _ random: inout SeededGenerator) {
        if random.chance(0.1) { epoch &+= UInt8(truncatingIfNeeded: random.next() % 3) }
        if random.chance(0.1) { index = UInt32(truncatingIfNeeded: random.next() >> (random.next() % 64)) }
        let floor =
            random.chance(0.8) ? min(index, 1) : UInt32(truncatingIfNeeded: random.next() >> (random.next() % 64))
        guard
            var block = StreamBlockWriter(
                stream: 0, epoch: epoch, floor: floor, codec: SampleCodec(declaration), to: &writer)
        else { return }
        for _ in 0..<random.next() % 4 {
            var sample = Sample(
                sampledAt: DeviceTime(nanoseconds: Self.extreme(&random)), measures: declaration.measures)
            func axis() -> Float { Float(random.fraction() * 400 - 200) }
            sample.acceleration = SIMD3(axis(), axis(), axis())
            sample.rotationRate = SIMD3(axis(), axis(), axis())
            sample.buttons = UInt16(truncatingIfNeeded: index &* 0x9E37)
            _ = block.append(sample, index: index, to: &writer)
            index &+= random.chance(0.9) ? 1 : UInt32(truncatingIfNeeded: random.next() % 5_000)
        }
        block.finish(&writer)
    }
}

extension Evening {
    mutating func throwGarbage() {
        guard hostSleepsUntil == nil else { return }
        for _ in 0..<1 + random.next() % 20 {
            var bytes = (0..<random.next() % 1_300).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            if random.chance(0.7), bytes.count > 9 {
                bytes[0] = 0x11
                bytes[1] = 0
                bytes[2] = UInt8(random.next() % 8)
            }
            arrivals += 1
            host.receive(
                &bytes, from: PeerAddress(ipv4: UInt32(truncatingIfNeeded: random.next()), port: 9), arrivedAt: now,
                now: now)
        }
        report.note("garbage")
    }

    mutating func beHostile() {
        guard hostSleepsUntil == nil else { return }
        guard guest.connection != nil else {
            let conversation = newConversation()
            guestConversation = conversation
            let invitation = Invitation(
                controller: guest.id.description, process: requests.paddedHex, name: "$(touch x)",
                streams: [StreamOffer(guest.declaration)], haptics: true, timeout: 5_000, code: EveningPlan.code)
            host.handle(
                .invite(invitation, from: conversation, over: .udp, newMaterial(presenting: nil), source: nil), at: now)
            return serve()
        }
        for _ in 0..<1 + random.next() % 30 {
            guard var bytes = guest.datagram(&random) else { return }
            arrivals += 1
            host.receive(&bytes, from: guest.address, arrivedAt: now, now: now)
        }
        report.note("hostile datagrams")
    }
}
