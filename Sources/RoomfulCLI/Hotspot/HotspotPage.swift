import WireProtocol

/// A hotspot that is open, for who stands before the machine's terminal.
struct HotspotPage: Sendable {
    var access: WiFiAccess
    var device: String
    /// This machine's, in the hotspot.
    var address: String?
    /// How its room is joined; `nil` where none is open.
    var poster: RoomPoster?
    /// What is typed to open one.
    var next: String

    /// For programs.
    struct Record: Encodable {
        var ssid: String
        var password: String
        var interface: String
        var address: String?
        /// What the Wi-Fi's QR code holds.
        var wifi: String
        var room: String?
        /// What the room's QR code holds.
        var url: String?
        var code: String?
    }

    var record: Record {
        Record(
            ssid: access.ssid, password: access.password, interface: device, address: address, wifi: access.code,
            room: poster?.room, url: poster?.link, code: poster?.code)
    }

    /// The codes, as they stand on a terminal or in a pipe: that of the Wi-Fi first.
    func codes(columns: Int, isOnTerminal: Bool) -> String {
        let pictures = [access.code, poster?.link].compactMap { $0 }.compactMap { LinkPicture($0) }
        return Self.beside(pictures, columns: columns, isOnTerminal: isOnTerminal)
    }

    var text: String {
        let at = address.map { ", where this machine is \($0)" } ?? ""
        var lines = ["1. Wi-Fi \"\(TerminalText.isolated(access.ssid))\", password \(access.password) (\(device)\(at))"]
        if let poster {
            let code = poster.code.map { ", code \($0)" } ?? ""
            lines.append("2. room \"\(TerminalText.isolated(poster.room))\" at \(poster.address)\(code)")
            if let warning = poster.warning { lines.append("   \(warning)") }
        } else {
            lines.append("2. no room of yours is open here yet; in another terminal:  \(next)")
            lines.append("   The QR code of one that was open already:  roomful qr")
        }
        return (lines + ["Ctrl-C takes the hotspot down."]).joined(separator: "\n")
    }

    /// Codes side by side where they fit, else below one another; one that fits nowhere is left out.
    static func beside(_ pictures: [LinkPicture], columns: Int, isOnTerminal: Bool) -> String {
        let gap = "  "
        let width = pictures.reduce(0) { $0 + $1.columns } + gap.count * max(0, pictures.count - 1)
        let drawn = { (picture: LinkPicture) in isOnTerminal ? picture.onTerminal : picture.plain }
        guard width <= columns else {
            return pictures.filter { $0.columns <= columns }.map(drawn).joined(separator: "\n")
        }
        let sides = pictures.map {
            (lines: drawn($0).split(separator: "\n"), blank: String(repeating: " ", count: $0.columns))
        }
        let height = sides.map { $0.lines.count }.max() ?? 0
        return (0..<height).map { row in
            sides.map { row < $0.lines.count ? String($0.lines[row]) : $0.blank }.joined(separator: gap) + "\n"
        }.joined()
    }
}
