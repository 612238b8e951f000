// What a seated guest can send, from the datagram's bytes to the event: a whole room as its thread drives it, with one
// honest guest beside the hostile one, and numbers that break arithmetic which was meant for honest ones.

import InputMerge
import RoomEngine
import SessionCoordinator
import WireProtocol

/// Called by libFuzzer with bytes of its choice; a trap or a broken promise is a finding.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzEngine(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var room = FuzzedRoom(ByteStream(UnsafeRawBufferPointer(start: start, count: count)))
    room.play()
    return 0
}

/// The fuzzer's bytes, taken one by one.
struct ByteStream {
    private let bytes: UnsafeRawBufferPointer
    private var place = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var isAtEnd: Bool { place >= bytes.count }

    mutating func byte() -> UInt8 {
        guard place < bytes.count else { return 0 }
        defer { place += 1 }
        return bytes[place]
    }

    mutating func word() -> UInt64 { (0..<8).reduce(0) { word, _ in word << 8 | UInt64(byte()) } }

    /// Numbers at the ends of every range that is computed with, or any.
    mutating func number() -> Int64 {
        let extremes: [Int64] = [
            0, 1, -1, .min, .max, .min + 1, .max - 1, 1 << 62, -(1 << 62), 1 << 53, .max / 1_000, .min / 1_000,
            .max / 1_000 * 1_000, 1 << 31, 1 << 32, 10_000_000, 1_000_000_000,
        ]
        let choice = Int(byte())
        return choice < extremes.count
            ? extremes[choice] : choice < 200 ? Int64(choice) * 5_000_000 : Int64(bitPattern: word())
    }
}

/// No datagram here is sealed: both guests come by a browser's way.
private struct NoCipher: DatagramCipher {
    func seal(_: UnsafeMutableRawBufferPointer, headerLength _: Int, key _: LinkKey, number _: UInt32) {}
    func open(_: UnsafeMutableRawBufferPointer, headerLength _: Int, key _: LinkKey, number _: UInt32) -> Bool { false }
}

private struct FuzzedRoom {
    private var input: ByteStream
    private var engine: Engine
    private var now = HostTime(nanoseconds: 1_000_000_000_000)
    private let start = HostTime(nanoseconds: 1_000_000_000_000)
    private let declaration: StreamDeclaration
    private var number: UInt32 = 0
    private var connection: UInt32 = 0
    private var (epoch, index): (UInt8, UInt32) = (0, 0)
    private var open: Set<GestureID> = []
    private var words = 0
    private var requests: UInt64 = 0

    init(_ bytes: ByteStream) {
        input = bytes
        let rates = [0.1, 1, 50, 100, 800, 4_000]
        let measures: [Sample.Measures] = [
            [.acceleration, .rotationRate], [.acceleration], [.rotationRate], [.attitude],
            [.acceleration, .rotationRate, .attitude], .buttons, [.acceleration, .buttons], [.rotationRate, .buttons],
            .submersion, [.acceleration, .submersion],
        ]
        let (rate, measured) = (rates[Int(input.byte()) % rates.count], measures[Int(input.byte()) % measures.count])
        let buttons = ["jump", "tilt", "", StreamDeclaration.taughtGesture, "hold-still", "nothing"]
        declaration = StreamDeclaration(
            measures: measured, nominalRate: rate, buttonGestures: measured.contains(.buttons) ? buttons : [])
        var room = RoomConfiguration(seats: 4, policy: .open)
        room.mode = input.byte() % 4 == 0 ? .collaborative : .competitive
        engine = Engine(
            configuration: EngineConfiguration(
                room: room, merge: MergeConfiguration(), answersGesturesWithHaptics: true, localGestures: [.tap]),
            now: now)
        join()
    }

    private mutating func join() {
        for guest in UInt64(1)...2 {
            let invitation = Invitation(
                controller: ControllerID(high: 0, low: guest).description, process: "000000000000000\(guest)", name: "",
                streams: [StreamOffer(guest == 1 ? declaration : StreamDeclaration())], haptics: true)
            let secret = String(repeating: "\(guest)", count: 64)
            let material = LinkMaterial(
                motionKey: LinkKey(a: guest, b: 1, c: 0, d: 0), feedbackKey: LinkKey(a: guest, b: 2, c: 0, d: 0),
                probeKey: LinkKey(a: guest, b: 3, c: 0, d: 0), secret: secret,
                secretHash: Array(secret.utf8), presentedHash: nil)
            engine.handle(
                .invite(invitation, from: ConversationID(rawValue: guest), over: .wss, material, source: nil), at: now,
                cipher: NoCipher())
            turn()
        }
    }

