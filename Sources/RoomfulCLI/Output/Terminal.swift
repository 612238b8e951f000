import ArgumentParser
import Dispatch
import Foundation
import Identity
import WireProtocol

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

    /// Prints a line, or some, at once, also into a pipe. Whoever wrote what stands in it moves no terminal: it has no escapes.
    static func print(_ lines: String) { write(still(lines) + "\n") }

    /// Prints a code, which is ours: where people look, with the escapes that make it black on white.
    static func print(_ picture: LinkPicture) { write((isInteractive ? picture.onTerminal : picture.plain) + "\n") }

    /// The text without what moves a terminal or reorders what stands around it; lines, tabs and our own isolates stay.
    static func still(_ text: String) -> String {
        var kept = String.UnicodeScalarView()
        kept.append(
            contentsOf: text.unicodeScalars.filter {
                $0 == "\n" || $0 == "\t" || isPrintable($0) || (0x2066...0x2069).contains($0.value)
            })
        return String(kept)
    }

    /// A reader that has seen enough (`| head`) ends the program, and is no error; a disk that is full ends it, and is one.
    private static func write(_ text: String) {
        var left = Array(text.utf8)[...]
        while !left.isEmpty {
            let count = left.withUnsafeBytes { Foundation.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count > 0 {
                left = left.dropFirst(count)
                continue
            }
            switch errno {
            case EINTR: continue
            case EAGAIN:
                // Somebody else made the pipe one that does not wait.
                var watch = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
                poll(&watch, 1, -1)
            // Who says goodbye at its end shall come to that.
            case EPIPE where EndSignals.areAwaited: return EndSignals.raise()
            case EPIPE: exit(0)
            // The terminal was closed, which is a signal by itself.
            case EIO where EndSignals.areAwaited: return
            case let problem:
                Failure.say("standard output cannot be written: \(String(cString: strerror(problem)))")
                exit(Failure.refused.rawValue)
            }
        }
    }

    /// Ticks at once, whenever the terminal's size changes (SIGWINCH), and every so often.
    static func resizes(orEvery pause: Duration) -> AsyncStream<Void> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { ticks in
            // Dispatch sources may be cancelled from any thread; their protocols only do not say so.
            nonisolated(unsafe) let signals = DispatchSource.makeSignalSource(signal: SIGWINCH, queue: .global())
            signals.setEventHandler { ticks.yield() }
            signals.activate()
            nonisolated(unsafe) let timer = DispatchSource.makeTimerSource(queue: .global())
            timer.schedule(deadline: .now(), repeating: .milliseconds(Int(pause / .milliseconds(1))))
            timer.setEventHandler { ticks.yield() }
            timer.activate()
            ticks.onTermination = { _ in
                signals.cancel()
                timer.cancel()
            }
        }
    }

    /// Shows text in place of what was shown last; what stands in it moves no terminal.
    static func redraw(_ text: String) { write(drawing(still(text))) }

    /// What shows text in place of what was shown last: each line is written over and cleared behind, so nothing flickers.
    static func drawing(_ text: String) -> String {
        "\u{1B}[H" + text.replacingOccurrences(of: "\n", with: "\u{1B}[K\n") + "\u{1B}[K\u{1B}[J"
    }

    static func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // A figure that is none must not cost all others.
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}
