import Testing
import WireProtocol

@Suite("Identities, keys and addresses as text")
struct IdentifierTests {
    @Test("A controller's identity is 32 hexadecimal digits, and nothing else is one")
    func controllerID() throws {
        let text = "00000000000000ff0123456789abcdef"
        let id = try #require(ControllerID(text))
        #expect(id == ControllerID(high: 0xFF, low: 0x0123_4567_89AB_CDEF))
        #expect(id.description == text)
        #expect(ControllerID(text.uppercased()) == id)
        for wrong in [
            "", "0", text + "0", String(text.dropLast()) + "g", "+" + text.dropFirst(), "é" + text.dropFirst(2),
        ] {
            #expect(ControllerID(wrong) == nil)
        }
    }

    @Test("A key holds the 32 bytes that it was made of, and never shows them")
    func linkKey() throws {
        let bytes = (0..<32).map { UInt8($0 + 0xA0) }
        let key = try #require(LinkKey(bytes: bytes))
        #expect(key.withUnsafeBytes { Array($0) } == bytes)
        #expect(LinkKey(bytes: bytes.dropLast()) == nil)
        #expect(LinkKey(bytes: bytes + [0]) == nil)
        #expect("\(key)" == "LinkKey(secret)")
        #expect(String(reflecting: key) == "LinkKey(secret)")
        var dumped = ""
        dump(key, to: &dumped)
        #expect(!dumped.contains("160"))
    }

    @Test(
        "An address is written as people write it, and read again",
        arguments: [
            "192.168.1.5:4000", "[2001:db8::5]:4000", "[fe80::1%2]:4000", "[::]:1", "[::1]:65535",
            "[1:2:3:4:5:6:7:8]:9", "[1:0:0:2::3]:9",
        ])
    func addresses(text: String) throws {
        #expect(try #require(PeerAddress(text)).description == text)
    }

    @Test(
        "What is no address is not read as one",
        arguments: [
            "", ":", "1.2.3.4", "1.2.3:4", "1.2.3.256:1", "01.2.3.4:1", "1.2.3.4:65536", "1.2.3.4:-1", "::1:4000",
            "[]:1",
            "[:]:1", "[:::]:1", "[1::2::3]:1", "[1:2:3:4:5:6:7:8:9]:1", "[12345::]:1", "[fe80::1%eth0]:1", "[%:1",
            "[١::]:1", "１.2.3.4:1",
        ])
    func noAddresses(text: String) {
        #expect(PeerAddress(text) == nil)
    }
}
