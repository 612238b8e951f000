import Roomful
import WireProtocol

/// What a phone needs to get into a Wi-Fi network of our own.
struct WiFiAccess: Hashable, Sendable {
    /// 1 to 32 bytes of UTF-8 (IEEE 802.11, 9.4.2.2).
    let ssid: String
    /// 8 to 63 of the printable characters of ASCII (IEEE 802.11, J.4.1).
    let password: String

    private static let mostBytes = 32

    /// - Parameters:
    ///   - ssid: what somebody asked for; `nil` takes the room's name, or as many of its characters as fit.
    ///   - password: `nil` makes one.
    /// - Throws: ``RoomError`` with code `badOption`.
    init(ssid: String?, room: String?, password: String?) throws(RoomError) {
        if let ssid {
            guard !ssid.isEmpty, ssid.utf8.count <= Self.mostBytes, ssid.unicodeScalars.allSatisfy(isPrintable) else {
                throw RoomError(.badOption, "--ssid takes 1 to \(Self.mostBytes) bytes without control characters")
            }
            self.ssid = ssid
        } else {
            let name = spoken(room ?? "", atMost: Self.mostBytes)
            self.ssid = name.isEmpty ? "Roomful" : name
        }
        if let password {
            // What stands at its ends is not seen by who types it, and nmcli takes it away.
            guard (8...63).contains(password.utf8.count), password.utf8.allSatisfy({ (0x20...0x7E).contains($0) }),
                password.first != " ", password.last != " "
            else {
                throw RoomError(
                    .badOption, "a password of Wi-Fi has 8 to 63 characters of ASCII, and no space at its ends")
            }
            self.password = password
        } else {
            self.password = Self.madePassword()
        }
    }

    /// What a password is made of: small letters and digits that nobody takes for one another; 5 bits each.
    static let letters = Array("abcdefghijkmnpqrstuvwxyz23456789")

    /// 60 bits: `k7mq-2x9d-w4tz`.
    private static func madePassword() -> String {
        var generator = SystemRandomNumberGenerator()
        let groups = (0..<3).map { _ in
            String((0..<4).map { _ in letters[Int.random(in: 0..<letters.count, using: &generator)] })
        }
        return groups.joined(separator: "-")
    }

    /// What a phone's camera reads, as ZXing laid it down ("Barcode Contents", Wi-Fi Network config).
    var code: String { "WIFI:T:WPA;S:\(Self.escaped(ssid));P:\(Self.escaped(password));;" }

    /// Sign by sign: one that an accent joins is another character to us, and the same sign to a phone.
    private static func escaped(_ text: String) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if "\\;,:\"".unicodeScalars.contains(scalar) { escaped.append("\\") }
            escaped.append(scalar)
        }
        return String(escaped)
    }
}
