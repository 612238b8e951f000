import Foundation
import RoomDoctor
import Roomful

/// What waiting for a phone looks like on a terminal, and in a pipe.
enum PhonePage {
    /// The QR code, and the address in letters.
    static func showInvitation(_ url: String, _ others: [String]) {
        if let picture = LinkPicture(url), picture.columns <= Terminal.size?.columns ?? .max {
            Terminal.print(picture)
        }
        Terminal.print("Scan this with a phone in the same network, or open on it:  \(url)")
        if !others.isEmpty { Terminal.print("This machine's other addresses: \(others.joined(separator: "  "))") }
    }

    /// In place, on a terminal only.
    static func showCountdown(_ left: Duration, tcp: Int, udp: Int) {
        guard Terminal.isInteractive else { return }
        let seconds = Int((left / .seconds(1)).rounded(.up))
        let (tcp, udp) = (tcp == 0 ? "-" : "\(tcp)", udp == 0 ? "-" : "\(udp)")
        Failure.write("\r\u{1B}[K\(seconds) s left   TCP: \(tcp)   UDP: \(udp)")
    }

    static func endCountdown() {
        if Terminal.isInteractive { Failure.write("\r\u{1B}[K") }
    }

    static func text(_ report: PhoneReport, columns: Int?) -> String {
        let width = max(50, min(columns ?? 100, 100))
        var lines = TerminalText.wrapped(report.found, to: width)
        for advice in report.advice {
            let parts = TerminalText.wrapped(advice, to: width - 2)
            lines += zip(parts.indices, parts).map { ($0 == 0 ? "> " : "  ") + $1 }
        }
        return lines.joined(separator: "\n")
    }
}
