/// A controller's stable identity: 128 random bits that it made once and keeps.
public struct ControllerID: Hashable, Comparable, Sendable {
    /// The first 64 bits, as they are written in hexadecimal.
    public var high: UInt64
    /// The last 64 bits.
    public var low: UInt64

    /// The identity whose 32 hexadecimal digits spell `high`, then `low`.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    public static func < (a: ControllerID, b: ControllerID) -> Bool { (a.high, a.low) < (b.high, b.low) }
}

extension ControllerID: LosslessStringConvertible {
    /// 32 lowercase hexadecimal digits.
    public var description: String { high.paddedHex + low.paddedHex }

    public init?(_ text: String) {
        let digits = Array(text.utf8)
        guard digits.count == 32, digits.allSatisfy({ hexDigits.contains($0) }),
            let high = UInt64(text.prefix(16), radix: 16), let low = UInt64(text.suffix(16), radix: 16)
        else { return nil }
        self.init(high: high, low: low)
    }
}

private let hexDigits = Set("0123456789abcdefABCDEF".utf8)

extension UInt64 {
    /// 16 lowercase hexadecimal digits.
    package var paddedHex: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

/// Where a peer stands in the host's table: small, dense, reused only after the peer's seat was released.
public typealias PeerIndex = Int

/// A player's number as people say it: 1 is "P1".
public typealias PlayerNumber = Int

/// One sensor of one peer.
public struct StreamKey: Hashable, Comparable, Sendable {
    /// The peer that has the sensor.
    public var peer: PeerIndex
    /// The sensor's number among the peer's own.
    public var stream: StreamID

    /// The sensor that this peer declared under this number.
    public init(peer: PeerIndex, stream: StreamID) {
        self.peer = peer
        self.stream = stream
    }

    public static func < (a: StreamKey, b: StreamKey) -> Bool { (a.peer, a.stream) < (b.peer, b.stream) }
}

/// One control connection, as the shell numbers them.
public struct ConversationID: Hashable, Sendable {
    /// The shell's own number, never given to two connections.
    public var rawValue: UInt64
    /// The connection that the shell gave this number.
    public init(rawValue: UInt64) { self.rawValue = rawValue }
}
