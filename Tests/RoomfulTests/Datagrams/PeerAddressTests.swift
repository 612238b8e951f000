import Testing
import WireProtocol

@Suite("Peer addresses")
struct PeerAddressTests {
    @Test(
        "An address is written as people write it, and read back",
        arguments: [
            (PeerAddress(ipv4: 0xC0A8_0105, port: 4000), "192.168.1.5:4000"),
            (PeerAddress(ipv4: 0, port: 0), "0.0.0.0:0"),
            (PeerAddress(high: 0, low: 0, port: 1), "[::]:1"),
            (PeerAddress(high: 0, low: 1, port: 65535), "[::1]:65535"),
            (PeerAddress(high: 0xFE80_0000_0000_0000, low: 1, port: 4000, scope: 2), "[fe80::1%2]:4000"),
            (PeerAddress(high: 0x2001_0DB8_0000_0000, low: 0x0001_0000_0000_0001, port: 7), "[2001:db8::1:0:0:1]:7"),
            (PeerAddress(high: 0x2001_0DB8_0000_0001, low: 0x0001_0001_0001_0001, port: 7), "[2001:db8:0:1:1:1:1:1]:7"),
            (PeerAddress(high: 0x2001_0DB8_0000_0000, low: 0, port: 7), "[2001:db8::]:7"),
            (PeerAddress(high: 0x0001_0002_0003_0004, low: 0x0005_0006_0007_0008, port: 7), "[1:2:3:4:5:6:7:8]:7"),
        ])
    func text(address: PeerAddress, text: String) {
        #expect(address.description == text)
        #expect(PeerAddress(text) == address)
    }

    @Test("An IPv4 address is the same address when it comes mapped into IPv6")
    func mapped() {
        let address = PeerAddress("[::ffff:c0a8:105]:4000")
        #expect(address == PeerAddress(ipv4: 0xC0A8_0105, port: 4000))
        #expect(address?.ipv4 == 0xC0A8_0105)
        #expect(PeerAddress("[::1]:4000")?.ipv4 == nil)
    }

    @Test("An address in capitals or with leading zeros in its groups is read")
    func lenient() {
        #expect(PeerAddress("[FE80:0000::0001%2]:4000")?.description == "[fe80::1%2]:4000")
    }

    @Test(
        "What is no address with a port is refused",
        arguments: [
            "", ":", "192.168.1.5", "192.168.1.5:", "192.168.1.5:65536", "192.168.1.5:-1", "192.168.1.5:+1",
            "192.168.1.5:04", "192.168.1:4000", "192.168.1.256:4000", "192.168.1.5.6:4000", "192.168.01.5:4000",
            "[192.168.1.5]:4000", "::1:4000", "[::1]", "[]:4000", "[1:2]:4000", "[1:2:3:4:5:6:7:8:9]:1",
            "[1:2:3:4:5:6:7::8]:1x", "[1::2::3]:4000", "[:::]:4000", "[12345::]:4000", "[-0::]:1", "[+1::]:1",
            "[fe80::1%]:1", "[fe80::1%eth0]:1", "[fe80::1%4294967296]:1", "[1:2:3:4:5:6:7:8::]:1", "[:1]:1", "é:1",
            "localhost:1",
        ])
    func refused(text: String) {
        #expect(PeerAddress(text) == nil)
    }

    @Test("A table holds an address in 24 bytes")
    func layout() {
        #expect(MemoryLayout<PeerAddress>.stride == 24)
    }

    @Test("Loopback and link-local addresses are told from others")
    func kinds() {
        #expect(PeerAddress("127.3.2.1:1")?.isLoopback == true)
        #expect(PeerAddress("[::1]:1")?.isLoopback == true)
        #expect(PeerAddress("128.0.0.1:1")?.isLoopback == false)
        // The machine itself has sixteen million addresses, which count as one.
        let own = ["127.0.0.1:1", "127.9.8.7:2", "[::1]:3"].map { PeerAddress($0) }
        #expect(Set(own.map { $0?.withoutPort }).count == 1 && Set(own.map { $0?.machine }).count == 1)
        #expect(PeerAddress("10.0.0.2:1")?.withoutPort != PeerAddress("10.0.0.3:1")?.withoutPort)
        #expect(PeerAddress("[fe80::1%1]:1")?.isLinkLocal == true)
        #expect(PeerAddress("[febf::1%1]:1")?.isLinkLocal == true)
        #expect(PeerAddress("[fec0::1]:1")?.isLinkLocal == false)
    }
}
