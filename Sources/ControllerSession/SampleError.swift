public import WireProtocol

/// Why a sample was not taken. The stream goes on without it, and the report counts it.
public struct SampleError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong with a sample. A struct of static members, so that codes can be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private let words: String

        /// A measured axis is NaN or infinite.
        public static let notFinite = Code(words: "has an axis that is no finite number")
        /// The attitude is far from a unit quaternion, such as 0, 0, 0, 0 of a sensor that does not know it yet.
        public static let noUnitAttitude = Code(words: "has an attitude that is no unit quaternion")
        /// Its time, in whole microseconds, is not after its predecessor's, nor a second or more before it, as when the
        /// sensor's clock was set.
        public static let notAfterPredecessor = Code(words: "is not later than the sample before")
        /// Its time lies more than a second after the clock's.
        public static let aheadOfClock = Code(words: "lies in the future of the device's clock")
        /// The controller has no seat: not yet, or not any more. What it does then is nobody's motion.
        public static let notSeated = Code(words: "was taken without a seat")
        /// No stream of that number was declared.
        public static let unknownStream = Code(words: "belongs to a stream that was not declared")

        public var description: String { words }
    }

    /// What is wrong, for programs.
    public let code: Code
    /// The stream for which the sample was meant.
    public let stream: StreamID

    public var description: String { "a sample of stream \(stream) \(code)" }
}
