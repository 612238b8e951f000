import Foundation

/// What a terminal can do, and what a pipe cannot.
enum Terminal {
    /// Whether people are looking.
    static let isInteractive = isatty(STDOUT_FILENO) == 1
    static let canAsk = isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1

    /// Columns and lines of the terminal; `nil` where there is none.
    static var size: (columns: Int, lines: Int)? {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// Prints a line at once, also into a pipe.
    static func print(_ line: String) {
        write(line + "\n")
    }

    /// A reader that has seen enough (`| head`) ends the program, and is no error.
    private static func write(_ text: String) {
        do {
            try FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
        } catch {
            exit(0)
        }
    }

    /// Shows text in place of what was shown last.
    static func redraw(_ text: String) {
        write("\u{1B}[H\u{1B}[J" + text)
    }

    static func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}
