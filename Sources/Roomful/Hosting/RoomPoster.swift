import QRCode

/// A sheet of paper (A4) for the wall: the room's name, the QR code, and what to do with a phone.
package struct RoomPoster: Hashable, Sendable {
    /// The room's name.
    package var room: String
    /// What the code holds.
    package var link: String
    /// The code that admits, for those who cannot scan; `nil` where none is needed.
    package var code: String?
    /// Whether phones will warn of a certificate that they do not know.
    package var warns: Bool

    package init(room: String, link: String, code: String?, warns: Bool) {
        self.room = room
        self.link = link
        self.code = code
        self.warns = warns
    }

    /// The address that a person can type: the link without its secrets.
    package var address: String { String(link.prefix { $0 != "#" }) }

    /// What a phone's warning means, in one sentence; `nil` where there will be none.
    package var warning: String? {
        guard warns else { return nil }
        let host = address.dropFirst("https://".count).prefix { $0 != "/" }
        return "Your phone will say that the connection is not private, because this room made its certificate itself: "
            + "choose “Advanced” or “Show Details”, then go on to \(host)."
    }

    /// The sheet, in millimetres, as SVG without script or style.
    ///
    /// - Throws: `QRSymbol.TooLong` if the link has more than 858 bytes; no room's has.
    package func svg() throws -> String {
        let symbol = try QRSymbol(link)
        let side = 120.0
        let scale = side / Double(symbol.sizeWithQuietZone)
        var sheet = Sheet()
        sheet.y = 22
        sheet.write(room, size: 15, weight: 700, mostLines: 3)
        sheet.y += 4
        sheet.write("Scan to join", size: 10)
        sheet.y += 4
        sheet.body += """
            <g transform="translate(\((Sheet.width - side) / 2) \(sheet.y)) scale(\(scale))" shape-rendering="crispEdges">\
            <path d="\(symbol.svgPath(x: 4, y: 4))"/></g>

            """
        sheet.y += side + 2
        sheet.write("or open", size: 5)
        sheet.write(address, size: 7, weight: 700)
        if let code { sheet.write("and give the code \(code)", size: 5) }
        sheet.y += 6
        if let warning { sheet.write(warning, size: 5) }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="210mm" height="297mm" viewBox="0 0 210 297" role="img" \
            aria-label="\(escapedForXML("Scan to join \(room)"))">
            <rect width="210" height="297" fill="#fff"/>
            <g fill="#000" font-family="system-ui, sans-serif" text-anchor="middle">
            \(sheet.body)</g>
            </svg>

            """
    }
}

/// Lines of text from the top of a sheet to its bottom, centred, broken where they would not fit.
private struct Sheet {
    static let width = 210.0
    private static let margin = 15.0

    /// Where the next line begins, in millimetres from the top.
    var y = 0.0
    var body = ""

    /// - Parameter size: of the letters; made smaller where the text needs more lines than it may have.
    mutating func write(_ text: String, size: Double, weight: Int = 400, mostLines: Int = 4) {
        var size = size
        var lines = Sheet.lines(text, size: size)
        while lines.count > mostLines, size > 3 {
            size *= 0.9
            lines = Sheet.lines(text, size: size)
        }
        for line in lines {
            y += size * 1.25
            body +=
                "<text x=\"105\" y=\"\(y)\" font-size=\"\(size)\" font-weight=\"\(weight)\">\(escapedForXML(line))</text>\n"
        }
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
                if breadth(line + String(character)) * size > most, !line.isEmpty {
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
