public import WireProtocol

/// What a controller that waits to be called says of itself: the TXT record of `_roomful-pad._tcp`.
///
/// Anybody can say anything in it. Who the controller is shows when it joins.
public struct ControllerRecord: Sendable, Hashable {
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
        TXTValues.strings([
            ("txtvers", TXTValues.layout), ("v", protocolVersion.map(String.init)), ("id", id),
            ("pin", pin?.description), ("haptics", hasHaptics ? "1" : nil),
        ])
    }

    /// Reads what some device on the network sent; nil if it is no record of a controller that waits.
    ///
    /// Of a repeated key the first counts; unknown keys are ignored, and a value that makes no sense is taken as absent
    /// (RFC 6763, 6.4).
    public init?(strings: [[UInt8]]) {
        guard let values = try? TXTValues(strings, of: ["v", "id", "pin", "haptics"]), let id = values["id"] else {
            return nil
        }
        self.init(
            id: id, protocolVersion: values.decimal("v"), pin: values["pin"].flatMap { Pin(announced: $0) },
            hasHaptics: values["haptics"] == "1")
    }
}