    mutating func play() {
        var deeds = 0
        while !input.isAtEnd, deeds < 400 {
            deeds += 1
            switch input.byte() % 8 {
            case 0: pass(.nanoseconds(input.number()))
            case 1: pass(.milliseconds(Int(input.byte())))
            case 2, 3, 4: datagram { Self.writeSamples(&$0, &$1) }
            case 5: datagram { Self.writeAnything(&$0, &$1) }
            case 6: command()
            default: datagram { Self.writeBlocks(&$0, &$1) }
            }
            turn()
        }
        for _ in 0..<40 {
            pass(.milliseconds(500))
            turn()
        }
        precondition(open.isEmpty || engine.nextDeadline != nil || words < 10_000, "a gesture has no end")
    }

    /// Time runs forwards alone; a host may sleep for hours.
    private mutating func pass(_ duration: Duration) {
        let most = Duration.seconds(86_400)
        now = now + (duration < .zero ? .zero : min(duration, most))
    }

    private mutating func turn() {
        engine.advance(to: now)
        withUnsafeTemporaryAllocation(byteCount: WireFormat.maximumDatagramSize, alignment: 8) { buffer in
            var sent = 0
            while let feedback = engine.nextFeedback(into: buffer, now: now, cipher: NoCipher()) {
                precondition(feedback.count <= WireFormat.maximumDatagramSize, "feedback is too long")
                sent += 1
                precondition(sent < 64, "feedback has no end")
            }
        }
        for output in engine.takeOutputs() { read(output) }
        for part in engine.load { precondition(part.count <= part.most, "\(part.what): \(part.count)") }
        // 240 gestures of three parts and 64 notices of each guest, and what time gives: see Voice.
        let seconds = Double((now - start).components.seconds) + 1
        precondition(Double(words) <= 2 * (2 * 240 + 64 + seconds * (2 * 20 + 2)) + 64, "\(words) events")
    }

    private mutating func read(_ output: RoomOutput) {
        switch output {
        case .say(let conversation, .seated(let seated)) where conversation.rawValue == 1:
            connection = seated.link.connection
        case .event(.gesture(let gesture, _)):
            words += 1
            precondition((0...1).contains(gesture.strength) && (0...1).contains(gesture.confidence), "no strength")
            switch gesture.phase {
            case .began: precondition(open.insert(gesture.id).inserted, "a gesture began twice")
            case .changed: precondition(open.contains(gesture.id), "a gesture changed that is not")
            case .ended: precondition(open.remove(gesture.id) != nil, "a gesture ended that is not")
            }
        case .event(.sensor): words += 1
        default: break
        }
    }

    private mutating func command() {
        requests += 1
        let commands: [RoomCommand] = [
            .play("P1", intensity: 1, sharpness: 1, duration: .milliseconds(80), answering: nil), .rezero("P1"),
            .identify("P1"), .motion(of: 1), .status(minute: true), .peers("P1", minute: true),
        ]
        let command = commands[Int(input.byte()) % commands.count]
        engine.handle(.command(command, RequestID(rawValue: requests)), at: now, cipher: NoCipher())
    }

    // MARK: What the guest sends

    private mutating func datagram(_ write: (inout ByteWriter, inout FuzzedRoom) -> Void) {
        number &+= input.byte() == 255 ? UInt32(truncatingIfNeeded: input.word()) : 1
        let arrivedAt = input.byte() < 240 ? now : now - .milliseconds(10 * Int(input.byte()))
        let sentAt = input.number()
        var bytes = [UInt8](repeating: 0, count: WireFormat.maximumDatagramSize)
        let size = bytes.withUnsafeMutableBytes { buffer in
            var writer = ByteWriter(UnsafeMutableRawBufferPointer(rebasing: buffer[..<(buffer.count - sealTagLength)]))
            DatagramHeader(kind: .motion, connection: ConnectionID(rawValue: connection), number: number).write(
                to: &writer)
            writer.write(sentAt)
            write(&writer, &self)
            return writer.count
        }
        bytes.withUnsafeBytes {
            engine.receive(
                unsealed: UnsafeRawBufferPointer(rebasing: $0[..<size]), from: ConversationID(rawValue: 1),
                arrivedAt: arrivedAt, now: now)
        }
    }

