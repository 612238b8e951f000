import Identity
import SiteRecords
import Testing
import WireProtocol

@testable import RecordingExports
@testable import RoomfulCLI

@Suite("A sign that an accent joins is another character to Swift, and the same sign to whoever reads the bytes")
struct JoinedSignTests {
    private static let joined = "a\"\u{301}<\u{301}\\\u{301}'\u{200D}&\u{301}b"

    /// Whether every one of these bytes stands behind a backslash.
    private func isEscaped(_ text: String, _ sign: UInt8) -> Bool {
        var isBehindBackslash = false
        for byte in text.utf8 {
            guard !isBehindBackslash else {
                isBehindBackslash = false
                continue
            }
            isBehindBackslash = byte == UInt8(ascii: "\\")
            if byte == sign { return false }
        }
        return true
    }

    @Test("In a report, and in XDF")
    func markup() {
        let escaped = escapedForXML(Self.joined)
        #expect(escaped.utf8.allSatisfy { ![UInt8(ascii: "\""), UInt8(ascii: "<")].contains($0) })
        #expect(escaped.utf8.starts(with: "a&quot;\u{301}&lt;".utf8))
    }

    @Test("In a broker's configuration")
    func configuration() throws {
        let configuration = SiteConfiguration(
            site: .usual, listen: "127.0.0.1:4222", store: Self.joined, certificate: nil,
            passwords: [:])
        let line = try #require(configuration.text.split(separator: "\n").first { $0.contains("store_dir") })
        let value = try #require(line.utf8.firstIndex(of: UInt8(ascii: "\"")))
        let text = String(decoding: line.utf8[value...].dropFirst().dropLast(), as: UTF8.self)
        #expect(isEscaped(text, UInt8(ascii: "\"")), "\(line)")
    }

    @Test("In a command that is to be pasted")
    func command() {
        let word = shellWord("a'\u{301}$(touch x)'b")
        #expect(word.utf8.elementsEqual("'a'\\''\u{301}$(touch x)'\\''b'".utf8), "\(word)")
    }
}
