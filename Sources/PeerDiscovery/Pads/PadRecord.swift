public import WireProtocol

/// What a controller that waits to be called says of itself: the TXT record of `_roomful-pad._tcp`.
///
/// Anybody can say anything in it. Who the controller is shows when it joins.
public struct PadRecord: Sendable, Hashable {
    /// The controller's identity, 32 hexadecimal digits.
    public let id: String
    /// Of the offers and control messages that it speaks.
    public var protocolVersion: UInt16?
    /// SHA-256 of the key that it shows at its port, 32 bytes.
    public var pin: Pin?
    /// Whether it can vibrate, flash or sound.
    public var hasHaptics: Bool

    /// Nil unless the id has 32 hexadecimal digits.
    public init?(id: String, protocolVersion: UInt16? = nil, pin: Pin? = nil, hasHaptics: Bool = false) {
        guard let bytes = RoomID(id) else { return nil }
        self.id = bytes.description
        self.protocolVersion = protocolVersion
        self.pin = pin
        self.hasHaptics = hasHaptics
    }

    /// The record as `key=value` strings, `txtvers` first; at most 150 bytes together.
    public var strings: [[UInt8]] {
        let pairs: [(key: String, value: String?)] = [
            ("txtvers", RoomRecord.layout), ("v", protocolVersion.map(String.init)), ("id", id),
            ("pin", pin?.description), ("haptics", hasHaptics ? "1" : nil),
        ]
        return pairs.compactMap { pair in pair.value.map { Array("\(pair.key)=\($0)".utf8) } }
    }

    /// Reads what some device on the network sent; nil if it is no record of a controller that waits.
    ///
    /// Of a repeated key the first counts; unknown keys are ignored, and a value that makes no sense is taken as absent
    /// (RFC 6763, 6.4).
    public init?(strings: [[UInt8]]) {
        guard strings.reduce(0, { $0 + $1.count + 1 }) <= RoomRecord.maximumBytes else { return nil }
        var id: String?
        var version: String?
        var layout: String?
        var pin: String?
        var haptics: String?
        for string in strings {
            guard let equals = string.firstIndex(of: UInt8(ascii: "=")),
                let key = String(validating: string[..<equals], as: UTF8.self)?.lowercased(),
                let value = String(validating: string[(equals + 1)...], as: UTF8.self)
            else { continue }
            switch key {
            case "txtvers": layout = layout ?? value
            case "v": version = version ?? value
            case "id": id = id ?? value
            case "pin": pin = pin ?? value
            case "haptics": haptics = haptics ?? value
            default: continue
            }
        }
        guard layout ?? RoomRecord.layout == RoomRecord.layout, let id else { return nil }
        self.init(
            id: id, protocolVersion: version.flatMap { UInt16($0) }, pin: pin.flatMap { Pin(announced: $0) },
            hasHaptics: haptics == "1")
    }
}
