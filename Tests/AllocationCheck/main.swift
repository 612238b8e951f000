// Counts what the motion path allocates, in an optimised build: `swift run -c release AllocationCheck`. Exits with 1
// when a datagram or a sample costs memory. (Without the optimiser every access to an array's element allocates, so that
// the tests, which run in debug, cannot tell.)
//
// `AllocationCheck STEPS [OTHERS [jump]]` only takes steps, for who counts instructions (Scripts/instruction-check.py): of
// one controller in a room where so many others sit, that lies still or jumps every two seconds.
import AllocationCount
import ControllerSession
import Glibc
import InputMerge
import RoomEngine
import SessionCoordinator
import WireProtocol

/// A room's engine, as its thread drives it, and one controller on a perfect link, 100 samples a second.
struct Line {
    var engine: Engine
    var link: ControllerLink
    var outputs: [RoomOutput] = []
    var now = HostTime(nanoseconds: 1_000_000_000_000)
    var datagrams = 0
    /// Jumps that were recognised.
    var recognised = 0
    private let jumps: Bool
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1_200, alignment: 16)

    /// - Parameter others: how many more have a seat, and are not heard again after a first sample.
    init(others: Int = 0, jumps: Bool = false) {
        self.jumps = jumps
        let room = RoomConfiguration(seats: 1 + others, policy: .open, idleTimeout: .seconds(600))
        engine = Engine(configuration: EngineConfiguration(room: room), now: now)
        link = ControllerLink(streams: [StreamDeclaration()], now: DeviceTime(nanoseconds: now.nanoseconds))
        let key = LinkKey(a: 1, b: 2, c: 3, d: 4)
        let material = LinkMaterial(
            motionKey: key, feedbackKey: key, probeKey: key, secret: "", secretHash: [], presentedHash: nil)
        let invitation = Invitation(
            controller: String(repeating: "a", count: 32), process: String(repeating: "b", count: 16), name: "Pad",
            streams: [StreamOffer(StreamDeclaration())], haptics: true, timeout: nil, code: nil, secret: nil)
        engine.handle(
            .invite(invitation, from: ConversationID(rawValue: 1), over: .udp, material, source: nil), at: now,
            cipher: ClearCipher())
        engine.takeOutputs(into: &outputs)
        var connection = ConnectionID(index: 0, generation: 1)
        for case .commit(_, _, .seated(let seated)?) in outputs {
            connection = ConnectionID(rawValue: seated.link.connection)
        }
        for other in 0..<others { seat(other, material) }
        link.open(
            LinkEpoch(connection: connection, sendKey: key, receiveKey: key), continues: false,
            now: DeviceTime(nanoseconds: now.nanoseconds))
    }

    private mutating func seat(_ other: Int, _ material: LinkMaterial) {
        let number = String(other + 1, radix: 16)
        let invitation = Invitation(
            controller: String(repeating: "0", count: 32 - number.count) + number,
            process: String(repeating: "b", count: 16), name: "Pad", streams: [StreamOffer(StreamDeclaration())],
            haptics: true, timeout: nil, code: nil, secret: nil)
        engine.handle(
            .invite(invitation, from: ConversationID(rawValue: UInt64(other + 2)), over: .udp, material, source: nil),
            at: now, cipher: ClearCipher())
        engine.takeOutputs(into: &outputs)
        for case .commit(_, _, .seated(let seated)?) in outputs {
            let device = DeviceTime(nanoseconds: now.nanoseconds)
            var link = ControllerLink(streams: [StreamDeclaration()], now: device)
            let connection = ConnectionID(rawValue: seated.link.connection)
            let key = material.motionKey
            link.open(LinkEpoch(connection: connection, sendKey: key, receiveKey: key), continues: false, now: device)
            _ = try? link.append(Sample(sampledAt: device, acceleration: [0, 0, 9.81]), to: 0, now: device)
            _ = engine.take(from: &link, buffer, now)
        }
    }

    /// What a body's jump looks like every two seconds: it pushes off, flies, and lands.
    private var push: Float {
        switch datagrams % 200 {
        case 120..<140: 20
        case 140..<180: 0.2
        case 180..<188: 30
        default: 9.81
        }
    }

    /// Ten milliseconds: a sample, its datagram, and the room's turn with the feedback that is due.
    mutating func step() {
        now = now + .milliseconds(10)
        let device = DeviceTime(nanoseconds: now.nanoseconds)
        let wave = Float(datagrams % 100) / 100
        let sample = Sample(
            sampledAt: device, acceleration: SIMD3(wave, 0, jumps ? push : 9.81), rotationRate: SIMD3(0, wave / 10, 0))
        _ = try? link.append(sample, to: 0, now: device)
        let clear = ClearCipher()
        datagrams += engine.take(from: &link, buffer, now)
        if engine.advance(to: now) {
            while let feedback = engine.nextFeedback(into: buffer, now: now, cipher: clear) {
                _ = link.receive(
                    UnsafeMutableRawBufferPointer(rebasing: buffer[..<feedback.count]), cipher: clear,
                    arrivedAt: device, now: device)
            }
        }
        engine.takeOutputs(into: &outputs)
        for case .event(.gesture(let gesture, _)) in outputs where gesture.gesture == .jump && gesture.phase == .ended {
            recognised += 1
        }
    }
}

extension Engine {
    /// All that the link has to send now; how many datagrams that were.
    mutating func take(from link: inout ControllerLink, _ buffer: UnsafeMutableRawBufferPointer, _ now: HostTime) -> Int
    {
        let (device, clear) = (DeviceTime(nanoseconds: now.nanoseconds), ClearCipher())
        var count = 0
        while let sent = link.nextDatagram(into: buffer, cipher: clear, now: device) {
            count += 1
            receive(
                UnsafeMutableRawBufferPointer(rebasing: buffer[..<sent.size]), from: PeerAddress(ipv4: 1, port: 1),
                arrivedAt: now, now: now, cipher: clear)
        }
        return count
    }
}

/// Lets everything through: what sealing allocates is counted where the seal lives.
struct ClearCipher: DatagramCipher {
    func seal(_: UnsafeMutableRawBufferPointer, headerLength _: Int, key _: LinkKey, number _: UInt32) {}
    func open(_: UnsafeMutableRawBufferPointer, headerLength _: Int, key _: LinkKey, number _: UInt32) -> Bool { true }
}

let words = Array(CommandLine.arguments.dropFirst())
if let steps = words.first.flatMap({ Int($0) }) {
    let jumps = words.last == "jump"
    var line = Line(others: words.dropFirst().first.flatMap { Int($0) } ?? 0, jumps: jumps)
    for _ in 0..<steps { line.step() }
    precondition(!jumps || line.recognised >= steps / 400, "\(line.recognised) jumps in \(steps) steps are too few")
    exit(0)
}
var line = Line()
for _ in 0..<3_000 { line.step() }
let (before, first) = (allocation_count(), line.datagrams)
for _ in 0..<10_000 { line.step() }
let (allocations, datagrams) = (allocation_count() - before, line.datagrams - first)
let report = line.engine.coordinator.reports(now: line.now).first
print(
    "\(allocations) allocations in \(datagrams) datagrams, \(report?.feedbackSent ?? 0) feedbacks and 10,000 samples"
        + " through the engine and a controller")
precondition(report?.samples.delivered == 13_000, "all samples arrived")
// What grows once in a while may grow; a datagram, a sample or a feedback costs nothing.
exit(allocations <= 20 ? 0 : 1)
