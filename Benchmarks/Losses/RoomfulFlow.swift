import ControllerSession
import Datagrams
import Glibc
import LossyPaths
import SessionCoordinator
import WireProtocol

/// A controller's link and a room's coordinator, as their threads drive them: sealed, booked, acknowledged.
final class RoomfulFlow: SampleFlow {
    /// Which samples have come.
    private struct Arrivals: MotionSink {
        var indexes: [UInt32] = []

        mutating func streamBegan(
            _: StreamKey, epoch _: UInt8, _: StreamDeclaration, at _: HostTime, admittedAt _: HostTime?
        ) {}
        mutating func accept(
            _: Sample, index: UInt32, of _: StreamKey, arrivedAt _: HostTime, now _: HostTime
        ) -> ArrivalVerdict {
            indexes.append(index)
            return .delivered
        }
        mutating func streamAbandoned(_: StreamKey, below _: UInt32) {}
        mutating func clockChanged(of _: PeerIndex, to _: ClockMapping) {}
        mutating func noteDelay(of _: PeerIndex, _: FrameStamps, queueing _: Int64, oneWay _: Int64?) {}
    }

    private let cipher = LinkCipher.preferred(for: LinkCipher.preferredSuite)
    private let pad: DatagramSocket
    private let host: DatagramSocket
    private let address: PeerAddress
    private let outgoing = OutgoingBatch()
    private let incoming = IncomingBatch()
    private var coordinator: Coordinator
    private var link: ControllerLink
    private var sink = Arrivals()

    init(_ ends: LossyNetworks.Ends, rate: Int) throws {
        func socket(on host: Int32, at address: PeerAddress) throws -> DatagramSocket {
            let here = path_here()
            path_enter(host)
            defer {
                path_enter(here)
                close(here)
            }
            return try DatagramSocket(at: address)
        }
        host = try socket(on: ends.host, at: PeerAddress(ipv4: ends.address, port: 0))
        pad = try socket(on: ends.pad, at: .any(port: 0))
        address = host.address
        let now = HostTime(nanoseconds: nanoseconds())
        let device = DeviceTime(nanoseconds: now.nanoseconds)
        let declaration = StreamDeclaration(nominalRate: Double(rate))
        coordinator = Coordinator(configuration: RoomConfiguration(seats: 1, policy: .open), now: now)
        link = ControllerLink(streams: [declaration], now: device)
        let keys = (1...3).map { LinkKey(a: $0, b: 2, c: 3, d: 4) }
        let invitation = Invitation(
            controller: String(repeating: "a", count: 32), process: String(repeating: "b", count: 16), name: "Pad",
            streams: [StreamOffer(declaration)], haptics: false)
        let material = LinkMaterial(
            motionKey: keys[0], feedbackKey: keys[1], probeKey: keys[2], secret: "", secretHash: [], presentedHash: nil)
        let actions = coordinator.invite(
            invitation, from: ConversationID(rawValue: 1), material: material, now: now)
        for case .commit(_, _, .seated(let seated)?) in actions {
            link.open(
                LinkEpoch(
                    connection: ConnectionID(rawValue: seated.link.connection), sendKey: keys[0], receiveKey: keys[1]),
                continues: false, now: device)
        }
    }

    func make(_ sample: UInt32, at time: Int64, now: Int64) {
        let sway = Float(sample % 50) / 500
        let reading = Sample(
            sampledAt: DeviceTime(nanoseconds: time), acceleration: SIMD3(sway, 0, 9.81),
            rotationRate: SIMD3(sway, -sway, 0))
        do {
            try link.append(reading, to: 0, now: DeviceTime(nanoseconds: now))
        } catch {
            preconditionFailure("a sample is later than the one before: \(error)")
        }
    }

    func work(now: Int64, _ arrived: (UInt32) -> Void) {
        let (here, device) = (HostTime(nanoseconds: now), DeviceTime(nanoseconds: now))
        while let count = try? pad.receive(into: incoming), count > 0 {
            for place in 0..<count {
                _ = link.receive(incoming[place], cipher: cipher, arrivedAt: device, now: device)
            }
        }
        while let sent = link.nextDatagram(into: outgoing.room, cipher: cipher, now: device) {
            outgoing.append(sent.size, to: address)
            if outgoing.isFull { pad.send(outgoing) }
        }
        if !outgoing.isEmpty { pad.send(outgoing) }
        while let count = try? host.receive(into: incoming), count > 0 {
            for place in 0..<count {
                coordinator.receive(
                    incoming[place], from: incoming.sender(at: place), arrivedAt: here, now: here, cipher: cipher,
                    sink: &sink)
            }
        }
        _ = coordinator.advance(to: here, sink: &sink)
        while let (destination, count) = coordinator.nextFeedback(into: outgoing.room, now: here, cipher: cipher) {
            guard case .address(let address) = destination else { continue }
            outgoing.append(count, to: address)
            if outgoing.isFull { host.send(outgoing) }
        }
        if !outgoing.isEmpty { host.send(outgoing) }
        for index in sink.indexes { arrived(index) }
        sink.indexes.removeAll(keepingCapacity: true)
    }
}
