import QRCode

/// A link as a QR code on a terminal.
struct LinkPicture {
    private let symbol: QRSymbol

    /// `nil` for what no code holds; a room's link is never that long.
    init?(_ link: String) {
        guard let symbol = try? QRSymbol(link) else { return nil }
        self.symbol = symbol
    }

    var columns: Int { symbol.terminalColumns }
    var lines: Int { symbol.terminalLines }

    /// For a terminal, black on white whatever its colours are.
    var onTerminal: String { symbol.terminalText(.escaped) }
    /// For a pipe.
    var plain: String { symbol.terminalText(.none) }
}
