import Identity
import QRCode
import WebFront
import WireProtocol

/// A sheet of paper (A4) for the wall: the room's name, the QR code, and what to do with a phone.
struct RoomPoster: Hashable, Sendable {
    /// The room's name.
    var room: String
    /// What the code holds.
    var link: String
    /// The code that admits, for those who cannot scan; `nil` where none is needed.
    var code: String?
    /// Whether phones will warn of a certificate that they do not know.
    var warns: Bool
    /// In whose language it speaks.
    var words: PageSentences

    init(room: String, link: String, code: String?, warns: Bool, words: PageSentences = .english) {
        self.room = room
        self.link = link
        self.code = code
        self.warns = warns
        self.words = words
    }

    /// The address that a person can type: the link without its secrets.
    var address: String { String(link.prefix { $0 != "#" }) }

    /// What keeps the sheet true, for who prints it; `nil` where the operator has said where phones reach the room, and
    /// where none does.
    var caution: String? {
        let place = String(address.dropFirst("https://".count).prefix { $0 != "/" })
        guard !link.hasSuffix("&u=1"), let host = (Ticket.Address(place) ?? Ticket.Address("\(place):443"))?.host,
            let own = PeerAddress(host: host, port: 0), !own.isLoopback
        else { return nil }
        return "the poster holds \(host), and is void once the room's machine has another address: reserve that one "
            + "for it in the router (DHCP), or open the room with --url"
    }

    /// What a phone's warning means, in one sentence; `nil` where there will be none.
    var warning: String? {
        guard warns else { return nil }
        let host = address.dropFirst("https://".count).prefix { $0 != "/" }
        return words.text("poster.warning", ["host": leftToRight(String(host))])
    }

    /// A code or an address, which is written from left to right in every language (U+2066, U+2069).
    private func leftToRight(_ text: String) -> String { words.isRightToLeft ? "\u{2066}\(text)\u{2069}" : text }

    /// The sheet, in millimetres, as SVG without script or style.
    ///
    /// - Throws: `QRSymbol.TooLong` if the link has more than 858 bytes; no room's has.
    func svg() throws -> String {
        let symbol = try QRSymbol(link)
        let side = 120.0
        let scale = side / Double(symbol.sizeWithQuietZone)
        var sheet = Sheet(isRightToLeft: words.isRightToLeft)
        sheet.y = 22
        sheet.write(room, size: 15, weight: 700, mostLines: 3, isName: true)
        sheet.y += 4
        sheet.write(words.text("lobby.scan"), size: 10)
        sheet.write(words.text("poster.phone"), size: 5)
        sheet.y += 4
        sheet.body += """
            <g transform="translate(\((Sheet.width - side) / 2) \(sheet.y)) scale(\(scale))" shape-rendering="crispEdges">\
            <path d="\(symbol.svgPath(x: 4, y: 4))"/></g>

            """
        sheet.y += side + 2
        sheet.write(words.text("poster.open"), size: 5)
        sheet.write(address, size: 7, weight: 700, isName: true)
        if let code { sheet.write(words.text("poster.code", ["code": leftToRight(code)]), size: 5) }
        sheet.y += 6
        if let warning { sheet.write(warning, size: 5) }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="210mm" height="297mm" viewBox="0 0 210 297" role="img" \
            xml:lang="\(words.language)" aria-label="\(escapedForXML(words.text("lobby.code", ["room": Sheet.isolated(room)])))">
            <rect width="210" height="297" fill="#fff"/>
            <g fill="#000" font-family="system-ui, sans-serif" text-anchor="middle"\(sheet.direction)>
            \(sheet.body)</g>
            </svg>

            """
    }
}

/// Lines of text from the top of a sheet to its bottom, centred, broken where they would not fit.
private struct Sheet {
    static let width = 210.0
    private static let margin = 15.0
    /// What begins no line (JIS X 4051): closing marks.
    private static let closing = Set("。、，．・：；？！）」』】…")

    let isRightToLeft: Bool

    /// Where the next line begins, in millimetres from the top.
    var y = 0.0
    var body = ""

    init(isRightToLeft: Bool) { self.isRightToLeft = isRightToLeft }

    /// What a reader from right to left needs on the letters' group.
    var direction: String { isRightToLeft ? " direction=\"rtl\"" : "" }

    /// - Parameter size: of the letters; made smaller where the text needs more lines than it may have.
    /// - Parameter isName: has a direction of its own, whichever way it is written.
    mutating func write(_ text: String, size: Double, weight: Int = 400, mostLines: Int = 4, isName: Bool = false) {
        var size = size
        var lines = Sheet.lines(text, size: size)
        while lines.count > mostLines, size > 3 {
            size *= 0.9
            lines = Sheet.lines(text, size: size)
        }
        for line in isName ? lines.map(Sheet.isolated) : lines {
            y += size * 1.25
            body +=
                "<text x=\"105\" y=\"\(y)\" font-size=\"\(size)\" font-weight=\"\(weight)\">\(escapedForXML(line))</text>\n"
        }
    }

    /// A name between U+2068 and U+2069 (Unicode UAX #9): it turns nothing around it.
    static func isolated(_ name: String) -> String {
        let turning: [ClosedRange<UInt32>] = [0x202A...0x202E, 0x2066...0x2069]
        let kept = name.unicodeScalars.filter { scalar in !turning.contains { $0.contains(scalar.value) } }
        return "\u{2068}\(String(String.UnicodeScalarView(kept)))\u{2069}"
    }

    private static func lines(_ text: String, size: Double) -> [String] {
        let most = width - 2 * margin
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            let longer = line.isEmpty ? String(word) : line + " " + word
            if breadth(longer) * size <= most { line = longer; continue }
            if !line.isEmpty { lines.append(line) }
            line = ""
            // A word that no line holds is broken anywhere.
            for character in word {
                if breadth(line + String(character)) * size > most, !line.isEmpty, !closing.contains(character) {
                    lines.append(line)
                    line = ""
                }
                line.append(character)
            }
        }
        return line.isEmpty ? lines : lines + [line]
    }

    /// About how wide the text is in any font, in sizes of its letters: those of East Asia and pictures are square.
    private static func breadth(_ text: String) -> Double {
        text.reduce(0) { sum, character in
            let isSquare = character.unicodeScalars.contains { $0.value >= 0x1100 && $0.value != 0x200D }
            return sum + (isSquare ? 1.1 : 0.65)
        }
    }
}
