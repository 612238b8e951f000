import Testing
import WireProtocol

@Suite("Link keys")
struct LinkKeyTests {
    @Test("A key is made from exactly 32 bytes, and gives the same 32 back")
    func bytes() throws {
        let bytes = Array(UInt8(0)..<32)
        let key = try #require(LinkKey(bytes: bytes))
        #expect(key == .counting)
        #expect(key.withUnsafeBytes { Array($0) } == bytes)
        #expect(LinkKey(bytes: bytes.dropLast()) == nil)
        #expect(LinkKey(bytes: bytes + [0]) == nil)
        #expect(LinkKey(bytes: []) == nil)
    }

    @Test("A key never prints itself, not even inside of something that is dumped")
    func secrecy() {
        struct Peer { var key = LinkKey.counting }
        var dumped = ""
        dump(Peer(), to: &dumped)
        let prints = [
            "\(LinkKey.counting)", String(reflecting: LinkKey.counting), String(describing: Peer()),
            String(reflecting: Optional(LinkKey.counting)), dumped,
        ]
        for print in prints {
            #expect(print.contains("secret"))
            #expect(!print.contains(String(0x0706_0504_0302_0100)))
        }
    }

    @Test("A key lies flat: 32 bytes")
    func layout() {
        #expect(MemoryLayout<LinkKey>.stride == 32)
        #expect(MemoryLayout<LinkKey>.alignment == 8)
    }
}
