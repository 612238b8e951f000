import Testing
import WireProtocol

@testable import ControlPort
@testable import Identity

@Suite("Who waits at a door, and who gives way")
struct CrowdTests {
    @Test(
        "A machine that comes back without end keeps out nobody but itself, by any port and any address of its network")
    func fair() {
        var crowd = Crowd<Int>()
        crowd.join(-1, from: PeerAddress(ipv4: 0x0A00_0001, port: 5))
        crowd.join(-2, from: PeerAddress(high: 0xFD00 << 48, low: 9, port: 5))
        for number in 0..<64 {
            crowd.join(number, from: PeerAddress(high: 0xFD01 << 48, low: UInt64(number), port: UInt16(number)))
        }
        for number in 64..<1_000 {
            // The oldest of its own.
            #expect(crowd.giveWay(to: PeerAddress(high: 0xFD01 << 48, low: 5_000, port: 1)) == number - 64)
            crowd.join(number, from: PeerAddress(high: 0xFD01 << 48, low: UInt64(number), port: UInt16(number)))
        }
        #expect(crowd.count == 66)
        // For whoever comes from elsewhere, too, it is that machine's oldest.
        #expect(crowd.giveWay(to: PeerAddress(ipv4: 0x0A00_0002, port: 5)) == 936)
        for number in 936..<1_000 { crowd.leave(number) }
        // Of as many each, the newcomer's own gives way; of somebody new, one of the others.
        #expect(crowd.giveWay(to: PeerAddress(high: 0xFD00 << 48, low: 77, port: 6)) == -2)
        #expect(crowd.giveWay(to: nil) == -1 && crowd.giveWay(to: nil) == nil && crowd.count == 0)
    }

    @Test("Neighbours in one IPv6 network share it: whose address has most gives way, not whoever came first")
    func neighbours() {
        func address(_ low: UInt64, port: UInt16 = 1) -> PeerAddress {
            PeerAddress(high: 0xFE80 << 48, low: low, port: port)
        }
        var crowd = Crowd<Int>()
        crowd.join(-1, from: address(8))
        for number in 0..<64 { crowd.join(number, from: address(0x66, port: UInt16(number))) }
        for number in 64..<1_000 {
            #expect(crowd.giveWay(to: address(0x66)) == number - 64)
            crowd.join(number, from: address(0x66))
        }
        // A newcomer next door finds a place, and keeps it.
        #expect(crowd.giveWay(to: address(9)) == 936)
        crowd.join(-2, from: address(9))
        #expect(crowd.giveWay(to: address(0x66)) == 937)
    }

    @Test("A word that a shell would act on stands between marks; a plain one does not")
    func shellWords() {
        #expect(shellWord("evening.mcap") == "evening.mcap" && shellWord("") == "''")
        #expect(shellWord("z$(touch x).mcap") == "'z$(touch x).mcap'")
        #expect(shellWord("it's `id`\u{1B}[2J") == "'it'\\''s `id`[2J'")
        // What joins itself to a mark makes another character of it, though not for a shell.
        #expect(Array(shellWord("'\u{200D}; id").unicodeScalars) == Array("''\\''\u{200D}; id'".unicodeScalars))
        #expect(shellWord("a\u{301}") == "'a\u{301}'")
    }
}
