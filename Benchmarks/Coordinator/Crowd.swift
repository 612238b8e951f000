import AllocationCount
import ControllerSession
import Glibc
import SessionCoordinator
import WireProtocol

/// A room full of controllers on a perfect network, all in one thread: only the host's share of the time is counted.
struct Crowd {
    struct Spent {
        var datagrams = 0
        var feedbacks = 0
        /// Of the thread, in the coordinator: receiving, letting time pass, writing feedback.
        var hostNanoseconds = 0
    }

    private var coordinator: Coordinator
    private var sink = NoMotionSink()
    private var links: [ControllerLink] = []
    private var now = HostTime(nanoseconds: 1_000_000_000_000)
    private let rate: Int
    private let buffers: UnsafeMutableRawBufferPointer
    private var lengths: [Int]

    init(peers: Int, rate: Int) {
        self.rate = rate
        coordinator = Coordinator(
            configuration: RoomConfiguration(seats: peers, policy: .open), now: now)
        buffers = .allocate(byteCount: peers * 1_200, alignment: 16)
        lengths = [Int](repeating: 0, count: peers)
        for peer in 0..<peers { join(peer) }
    }

    private mutating func join(_ peer: Int) {
        let entrant = Entrant(peer, rate: rate)
        let actions = coordinator.invite(
            entrant.invitation, from: ConversationID(rawValue: UInt64(peer)), material: entrant.material, now: now)
        for case .commit(_, _, .seated(let seated)?) in actions { links.append(entrant.link(to: seated, now: now)) }
    }

    /// Lets the room play; in each millisecond another part of the controllers sends.
    @discardableResult
    mutating func run(seconds: Int) -> Spent {
        var spent = Spent()
        let period = 1_000 / rate
        for millisecond in 0..<seconds * 1_000 {
            now = now + .milliseconds(1)
            let turn = millisecond % period
            let senders = stride(from: turn, to: links.count, by: period)
            for peer in senders { write(peer) }
            let start = threadTime()
            for peer in senders where lengths[peer] > 0 {
                coordinator.receive(
                    slot(peer, lengths[peer]), from: PeerAddress(ipv4: 1, port: UInt16(truncatingIfNeeded: peer)),
                    arrivedAt: now, now: now, cipher: ClearCipher(), sink: &sink)
                spent.datagrams += 1
            }
            _ = coordinator.advance(to: now, sink: &sink)
            var written: [(place: Int, count: Int)] = []
            while let sent = coordinator.nextFeedback(
                into: slot(written.count, 1_200), now: now, cipher: ClearCipher())
            {
                guard case .address(let address) = sent.destination else { continue }
                written.append((Int(address.port), sent.count))
            }
            _ = coordinator.nextDeadline
            spent.hostNanoseconds += threadTime() - start
            spent.feedbacks += written.count
            for (place, feedback) in written.enumerated() { hear(feedback.place, slot(place, feedback.count)) }
        }
        return spent
    }

    private mutating func write(_ peer: Int) {
        let clock = DeviceTime(nanoseconds: now.nanoseconds)
        _ = try? links[peer].append(Sample(sampledAt: clock, acceleration: SIMD3(0, 0, 9.81)), to: 0, now: clock)
        let sent = links[peer].nextDatagram(into: slot(peer, 1_200), cipher: ClearCipher(), now: clock)
        lengths[peer] = sent?.size ?? 0
    }

    private mutating func hear(_ peer: Int, _ feedback: UnsafeMutableRawBufferPointer) {
        let clock = DeviceTime(nanoseconds: now.nanoseconds)
        _ = links[peer].receive(feedback, cipher: ClearCipher(), arrivedAt: clock, now: clock)
    }

    /// Lets the room go, and says how many bytes of the heap that gives back: all that it held, and nothing of the
    /// controllers, who live in this process too.
    mutating func giveUpRoom() -> Int {
        let before = bytes_alive()
        coordinator = Coordinator(configuration: RoomConfiguration(), now: now)
        return Int(before - bytes_alive())
    }

    private func slot(_ peer: Int, _ length: Int) -> UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(rebasing: buffers[(peer * 1_200)..<(peer * 1_200 + length)])
    }
}

/// One that wants a seat.
struct Entrant {
    let invitation: Invitation
    let material: LinkMaterial
    private let key: LinkKey
    private let declaration: StreamDeclaration

    init(_ peer: Int, rate: Int) {
        key = LinkKey(a: UInt64(peer), b: 2, c: 3, d: 4)
        material = LinkMaterial(
            motionKey: key, feedbackKey: key, probeKey: key, secret: "", secretHash: [], presentedHash: nil)
        declaration = StreamDeclaration(nominalRate: Double(rate))
        let digits = String(peer, radix: 16)
        invitation = Invitation(
            controller: String(repeating: "0", count: 32 - digits.count) + digits,
            process: String(repeating: "b", count: 16), name: "Pad \(peer)", streams: [StreamOffer(declaration)],
            haptics: false)
    }

    func link(to seat: Seated, now: HostTime) -> ControllerLink {
        let clock = DeviceTime(nanoseconds: now.nanoseconds)
        var link = ControllerLink(streams: [declaration], now: clock)
        link.open(
            LinkEpoch(connection: ConnectionID(rawValue: seat.link.connection), sendKey: key, receiveKey: key),
            continues: false, now: clock)
        return link
    }
}

/// Lets everything through: what sealing costs is measured beside the bare C loop.
struct ClearCipher: DatagramCipher {
    func seal(_: UnsafeMutableRawBufferPointer, headerLength _: Int, key _: LinkKey, number _: UInt32) {}
    func open(_: UnsafeMutableRawBufferPointer, headerLength _: Int, key _: LinkKey, number _: UInt32) -> Bool { true }
}
