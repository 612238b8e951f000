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
