import Glibc
import Identity
import Testing

@testable import Connections
@testable import ControllerClient

@Suite("A control connection that is being opened")
struct ConnectingTests {
    /// A port whose queue is full, so that it answers nobody who asks to connect.
    private final class DeadPort {
        private var sockets: [Int32] = []
        private(set) var port = 0

        init() throws {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let listening = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            sockets = [listening]
            try #require(call(bind, listening, &address) == 0 && listen(listening, 0) == 0)
            let got = withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(listening, $0, &length) }
            }
            try #require(got == 0)
            port = Int(UInt16(bigEndian: address.sin_port))
            for _ in 0..<4 {
                let asking = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
                sockets.append(asking)
                _ = call(connect, asking, &address)
            }
        }

        deinit { for each in sockets { close(each) } }

        private func call(
            _ function: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32, _ socket: Int32,
            _ address: inout sockaddr_in
        ) -> Int32 {
            withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    function(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        }
    }

    @Test("Who gives up at a dead address does not wait until it is given up")
    func givingUp() async throws {
        let dead = try DeadPort()
        let endpoint = Endpoint(host: "127.0.0.1", port: dead.port)
        let ended = Watched<[String]>([])
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                let error = await #expect(throws: JoinError.self) {
                    try await ControlConnection.open(endpoint, handshake: .asking())
                }
                #expect(error?.code == .unreachable)
                ended.change { $0.append("who waited") }
            }
            // Who would be as patient, and began later, would end later.
            try? await Task.sleep(for: .milliseconds(200))
            group.addTask {
                let opening = Task { try await ControlConnection.open(endpoint, handshake: .asking()) }
                try? await Task.sleep(for: .milliseconds(200))
                opening.cancel()
                await #expect(throws: CancellationError.self) { try await opening.value }
                ended.change { $0.append("who gave up") }
            }
        }
        #expect(ended.value == ["who gave up", "who waited"])
        withExtendedLifetime(dead) {}
    }
}
