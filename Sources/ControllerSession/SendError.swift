import WireProtocol

/// Why a message or a piece of data was not taken for sending.
public struct SendError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Why not. A struct of static members, so that codes can be added.
    public struct Code: Hashable, Sendable {
        fileprivate let words: String

        /// More bytes than a message may have.
        public static let tooLong = Code(words: "a message has at most \(WireFormat.maximumMessageSize) bytes")
        /// More channels of newest-wins data than a host follows.
        public static let tooManyChannels = Code(
            words: "a controller has at most \(WireFormat.mostChannels) channels of data")
        /// More marks than a host takes.
        public static let tooManyMarks = Code(
            words: "a controller marks one moment a second, and at most \(WireFormat.mostMarksAtOnce) at once")
        /// The host has not confirmed those before: too many wait.
        public static let tooManyWaiting = Code(words: "too many messages wait for the host's receipt")
    }

    /// Why not, for programs.
    public let code: Code

    package init(code: Code) { self.code = code }

    public var description: String { code.words }
}
