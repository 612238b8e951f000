import PeerDiscovery
import Testing

@Suite("Addresses of a room")
struct IPAddressTests {
    @Test(
        "IPv6 is written canonically (RFC 5952)",
        arguments: [
            (IPAddress.v6(0, 1), "::1"), (.v6(0x2001_0db8_0000_0000, 1), "2001:db8::1"),
            (.v6(0x2001_0db8_0000_0001, 0x0001_0001_0001_0001), "2001:db8:0:1:1:1:1:1"),
            (.v6(0x2001_0000_0000_0001, 1), "2001:0:0:1::1"), (.v6(0xfe80_0000_0000_0000, 0), "fe80::"),
            (.v6(1, 0), "0:0:0:1::"), (.v4(0x0a4d_0001), "10.77.0.1"),
        ])
    func canonicalText(_ address: IPAddress, _ text: String) {
        #expect(address.description == text)
    }

    @Test("A link-local address carries its interface; others do not")
    func scope() {
        let local = RoomEndpoint(address: .v6(0xfe80 << 48, 7), port: 7777, interface: 2, interfaceName: "eth0")
        #expect(local.host == "fe80::7%eth0")
        #expect(local.description == "[fe80::7%eth0]:7777")
        let network = RoomEndpoint(address: .v4(0x0a00_0007), port: 7777, interface: 2, interfaceName: "eth0")
        #expect(network.description == "10.0.0.7:7777")
    }
}
