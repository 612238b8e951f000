import AllocationCount
import ControllerSession
import RoomEngine
import SessionCoordinator
import WireProtocol

/// The same controllers in a whole engine, for what it keeps of each: beside the coordinator's state its motion, what
/// watches it, how its delays lie, and its player.
struct EngineCrowd {
    private var engine: Engine
    private var outputs: [RoomOutput] = []
    private var links: [ControllerLink] = []
    private var now = HostTime(nanoseconds: 1_000_000_000_000)
    private let rate: Int
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1_200, alignment: 16)

    init(peers: Int, rate: Int) {
        self.rate = rate
        let room = RoomConfiguration(seats: peers, policy: .open)
        engine = Engine(configuration: EngineConfiguration(room: room), now: now)
        for peer in 0..<peers { join(peer) }
    }

    private mutating func join(_ peer: Int) {
        let entrant = Entrant(peer, rate: rate)
        let conversation = ConversationID(rawValue: UInt64(peer))
        engine.handle(
            .invite(entrant.invitation, from: conversation, over: .udp, entrant.material, source: nil), at: now,
            cipher: ClearCipher())
        engine.takeOutputs(into: &outputs)
        for case .commit(_, _, .seated(let seated)?) in outputs { links.append(entrant.link(to: seated, now: now)) }
    }

    /// Lets the room play; in each millisecond another part of the controllers sends.
    mutating func run(seconds: Int) {
        let period = 1_000 / rate
        for millisecond in 0..<seconds * 1_000 {
            now = now + .milliseconds(1)
            for peer in stride(from: millisecond % period, to: links.count, by: period) { speak(peer) }
            if engine.advance(to: now) {
                while let sent = engine.nextFeedback(into: buffer, now: now, cipher: ClearCipher()) {
                    if case .address(let address) = sent.destination { hear(Int(address.port), sent.count) }
                }
            }
            engine.takeOutputs(into: &outputs)
        }
    }

    private mutating func speak(_ peer: Int) {
        let clock = DeviceTime(nanoseconds: now.nanoseconds)
        _ = try? links[peer].append(Sample(sampledAt: clock, acceleration: SIMD3(0, 0, 9.81)), to: 0, now: clock)
        guard let sent = links[peer].nextDatagram(into: buffer, cipher: ClearCipher(), now: clock) else { return }
        engine.receive(
            UnsafeMutableRawBufferPointer(rebasing: buffer[..<sent.size]),
            from: PeerAddress(ipv4: 1, port: UInt16(truncatingIfNeeded: peer)), arrivedAt: now, now: now,
            cipher: ClearCipher())
    }

    private mutating func hear(_ peer: Int, _ size: Int) {
        let clock = DeviceTime(nanoseconds: now.nanoseconds)
        _ = links[peer].receive(
            UnsafeMutableRawBufferPointer(rebasing: buffer[..<size]), cipher: ClearCipher(), arrivedAt: clock,
            now: clock)
    }

    /// Lets the engine go, and says how many bytes of the heap that gives back: nothing of the controllers, who live in
    /// this process too.
    mutating func giveUpEngine() -> Int {
        let before = bytes_alive()
        engine = Engine(configuration: EngineConfiguration(room: RoomConfiguration()), now: now)
        return Int(before - bytes_alive())
    }
}
