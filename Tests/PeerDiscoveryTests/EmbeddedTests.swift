import Foundation
import Glibc
import PeerDiscovery
import Testing
import WireProtocol

/// What we promise of discovery where there is no daemon: the same, on this machine's loopback.
@Suite("Discovery by the embedded responder", .serialized, .needsAvahiCore, .timeLimit(.minutes(4)))
struct EmbeddedTests {
    private let record = RoomRecord(
        id: roomID(.random(in: .min ... .max)), protocolVersion: 1, game: GameLabel("keepcalm"), freeSeats: 3,
        totalSeats: 4, policy: .code, pin: Pin(bytes: Array(0..<32)))

    private func advertise(_ name: String, port: UInt16 = 7777, _ record: RoomRecord? = nil) throws -> RoomAdvertiser {
        RoomAdvertiser(
            name: try RoomName(name), port: port, record: record ?? self.record, interface: "lo", discovery: .embedded)
    }

    private func browse(_ game: String? = nil) -> RoomBrowser {
        RoomBrowser(game: game.flatMap(GameLabel.init), discovery: .embedded, interface: "lo")
    }

    @Test("A room is found with its address and exactly its record, changes are seen, and it is gone when it stops")
    func findAndUpdate() async throws {
        let browser = browse("keepcalm")
        let advertiser = try advertise("Léa's \"Room\" No. 1 🎮")
        let found = try #require(await browser.room("Léa's \"Room\" No. 1 🎮"))
        #expect(found.record == record)
        #expect(found.endpoints.map(\.description) == ["127.0.0.1:7777"])
        #expect(browser.snapshot().backend == .embedded)
        let fewer = record.changed { $0.freeSeats = 2 }
        await advertiser.update(fewer)
        #expect(await browser.room("Léa's \"Room\" No. 1 🎮") { $0.record == fewer } != nil)
        await advertiser.stop()
        #expect(await browser.snapshot { $0.rooms.isEmpty }.rooms == [])
        await browser.stop()
        #expect(AvahiCensus.total == 0)
    }

    @Test("A name that is taken becomes another, and its operator is told")
    func collision() async throws {
        let browser = browse()
        let first = try advertise("Studio")
        #expect(await first.publishedName() == "Studio")
        let other = RoomRecord(id: roomID(8))
        let second = try advertise("Studio", port: 7780, other)
        let names = await browser.names(of: record, other, when: ["Studio", "Studio #2"])
        let loser = names[other] == "Studio #2" ? second : first
        let renamed = await loser.first { if case .renamed = $0 { true } else { false } }
        #expect(renamed == .renamed(from: "Studio", to: "Studio #2"))
        #expect(await loser.publishedName() == "Studio #2")
        await first.stop()
        await second.stop()
        await browser.stop()
        #expect(AvahiCensus.total == 0)
    }

    @Test("A name that was ours and is disputed is probed for again, and kept where nobody has it then")
    func disputed() async throws {
        let advertiser = try advertise("Quarrel")
        #expect(await advertiser.publishedName() == "Quarrel")
        // At the first the responder probes by itself; one that comes meanwhile costs the name. Then there is peace.
        let disputes = Task {
            while !Task.isCancelled {
                try dispute("Quarrel")
                try await Task.sleep(for: .milliseconds(60))
                try dispute("Quarrel")
                try await Task.sleep(for: .seconds(3))
            }
        }
        let next = await advertiser.first { _ in true }
        disputes.cancel()
        _ = await disputes.result
        #expect(next == .registering)
        // What changes meanwhile is told with it.
        await advertiser.update(record.changed { $0.freeSeats = 1 })
        #expect(await advertiser.publishedName() == "Quarrel")
        let browser = browse()
        #expect(await browser.room("Quarrel") { $0.record.freeSeats == 1 } != nil)
        await browser.stop()
        await advertiser.stop()
        #expect(AvahiCensus.total == 0)
    }

    @Test("A room whose port answers is told from one that only a record speaks for")
    func reachability() async throws {
        let ears = try Ears()
        let before = try descriptors()
        let browser = browse()
        let living = try advertise("Living", port: ears.port)
        #expect(await browser.room("Living") { $0.reachability == .answering } != nil)
        ears.close()
        // Its record stands, and nobody is behind it any more.
        let silent = await browser.room("Living") { $0.reachability == .silent }
        #expect(silent?.liveness == .announced)
        await living.stop()
        await browser.stop()
        #expect(AvahiCensus.total == 0)
        // All but the ears', however often the port was tried.
        #expect(try await eventually { try descriptors() == before - 1 })
    }
}

private func descriptors() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count }

/// Says on this machine's loopback what another would that has a service of this name too, with another TXT record.
private func dispute(_ name: String) throws {
    let socket = Glibc.socket(AF_INET, CInt(SOCK_DGRAM.rawValue), 0)
    defer { close(socket) }
    var on: CInt = 1
    var leaving = in_addr(s_addr: UInt32(0x7F00_0001).bigEndian)
    var own = sockaddr_in()
    own.sin_family = sa_family_t(AF_INET)
    own.sin_port = UInt16(5_353).bigEndian
    var everybody = own
    everybody.sin_addr.s_addr = UInt32(0xE000_00FB).bigEndian  // 224.0.0.251
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    try #require(setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<CInt>.size)) == 0)
    try #require(setsockopt(socket, SOL_SOCKET, SO_REUSEPORT, &on, socklen_t(MemoryLayout<CInt>.size)) == 0)
    try #require(
        setsockopt(
            socket, CInt(IPPROTO_IP), IP_MULTICAST_IF, &leaving, socklen_t(MemoryLayout<in_addr>.size)) == 0)
    let isBound = withUnsafePointer(to: &own) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socket, $0, size) == 0 }
    }
    try #require(isBound)
    let text = Array("txtvers=0".utf8)
    var message: [UInt8] = [0, 0, 0x84, 0, 0, 0, 0, 1, 0, 0, 0, 0]  // An answer (RFC 1035, 4.1.1).
    for label in [name, "_roomful", "_tcp", "local"] { message += [UInt8(label.utf8.count)] + Array(label.utf8) }
    message += [0, 0, 16, 0x80, 1, 0, 0, 0, 10]  // TXT, for 10 s.
    message += [0, UInt8(text.count + 1), UInt8(text.count)]
    message += text
    let sent = withUnsafePointer(to: &everybody) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            sendto(socket, message, message.count, 0, $0, size)
        }
    }
    try #require(sent == message.count)
}

/// Something that listens on a TCP port of this machine's loopback.
private final class Ears {
    private let socket: CInt
    let port: UInt16

    init() throws {
        let socket = Glibc.socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(socket, pointer, size) == 0 && listen(socket, 8) == 0 && getsockname(socket, pointer, &size) == 0
            }
        }
        self.socket = socket
        port = UInt16(bigEndian: address.sin_port)
        try #require(bound)
    }

    func close() { _ = Glibc.close(socket) }
}

extension Trait where Self == ConditionTrait {
    /// Skips where libavahi-core is not installed, unless whoever runs the tests insists.
    static var needsAvahiCore: Self {
        .enabled(
            if: BuiltResponder.problem == nil || PrivateNetwork.isRequired,
            "libavahi-core is not installed; on Debian: apt-get install libavahi-core7")
    }
}
