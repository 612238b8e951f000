import ControllerSession
import Datagrams
import SessionCoordinator
import WireProtocol

/// Controllers that are seated in a room of this process, each with a link and a key of its own; they write their
/// datagrams into memory, one after another, and hear the room's feedback when they are told to.
struct Controllers {
    private static let room = WireFormat.maximumDatagramSize

    let count: Int
    private(set) var written: [UnsafeRawBufferPointer] = []
    private var links: [ControllerLink] = []
    private var places: [ConnectionID: Int] = [:]
    private var next = 0
    private let memory: UnsafeMutableRawBufferPointer
    private var heard: [[UInt8]] = []

    init(count: Int, now: HostTime) {
        self.count = count
        memory = .allocate(byteCount: PathBenchmark.burst * Self.room, alignment: 64)
        memory.initializeMemory(as: UInt8.self, repeating: 0)
        let declaration = StreamDeclaration(nominalRate: 30)
        links = (0..<count).map { _ in ControllerLink(streams: [declaration], now: Self.device(now)) }
    }

    func invitation(_ place: Int) -> (Invitation, LinkMaterial) {
        let digits = String(place, radix: 16)
        let invitation = Invitation(
            controller: String(repeating: "0", count: 32 - digits.count) + digits,
            process: String(repeating: "b", count: 16), name: "Pad \(place)",
            streams: [StreamOffer(StreamDeclaration(nominalRate: 30))], haptics: false)
        let key = keyOf(place)
        let material = LinkMaterial(
            motionKey: key, feedbackKey: key, probeKey: key, secret: "", secretHash: [], presentedHash: nil)
        return (invitation, material)
    }

    mutating func open(_ place: Int, _ connection: ConnectionID, now: HostTime) {
        places[connection] = place
        let key = keyOf(place)
        links[place].open(
            LinkEpoch(connection: connection, sendKey: key, receiveKey: key), continues: false, now: Self.device(now))
    }

    /// The next ones in turn write a datagram each, evenly over this time.
    mutating func write(_ datagrams: Int, from start: HostTime, until end: HostTime, cipher: LinkCipher) {
        written.removeAll(keepingCapacity: true)
        let step = (end.nanoseconds - start.nanoseconds) / Int64(datagrams)
        while written.count < datagrams {
            let clock = DeviceTime(nanoseconds: start.nanoseconds + Int64(written.count) * step)
            let slot = UnsafeMutableRawBufferPointer(
                rebasing: memory[(written.count * Self.room)..<((written.count + 1) * Self.room)])
            let sample = Sample(sampledAt: clock, acceleration: SIMD3(0, 0, 9.81), rotationRate: .zero)
            _ = try? links[next].append(sample, to: 0, now: clock)
            let sent = links[next].nextDatagram(into: slot, cipher: cipher, now: clock)
            precondition(sent != nil, "a new sample is always sent")
            if let sent { written.append(UnsafeRawBufferPointer(rebasing: slot[..<sent.size])) }
            next = (next + 1) % count
        }
    }

    /// Keeps what the room answered, until there is time to take it.
    mutating func hear(_ feedback: UnsafeMutableRawBufferPointer) { heard.append([UInt8](feedback)) }

    mutating func takeHeard(now: HostTime, cipher: LinkCipher) {
        for var bytes in heard {
            bytes.withUnsafeMutableBytes { feedback in
                let header = try? DatagramHeader(reading: UnsafeRawBufferPointer(feedback))
                guard let place = header.flatMap({ places[$0.connection] }) else { return }
                _ = links[place].receive(feedback, cipher: cipher, arrivedAt: Self.device(now), now: Self.device(now))
            }
        }
        heard.removeAll(keepingCapacity: true)
    }

    private func keyOf(_ place: Int) -> LinkKey {
        LinkKey(a: UInt64(place), b: 0x9E37_79B9_7F4A_7C15 &* UInt64(place + 1), c: 3, d: 4)
    }

    private static func device(_ now: HostTime) -> DeviceTime { DeviceTime(nanoseconds: now.nanoseconds) }
}
