/// A room's stable identity: 128 random bits that its host made once and keeps, whatever the room is called.
public struct RoomID: Hashable, Sendable {
    /// 16 bytes.
    public let bytes: [UInt8]

    /// `nil` unless there are 16 bytes.
    public init?(bytes: some Sequence<UInt8>) {
        self.bytes = Array(bytes)
        guard self.bytes.count == 16 else { return nil }
    }

    package init(drawing generator: inout some RandomNumberGenerator) {
        bytes = (0..<16).map { _ in generator.next() }
    }
}

extension RoomID: Comparable, LosslessStringConvertible {
    /// 32 lowercase hexadecimal digits.
    public var description: String { Hexadecimal.encode(bytes) }

    /// `nil` unless these are 32 hexadecimal digits.
    public init?(_ text: String) {
        guard text.utf8.count == 32, let bytes = Hexadecimal.decode(text) else { return nil }
        self.init(bytes: bytes)
    }

    public static func < (a: RoomID, b: RoomID) -> Bool { a.bytes.lexicographicallyPrecedes(b.bytes) }
}
