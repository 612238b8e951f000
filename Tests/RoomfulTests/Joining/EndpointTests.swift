import NIOCore
import Testing
import WireProtocol

@testable import Connections
@testable import Roomful

@Suite("Where a host is reached")
struct EndpointTests {
    @Test(
        "The address that TCP led to is the one that datagrams go to, its interface included",
        arguments: ["192.168.1.5:7777", "[2001:db8::5]:7777", "[::1]:7777"])
    func sameAddress(_ text: String) throws {
        let expected = try #require(PeerAddress(text))
        let address = try SocketAddress(ipAddress: expected.host, port: Int(expected.port))
        #expect(PeerAddress(address) == expected)
    }

    @Test("A path in the file system is no address to send datagrams to")
    func unixSocket() throws {
        #expect(PeerAddress(try SocketAddress(unixDomainSocketPath: "/tmp/x")) == nil)
    }

    @Test("HTTP's Host header has brackets around IPv6, and no interface")
    func hostHeader() {
        #expect(Endpoint(host: "fe80::1%eth0", port: 7_777).hostHeader == "[fe80::1]:7777")
        #expect(Endpoint(host: "games.local", port: 443).hostHeader == "games.local:443")
    }
}