    private static func writeSamples(_ writer: inout ByteWriter, _ room: inout FuzzedRoom) {
        let shape = room.input.byte()
        if shape & 1 != 0 { room.epoch &+= room.input.byte() }
        if shape & 2 != 0 { room.index = UInt32(truncatingIfNeeded: room.input.number()) }
        let floor = shape & 4 != 0 ? UInt32(truncatingIfNeeded: room.input.number()) : min(room.index, 1)
        guard
            var block = StreamBlockWriter(
                stream: 0, epoch: room.epoch, floor: floor, codec: SampleCodec(room.declaration), to: &writer)
        else { return }
        for _ in 0...Int(shape >> 5) {
            var sample = Sample(
                sampledAt: DeviceTime(nanoseconds: room.input.number()), measures: room.declaration.measures)
            func axis() -> Float { Float(Int8(bitPattern: room.input.byte())) * 1.5 }
            sample.acceleration = SIMD3(axis(), axis(), axis())
            sample.rotationRate = SIMD3(axis(), axis(), axis()) / 4
            if room.declaration.measures.contains(.buttons) { sample.buttons = UInt16(room.input.byte()) }
            if room.declaration.measures.contains(.submersion) {
                let conditions = Submersion.Condition.allCases
                let pressure = Double(room.input.byte())
                sample.submersion = Submersion(
                    conditions[Int(room.input.byte()) % conditions.count],
                    depth: shape & 16 == 0 ? Double(Int8(bitPattern: room.input.byte())) / 8 : nil, pressure: pressure,
                    surfacePressure: 101.3, temperature: pressure - 30)
            }
            _ = block.append(sample, index: room.index, to: &writer)
            room.index &+= shape & 8 != 0 ? UInt32(room.input.byte()) * 32 : 1
        }
        block.finish(&writer)
    }

    private static func writeBlocks(_ writer: inout ByteWriter, _ room: inout FuzzedRoom) {
        switch room.input.byte() % 5 {
        case 0:
            _ = writer.writeProbeAnswer(
                id: UInt16(room.input.byte()), receivedAt: DeviceTime(nanoseconds: room.input.number()))
        case 1:
            let receipt = HapticReceipt(
                id: UInt32(room.input.byte()), outcome: .played(at: DeviceTime(nanoseconds: room.input.number())))
            let body = (try? LinkMessage.hapticReceipt(receipt).encoded()) ?? []
            _ = writer.writeMessage(id: UInt32(room.input.byte()), body: body)
        case 2: _ = writer.writeGoodbye(.paused, lastSent: UInt32(truncatingIfNeeded: room.input.number()))
        case 3:
            let mark = LinkMessage.mark("", at: DeviceTime(nanoseconds: room.input.number()))
            _ = writer.writeMessage(id: UInt32(room.input.byte()), body: (try? mark.encoded()) ?? [])
            let find = LocalFind(
                gesture: .tap, id: LocalFind.firstID + UInt32(room.input.byte()),
                occurredAt: DeviceTime(nanoseconds: room.input.number()))
            _ = writer.writeMessage(id: UInt32(room.input.byte()), body: (try? LinkMessage.found(find).encoded()) ?? [])
            let felt = HapticReceipt(id: find.id, outcome: .played(at: DeviceTime(nanoseconds: room.input.number())))
            _ = writer.writeMessage(
                id: UInt32(room.input.byte()), body: (try? LinkMessage.hapticReceipt(felt).encoded()) ?? [])
        default: _ = writer.writeData(channel: room.input.byte(), sequence: UInt32(room.input.byte()), body: [])
        }
    }

    private static func writeAnything(_ writer: inout ByteWriter, _ room: inout FuzzedRoom) {
        for _ in 0..<room.input.byte() { writer.write(room.input.byte()) }
    }
}
