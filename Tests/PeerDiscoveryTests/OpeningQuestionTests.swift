import Glibc
import Testing

@testable import PeerDiscovery

@Suite("The first question of who begins to look around", .serialized, .timeLimit(.minutes(2)))
struct OpeningQuestionTests {
    /// Written by hand, by RFC 1035 (4.1) and RFC 6762 (5.4).
    @Test("It asks for the pointers of one type, and may be answered to the one who asks alone")
    func written() {
        let header: [UInt8] = [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]
        let name: [UInt8] =
            [5] + Array("_cube".utf8) + [4] + Array("_sub".utf8) + [8] + Array("_roomful".utf8) + [4]
            + Array("_tcp".utf8) + [5] + Array("local".utf8) + [0]
        #expect(OpeningQuestion(type: "_cube._sub._roomful._tcp").bytes == header + name + [0, 12, 0x80, 1])
    }

    @Test("What an announcement leads to is asked for by name, whatever bytes the name has")
    func resolving() throws {
        let label = Array("Léa's. Room 🎮".utf8)
        let instance = try #require(InstanceName(bytes: label))
        let name: [UInt8] =
            [UInt8(label.count)] + label + [8] + Array("_roomful".utf8) + [4] + Array("_tcp".utf8) + [5]
            + Array("local".utf8) + [0]
        #expect(
            OpeningQuestion(resolving: instance, type: "_roomful._tcp").bytes
                == [0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0] + name + [0, 33, 0x80, 1] + name + [0, 16, 0x80, 1])
    }

    @Test("A browser asks it", .needsAvahiCore)
    func asked() async throws {
        let ear = try MulticastEar()
        let browser = RoomBrowser(game: GameLabel("opening"), discovery: .embedded, interface: "lo")
        let question = OpeningQuestion(type: "_opening._sub._roomful._tcp").bytes
        #expect(try await eventually { ear.hears(question, from: 5_353) })
        await browser.stop()
    }
}

/// Hears what is asked of everybody on this machine's loopback.
private final class MulticastEar {
    private let socket = Glibc.socket(AF_INET, CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue), 0)

    init() throws {
        var on: CInt = 1
        var group = ip_mreqn()
        group.imr_multiaddr.s_addr = UInt32(0xE000_00FB).bigEndian
        group.imr_ifindex = CInt(if_nametoindex("lo"))
        // Bound to the group, not to the port alone: what is answered to one program is not for this one.
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(5_353).bigEndian
        address.sin_addr = group.imr_multiaddr
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        try #require(setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, 4) == 0)
        try #require(setsockopt(socket, SOL_SOCKET, SO_REUSEPORT, &on, 4) == 0)
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socket, $0, length) }
        }
        try #require(bound == 0)
        try #require(
            setsockopt(
                socket, CInt(IPPROTO_IP), IP_ADD_MEMBERSHIP, &group, socklen_t(MemoryLayout<ip_mreqn>.size)) == 0)
    }

    deinit { close(socket) }

    /// Whether this was among what came since it was asked last.
    func hears(_ wanted: [UInt8], from port: UInt16) -> Bool {
        var bytes = [UInt8](repeating: 0, count: 9_000)
        var sender = sockaddr_in()
        var isThere = false
        while true {
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let count = withUnsafeMutablePointer(to: &sender) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    recvfrom(socket, &bytes, bytes.count, 0, $0, &length)
                }
            }
            guard count >= 0 else { return isThere }
            isThere = isThere || bytes[..<count].elementsEqual(wanted) && UInt16(bigEndian: sender.sin_port) == port
        }
    }
}
