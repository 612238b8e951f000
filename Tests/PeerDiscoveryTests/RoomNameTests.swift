import PeerDiscovery
import Testing

@Suite("A room's name")
struct RoomNameTests {
    @Test(
        "Spaces, quotes, dots, emoji and 63 bytes are welcome",
        arguments: ["Living Room", "\"It's\" 7½ o'clock", "a.b.c", "👩‍👩‍👧 🏴󠁧󠁢󠁳󠁣󠁴󠁿", String(repeating: "é", count: 31) + "x"])
    func welcome(_ name: String) throws {
        #expect(try RoomName(name).text == name)
    }

    @Test(
        "What is no DNS-SD name, could fool a terminal or could crash a neighbour's daemon is refused",
        arguments: [
            ("", .blank), (" \u{3000}", .blank), (String(repeating: "x", count: 64), .tooLong),
            (String(repeating: "é", count: 32), .tooLong), ("a\0b", .controlCharacter),
            ("\u{1b}[31mred", .controlCharacter), ("a\u{85}b", .controlCharacter), ("a\u{202e}b", .controlCharacter),
            ("a\u{2028}b", .controlCharacter), ("A\\.B", .backslash),
        ] as [(String, RoomNameError.Code)])
    func refused(_ name: String, _ code: RoomNameError.Code) {
        let error = #expect(throws: RoomNameError.self) { try RoomName(name) }
        #expect(error?.code == code)
        #expect(error?.description.unicodeScalars.allSatisfy { $0.value >= 32 } == true)
    }

    @Test("A forged name is shown with its weapons made visible, and is otherwise left alone")
    func displayed() {
        #expect("\u{1b}[2JRoom\u{7}\u{202e}".displayed == "\\u{1b}[2JRoom\\u{7}\\u{202e}")
        #expect("Wohnzimmer 🎮 👩‍👩‍👧".displayed == "Wohnzimmer 🎮 👩‍👩‍👧")
    }
}
