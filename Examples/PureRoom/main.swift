// A room without a socket, a clock or a thread: one controller joins it and sends a second of samples, and one datagram in
// ten is lost on its way. Run it with: swift run PureRoom
import ControllerSession
import SessionCoordinator
import WireProtocol

/// Nothing leaves this program. A real shell seals with what the seat's answer names.
struct NoCipher: DatagramCipher {
    func seal(_: UnsafeMutableRawBufferPointer, headerLength _: Int, key _: LinkKey, number _: UInt32) {}
    func open(_: UnsafeMutableRawBufferPointer, headerLength _: Int, key _: LinkKey, number _: UInt32) -> Bool { true }
}

let (cipher, key, pad) = (NoCipher(), LinkKey(a: 1, b: 2, c: 3, d: 4), PeerAddress(ipv4: 0x0A00_0007, port: 4_711))
var room = Coordinator(configuration: RoomConfiguration(policy: .open), now: HostTime(nanoseconds: 0))
var sink = NoMotionSink()

// The controller's wish, and what the shell drew for it.
let declaration = StreamDeclaration()
let invitation = Invitation(
    v: ControlMessage.version, controller: "0123456789abcdef0123456789abcdef", process: "0123456789abcdef",
    name: "Blue", streams: [StreamOffer(declaration)], haptics: false)
let material = LinkMaterial(
    motionKey: key, feedbackKey: key, probeKey: key, secret: String(repeating: "0", count: 64),
    secretHash: [UInt8](repeating: 0, count: 32), presentedHash: nil)
let actions = room.invite(
    invitation, from: ConversationID(rawValue: 1), material: material, now: HostTime(nanoseconds: 0))

// A seat is answered once it is on disk: here, at once.
var link = ControllerLink(streams: [declaration], now: DeviceTime(nanoseconds: 0))
for case .commit(_, _, .seated(let seat)?) in actions {
    print("\(seat.name) is player \(seat.player)")
    let connection = ConnectionID(rawValue: seat.link.connection)
    link.open(
        LinkEpoch(connection: connection, sendKey: key, receiveKey: key), continues: false,
        now: DeviceTime(nanoseconds: 0))
}

let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: WireFormat.maximumDatagramSize, alignment: 8)
defer { buffer.deallocate() }
for millisecond in 0..<Int64(1_200) {
    // Both clocks are this loop's; the host's could stand anywhere else.
    let now = millisecond * 1_000_000
    let (device, host) = (DeviceTime(nanoseconds: now), HostTime(nanoseconds: now))
    if millisecond < 1_000, millisecond % 10 == 0 {
        try link.append(Sample(sampledAt: device, acceleration: SIMD3(0, 0, 9.81)), to: 0, now: device)
    }
    while let sent = link.nextDatagram(into: buffer, cipher: cipher, now: device) {
        if sent.number % 10 == 3 { continue }  // Lost on its way.
        let datagram = UnsafeMutableRawBufferPointer(rebasing: buffer[..<sent.size])
        room.receive(datagram, from: pad, arrivedAt: host, now: host, cipher: cipher, sink: &sink)
    }
    _ = room.advance(to: host, sink: &sink)
    while let (_, size) = room.nextFeedback(into: buffer, now: host, cipher: cipher) {
        let datagram = UnsafeMutableRawBufferPointer(rebasing: buffer[..<size])
        _ = link.receive(datagram, cipher: cipher, arrivedAt: device, now: device)
    }
}
let report = room.reports(now: HostTime(nanoseconds: 1_200_000_000))[0]
print("\(report.datagrams.missing) datagrams were lost, \(report.samples.delivered) of 100 samples are here")
