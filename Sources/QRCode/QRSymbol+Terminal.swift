/// A code for a terminal: two modules in each character, by half blocks.
extension QRSymbol {
    /// How a terminal is told which is dark.
    public enum TerminalColors: Sendable {
        /// Black on white by escape sequences, whatever the terminal's own colours are: for a terminal.
        case escaped
        /// Light modules are drawn, dark ones left out: right where text is light on dark. For a pipe.
        case none
    }

    /// Columns that the code takes with its quiet zone of four modules (6.3.8).
    public var terminalColumns: Int { size + 8 }

    /// Lines that it takes.
    public var terminalLines: Int { (size + 8 + 1) / 2 }

    /// Lines of text, each ended by a line feed.
    public func terminalText(_ colors: TerminalColors = .escaped) -> String {
        // Numbers 16 and 231 of the 256 colours are black and white in every theme; 0 and 15 are whatever it likes.
        let (begin, end) = colors == .escaped ? ("\u{1B}[38;5;16;48;5;231m", "\u{1B}[0m") : ("", "")
        var text = ""
        for line in 0..<terminalLines {
            text += begin
            for x in -4..<(size + 4) {
                let y = line * 2 - 4
                // Below the last row is nothing to draw on where light modules are drawn.
                let upper = isDark(x, y)
                let lower = isDark(x, y + 1) || (colors == .none && y + 1 == size + 4)
                switch (colors == .escaped ? upper : !upper, colors == .escaped ? lower : !lower) {
                case (true, true): text += "█"
                case (true, false): text += "▀"
                case (false, true): text += "▄"
                case (false, false): text += " "
                }
            }
            text += end + "\n"
        }
        return text
    }
}
