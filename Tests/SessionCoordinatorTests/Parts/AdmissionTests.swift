import Testing
import WireProtocol

@testable import SessionCoordinator

@Suite("Who is looked at: codes and names")
struct AdmissionTests {
    @Test("Ten wrong codes a minute close the gate: for 1 minute, then 2, 4, 8 and at most 16")
    func backoff() {
        var gate = AdmissionGate()
        var now = HostTime.s(0)
        for minutes in [1, 2, 4, 8, 16, 16] {
            for guess in 1...10 {
                #expect(gate.retryAfter(from: nil, now: now) == nil, "guess \(guess)")
                gate.noteFailure(from: nil, now: now)
            }
            #expect(gate.retryAfter(from: nil, now: now) == minutes * 60_000 + 1)
            now = now + .seconds(minutes * 60)
            #expect(gate.retryAfter(from: nil, now: now - .nanoseconds(1)) == 1)
            #expect(gate.retryAfter(from: nil, now: now) == nil)
        }
    }

    @Test("In an IPv6 network, which a classroom shares, ten wrong codes close an address, and fifty the network")
    func classroom() {
        var gate = AdmissionGate()
        let network: UInt64 = 0xFD00_0000_0000_0001
        func phone(_ number: UInt64) -> PeerAddress { PeerAddress(high: network, low: number, port: 40_000) }
        for phone in (1...5).map(phone) {
            #expect(gate.retryAfter(from: phone, now: .s(0)) == nil)
            for _ in 1...9 { gate.noteFailure(from: phone, now: .s(0)) }
            #expect(gate.retryAfter(from: phone, now: .s(0)) == nil)
        }
        // The same machine by another port is the same.
        gate.noteFailure(from: PeerAddress(high: network, low: 1, port: 5), now: .s(1))
        #expect(gate.retryAfter(from: phone(1), now: .s(1)) == 60_001)
        #expect(gate.retryAfter(from: phone(6), now: .s(1)) == nil)
        for other in 10...13 { gate.noteFailure(from: phone(UInt64(other)), now: .s(2)) }
        #expect(gate.retryAfter(from: phone(6), now: .s(2)) == 60_001, "fifty of one network")
        #expect(gate.retryAfter(from: PeerAddress(high: network + 1, low: 6, port: 1), now: .s(2)) == nil)
    }

    @Test("Nine a minute never close it")
    func slowGuesses() {
        var gate = AdmissionGate()
        for guess in 0..<200 {
            let now = HostTime.s(Double(guess) * 60 / 9)
            gate.noteFailure(from: nil, now: now)
            #expect(gate.retryAfter(from: nil, now: now) == nil)
        }
    }

    @Test(
        "Names lose what must not reach a terminal or a page, and keep everything else",
        arguments: [
            ("Blue", "Blue"), ("  Zoë 🦊  ", "Zoë 🦊"), ("\u{1B}[31mred\u{07}", "[31mred"), ("a\nb\r\tc\0", "abc"),
            ("abc\u{202E}def\u{2066}", "abcdef"), ("\u{9B}1mx\u{85}", "1mx"), ("👩\u{200D}🚀", "👩\u{200D}🚀"),
            ("line\u{2028}line", "lineline"), ("", ""), ("Blue  Otter", "Blue Otter"),
            ("Blue\u{A0} \u{3000}Otter", "Blue Otter"), ("\"quoted\" 'one.two'", "\"quoted\" 'one.two'"),
        ])
    func sanitised(name: String, clean: String) {
        #expect(PeerName.sanitised(name) == clean)
    }

    @Test(
        "A name that nobody would see is none: joiners, fillers, selectors, blanks",
        arguments: ["\u{200D}", "\u{3164}", "\u{2800}", "\u{034F}\u{FE0F}", "\u{A0} \u{3000}"])
    func invisible(_ name: String) { #expect(PeerName.sanitised(name) == "") }

    @Test("A name that looks like another's gets a number, whatever stands unseen in it")
    func lookalikes() {
        for twin in ["Blue\u{200D}", "Bl\u{FE0F}ue", "Blue"] {
            #expect(PeerName.unique(twin, among: ["Blue"]).hasSuffix(" 2"))
        }
        #expect(PeerName.unique("Blue\u{A0}Fox", among: ["Blue Fox"]).hasSuffix(" 2"))
        #expect(PeerName.sanitised("Blue\u{A0}") == "Blue")
        // Spaces around a sign that nobody sees; names that were kept before a run of spaces was one.
        for (twin, other) in [
            ("Blue \u{200D} Otter", "Blue Otter"), ("Blue \u{3164}", "Blue"), ("Blue Otter", "Blue  Otter"),
            ("Zoë  Fox", "Zoë Fox"),
        ] {
            #expect(PeerName.unique(twin, among: [other]).hasSuffix(" 2"), "\(twin)")
        }
        #expect(PeerName.unique("Zoë Fox", among: ["ZoëFox", "Zoë"]) == "Zoë Fox")
    }

    @Test("A name may have 63 bytes, not 64, however few letters they are")
    func length() {
        #expect(PeerName.sanitised(String(repeating: "x", count: 63)) != nil)
        #expect(PeerName.sanitised(String(repeating: "x", count: 64)) == nil)
        #expect(PeerName.sanitised(String(repeating: "🦊", count: 16)) == nil)
    }

    @Test("The second of a name gets a 2, the third a 3; and it still has at most 63 bytes")
    func numbers() {
        func unique(_ name: String, among others: [String]) -> String { PeerName.unique(name, among: others) }
        #expect(unique("Blue", among: []) == "Blue")
        #expect(unique("Blue", among: ["Blue"]) == "Blue 2")
        #expect(unique("Blue", among: ["Blue 2", "Blue"]) == "Blue 3")
        let long = String(repeating: "x", count: 63)
        let second = unique(long, among: [long])
        #expect(second == String(repeating: "x", count: 61) + " 2")
        #expect(unique(long, among: [long, second]).hasSuffix("x 3"))
        let foxes = String(repeating: "🦊", count: 15) + "abc"
        #expect(unique(foxes, among: [foxes]).utf8.count <= 63)
    }
}
