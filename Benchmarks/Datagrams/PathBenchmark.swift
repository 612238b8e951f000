import ControllerSession
import Datagrams
import Glibc
import RawLoop
import RoomEngine
import SessionCoordinator
import WireProtocol

/// The receive path whole, with controllers that are really seated: the same burst waits in a socket and is drained by a
/// bare C loop; by NIO's datagram channel; by a coordinator, which opens, judges and books every datagram and decodes its runs; and by a room's
/// engine, which also merges, tells gestures, and seals and sends the feedback that is due.
final class PathBenchmark {
    static let burst = 4_096

    private let cipher: LinkCipher
    private let host: DatagramSocket
    private let pad: DatagramSocket
    private let rawSocket: Int32
    private let rawAddress: PeerAddress
    private let hostAddress: PeerAddress
    private let nio: NIODrain
    private let outgoing = OutgoingBatch()
    private let incoming = IncomingBatch()
    private var booked: Controllers
    private var played: Controllers
    private var coordinator: Coordinator
    private var engine: Engine
    private var outputs: [RoomOutput] = []
    private var senders: [PeerIndex] = []
    private var glimpsed: UInt = 0
    private var now = HostTime(nanoseconds: 1_000_000_000_000)

    init(peers: Int, suite: CipherSuite) throws {
        cipher = LinkCipher.preferred(for: suite)
        (host, pad) = (try DatagramSocket(), try DatagramSocket())
        var port: UInt16 = 0
        rawSocket = raw_open(4 << 20, &port)
        precondition(rawSocket >= 0, "the bare loop has a socket")
        rawAddress = PeerAddress(ipv4: 0x7F00_0001, port: port)
        nio = try NIODrain()
        hostAddress = PeerAddress(ipv4: 0x7F00_0001, port: host.address.port)
        let room = RoomConfiguration(seats: peers, policy: .open)
        coordinator = Coordinator(configuration: room, now: now)
        engine = Engine(configuration: EngineConfiguration(room: room), now: now)
        booked = Controllers(count: peers, now: now)
        played = Controllers(count: peers, now: now)
        for place in 0..<peers {
            let (invitation, material) = booked.invitation(place)
            let conversation = ConversationID(rawValue: UInt64(place))
            let actions = coordinator.invite(invitation, from: conversation, material: material, now: now)
            for case .commit(_, _, .seated(let seated)?) in actions {
                booked.open(place, ConnectionID(rawValue: seated.link.connection), now: now)
            }
            engine.handle(
                .invite(invitation, from: conversation, over: .udp, material, source: nil), at: now, cipher: cipher)
            engine.takeOutputs(into: &outputs)
            for case .commit(_, _, .seated(let seated)?) in outputs {
                played.open(place, ConnectionID(rawValue: seated.link.connection), now: now)
            }
        }
    }

    deinit { close(rawSocket) }

    /// Nanoseconds of processor time a datagram, each way; NIO's is `nil` where the system gives it too small a buffer.
    func round() throws -> (raw: Double, nio: Double?, booked: Double, played: Double) {
        // As much time as a burst of so many controllers takes at 30 Hz.
        let start = now
        now = now + .nanoseconds(Int64(Self.burst) * 1_000_000_000 / 30 / Int64(booked.count))
        booked.write(Self.burst, from: start, until: now, cipher: cipher)
        send(booked, to: rawAddress)
        let raw = time { Int(raw_drain(rawSocket)) }
        send(booked, to: nio.address)
        let channel = try nio.drain(Self.burst).map { Double($0) / Double(Self.burst) }
        send(booked, to: hostAddress)
        let ledger = try time { try drainIntoCoordinator() }
        played.write(Self.burst, from: start, until: now, cipher: cipher)
        send(played, to: hostAddress)
        let whole = try time { try drainIntoEngine() }
        answer()
        return (raw, channel, ledger, whole)
    }

    private func drainIntoCoordinator() throws -> Int {
        var (total, sink) = (0, NoMotionSink())
        while try host.receive(into: incoming) > 0 {
            noteSenders()
            glimpsed &+= coordinator.prefetch(senders)
            for place in 0..<incoming.count {
                coordinator.receive(
                    incoming[place], from: incoming.sender(at: place), arrivedAt: now, now: now, cipher: cipher,
                    sink: &sink)
            }
            total += incoming.count
        }
        return total
    }

    private func drainIntoEngine() throws -> Int {
        var total = 0
        while try host.receive(into: incoming) > 0 {
            noteSenders()
            glimpsed &+= engine.prefetch(senders)
            for place in 0..<incoming.count {
                engine.receive(
                    incoming[place], from: incoming.sender(at: place), arrivedAt: now, now: now, cipher: cipher)
                if engine.isTurnOver { serve() }
            }
            total += incoming.count
        }
        serve()
        return total
    }

    /// Whose datagrams are about to be read, as the host's own thread notes them.
    private func noteSenders() {
        senders.removeAll(keepingCapacity: true)
        for place in 0..<incoming.count {
            guard let header = try? DatagramHeader(reading: UnsafeRawBufferPointer(incoming[place])) else { continue }
            senders.append(Int(header.connection.index))
        }
    }

    private func serve() {
        if engine.advance(to: now) {
            while let (_, count) = engine.nextFeedback(into: outgoing.room, now: now, cipher: cipher) {
                played.hear(UnsafeMutableRawBufferPointer(rebasing: outgoing.room[..<count]))
                outgoing.append(count, to: rawAddress)
                if outgoing.isFull { host.send(outgoing) }
            }
            host.send(outgoing)
        }
        engine.takeOutputs(into: &outputs)
    }

    /// The coordinator's own feedback, so that its controllers go on as they would: not timed.
    private func answer() {
        var sink = NoMotionSink()
        _ = coordinator.advance(to: now, sink: &sink)
        while let (_, count) = coordinator.nextFeedback(into: outgoing.room, now: now, cipher: cipher) {
            booked.hear(UnsafeMutableRawBufferPointer(rebasing: outgoing.room[..<count]))
        }
        booked.takeHeard(now: now, cipher: cipher)
        played.takeHeard(now: now, cipher: cipher)
        _ = raw_drain(rawSocket)
    }

    private func send(_ controllers: Controllers, to address: PeerAddress) {
        for datagram in controllers.written {
            outgoing.room.copyMemory(from: datagram)
            outgoing.append(datagram.count, to: address)
            if outgoing.isFull { pad.send(outgoing) }
        }
        pad.send(outgoing)
    }

    private func time(_ drain: () throws -> Int) rethrows -> Double {
        let start = raw_thread_time()
        let count = try drain()
        let elapsed = raw_thread_time() - start
        precondition(count == Self.burst, "the buffer holds the burst (net.core.rmem_max), and all of it arrives")
        return Double(elapsed) / Double(count)
    }
}
