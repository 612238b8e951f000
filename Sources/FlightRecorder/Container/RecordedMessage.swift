/// A message of a recording.
package struct RecordedMessage: Hashable, Sendable {
    package var channel: UInt16
    package var sequence: UInt32
    /// ns since 1970.
    package var logTime: UInt64
    package var publishTime: UInt64
    package var data: ArraySlice<UInt8>
}

/// A place of a file that cannot be read.
package struct RecordingDamage: Hashable, Sendable, CustomStringConvertible {
    package var from: UInt64
    package var to: UInt64
    package var reason: String
    package var description: String { "bytes \(from) to \(to): \(reason)" }
}
