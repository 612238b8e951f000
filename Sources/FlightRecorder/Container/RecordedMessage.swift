/// A message of a recording.
public struct RecordedMessage: Hashable, Sendable {
    public var channel: UInt16
    public var sequence: UInt32
    /// ns since 1970.
    public var logTime: UInt64
    public var publishTime: UInt64
    public var data: ArraySlice<UInt8>
}

/// A place of a file that cannot be read.
public struct RecordingDamage: Hashable, Sendable, CustomStringConvertible {
    public var from: UInt64
    public var to: UInt64
    public var reason: String
    public var description: String { "bytes \(from) to \(to): \(reason)" }
}
