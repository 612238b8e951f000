import Testing
import WireProtocol

@testable import QRCode

@Suite("QR codes on terminals and on paper")
struct RenderingTests {
    private let link =
        "https://192.168.1.5:7777/#v=1&i=AAECAwQFBgcICQoLDA0ODw&p=A5BYxvLAy0kseTO4iaUDCFkwHAnn9Qj3zYTfQRDPwZA&c=7KQM2X9D&r=Living%20Room"

    /// What a terminal would show: a character is one module wide and two high.
    private func painted(_ text: String, foreground: Bool, background: Bool) -> [UInt8] {
        let lines = text.split(separator: "\n").map {
            Array($0.replacing("\u{1B}[38;5;16;48;5;231m", with: "").replacing("\u{1B}[0m", with: ""))
        }
        let margin = 3
        let width = (lines.map(\.count).max() ?? 0) + margin * 2
        return picture(width: width, height: (lines.count + margin) * 2) { x, y in
            let (line, column) = (y / 2 - 1, x - margin)
            guard lines.indices.contains(line), lines[line].indices.contains(column) else { return background }
            switch lines[line][column] {
            case "█": return foreground
            case "▀": return y % 2 == 0 ? foreground : background
            case "▄": return y % 2 == 1 ? foreground : background
            default: return background
            }
        }
    }

    @Test("With colours of its own a code is read on dark and on light terminals", .enabled(if: Oracles.has("zbarimg")))
    func escaped() throws {
        let code = try QRSymbol(link)
        let text = code.terminalText(.escaped)
        // Each line sets black on white and takes it back, so that the terminal's own colours have no say.
        for line in text.split(separator: "\n") {
            #expect(line.hasPrefix("\u{1B}[38;5;16;48;5;231m") && line.hasSuffix("\u{1B}[0m"))
        }
        #expect(try Oracles.read(painted(text, foreground: true, background: false)) == Array(link.utf8))
    }

    @Test(
        "Without colours a code is read where text is light on dark, and its quiet zone is drawn",
        .enabled(if: Oracles.has("zbarimg")))
    func plain() throws {
        let code = try QRSymbol(link)
        let text = code.terminalText(.none)
        #expect(!text.contains("\u{1B}"))
        #expect(try Oracles.read(painted(text, foreground: false, background: true)) == Array(link.utf8))
        let lines = text.split(separator: "\n")
        #expect(lines.count == code.terminalLines)
        #expect(lines.allSatisfy { $0.count == code.terminalColumns })
        #expect(lines.dropLast().allSatisfy { $0.hasPrefix("████") && $0.hasSuffix("████") })
    }

    @Test("The link of an ordinary room fits a terminal of 80 columns and 40 lines")
    func fits() throws {
        let code = try QRSymbol(link)
        #expect(
            code.terminalColumns <= 80 && code.terminalLines <= 40, "\(code.terminalColumns) x \(code.terminalLines)")
    }

    @Test(
        "The picture is an SVG that is read back", .enabled(if: Oracles.has("zbarimg") && Oracles.has("rsvg-convert")))
    func svg() throws {
        let svg = try QRSymbol(link).svg(label: "Join \"<Living & Room>\"")
        #expect(svg.contains("aria-label=\"Join &quot;&lt;Living &amp; Room&gt;&quot;\""))
        #expect(!svg.contains("style") && !svg.contains("script"))
        let png = try Oracles.run("rsvg-convert", ["-w", "500"], input: Array(svg.utf8))
        #expect(try Oracles.read(png) == Array(link.utf8))
    }

    @Test("What XML cannot hold is left out of it")
    func controls() {
        #expect(escapedForXML("a\u{0}b\u{1B}c\u{FFFE}d<'>") == "abcd&lt;&#39;&gt;")
    }
}
