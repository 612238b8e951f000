/// One stream's part of a datagram: how far back its sender still holds samples, and runs of samples.
///
/// Reading it checks the whole structure at once, so that a datagram is taken as a whole or not at all.
public struct StreamBlock {
    /// The number under which the controller declared the stream.
    public let stream: StreamID
    /// Counts the index bases of the stream: a new epoch begins at index 0 again.
    public let epoch: UInt8
    /// What each of the block's samples has fields for; a host ignores a block that measures other than was declared.
    public let measures: Sample.Measures
    /// The oldest index that the sender still holds; what lies below and did not arrive never will.
    public let floor: UInt32
    /// Bytes of each sample: worked out once.
    private let sampleSize: Int
    private let runBytes: UnsafeRawBufferPointer.SubSequence

    /// Consecutive samples, as they stand in the bytes.
    public struct Run {
        /// Index of the first sample.
        public let first: UInt32
        /// Samples in the run, 1 to 255.
        public let count: Int
        /// Microseconds on the device's clock from which the samples' times are counted.
        public let start: Int64
        fileprivate let bytes: UnsafeRawBufferPointer.SubSequence

        /// Calls `body` with each sample and its index, oldest first.
        ///
        /// - Parameter place: the first in the run that is wanted, 0 to ``count``: those before it are not decoded.
        public func forEach(from place: Int = 0, codec: SampleCodec, _ body: (UInt32, Sample) -> Void) {
            var reader = ByteReader(bytes.dropFirst(place * (bytes.count / count)))
            do throws(FrameError) {
                for offset in UInt32(place)..<UInt32(count) {
                    body(first + offset, try codec.read(from: &reader, runStartsAt: start))
                }
            } catch {
                // What is shorter than its codec says was refused when the block was read.
            }
        }
    }

    /// - Parameter wasChecked: whether these bytes were read before: then their structure is not checked once more.
    init(reading bytes: UnsafeRawBufferPointer.SubSequence, wasChecked: Bool) throws(FrameError) {
        var reader = ByteReader(bytes)
        stream = try reader.read()
        epoch = try reader.read()
        measures = Sample.Measures(rawValue: try reader.read())
        guard measures.isSubset(of: .known) else { throw .malformedBlock }
        floor = try reader.read()
        sampleSize = SampleCodec.size(of: measures)
        runBytes = reader.remaining
        guard !wasChecked else { return }
        while !reader.isAtEnd { try check(try Self.readRun(from: &reader, sampleSize)) }
    }

    /// The runs, in the order in which they stand.
    public var runs: Runs { Runs(reader: ByteReader(runBytes), sampleSize: sampleSize) }

    /// The block's runs one after another; all of them were checked when the block was read.
    public struct Runs: Sequence, IteratorProtocol {
        fileprivate var reader: ByteReader
        fileprivate let sampleSize: Int

        public mutating func next() -> Run? {
            reader.isAtEnd ? nil : try? StreamBlock.readRun(from: &reader, sampleSize)
        }
    }

    @inline(__always)
    private static func readRun(from reader: inout ByteReader, _ sampleSize: Int) throws(FrameError) -> Run {
        let first: UInt32 = try reader.read()
        let count: UInt8 = try reader.read()
        let start: Int64 = try reader.read()
        let bytes = try reader.readBytes(Int(count) * sampleSize)
        return Run(first: first, count: Int(count), start: start, bytes: bytes)
    }

    private func check(_ run: Run) throws(FrameError) {
        guard run.count > 0, run.first >= floor, run.first - floor < WireFormat.streamWindow,
            run.first - floor + UInt32(run.count) <= WireFormat.streamWindow,
            !run.first.addingReportingOverflow(UInt32(run.count)).overflow
        else { throw .malformedRun }
        var reader = ByteReader(run.bytes)
        var previous: UInt32?
        for _ in 0..<run.count {
            let delta = try reader.read24()
            let rest = try reader.readBytes(sampleSize - 3)
            if measures.contains(.attitude), !SampleCodec.isSound(rest, measures) { throw .malformedRun }
            if let previous, delta <= previous { throw .malformedRun }
            previous = delta
        }
    }
}

/// Packs one stream's samples into a datagram, opening a new run wherever indexes or times leave a gap.
public struct StreamBlockWriter {
    private let start: Int
    private let codec: SampleCodec
    private var countOffset: Int?
    private var nextIndex: UInt32 = 0
    private var runStart: Int64 = 0
    private var latest: Int64 = 0
    private var samplesInRun = 0

    /// Bytes of an empty block.
    public static let overhead = 10
    /// Bytes that a new run costs before its first sample.
    public static let runOverhead = 13

    /// Begins the block; `nil` when not even an empty one fits.
    public init?(stream: StreamID, epoch: UInt8, floor: UInt32, codec: SampleCodec, to writer: inout ByteWriter) {
        guard writer.room >= Self.overhead else { return nil }
        self.codec = codec
        start = writer.count
        writer.write(BlockType.stream.rawValue)
        writer.write(UInt16(0))
        writer.write(stream)
        writer.write(epoch)
        writer.write(codec.measures.rawValue)
        writer.write(floor)
    }

    /// Adds a sample; false when it does not fit any more (the block stays as it was).
    public mutating func append(_ sample: Sample, index: UInt32, to writer: inout ByteWriter) -> Bool {
        let microseconds = sample.sampledAt.nanoseconds / 1_000
        let delta = microseconds.saturatingSubtract(runStart)
        let continues =
            countOffset != nil && index == nextIndex && samplesInRun < 255 && microseconds > latest && delta < 1 << 24
        guard writer.room >= codec.size + (continues ? 0 : Self.runOverhead) else { return false }
        if !continues {
            runStart = microseconds
            samplesInRun = 0
            writer.write(index)
            countOffset = writer.count
            writer.write(UInt8(0))
            writer.write(microseconds)
        }
        codec.write(sample, microsecondsIntoRun: UInt32(microseconds - runStart), to: &writer)
        samplesInRun += 1
        latest = microseconds
        nextIndex = index &+ 1
        if let countOffset { writer.patch(UInt8(samplesInRun), at: countOffset) }
        return true
    }

    /// Writes the block's length. Nothing may be appended afterwards.
    public consuming func finish(_ writer: inout ByteWriter) {
        writer.patch(UInt16(writer.count - start - 3), at: start + 1)
    }
}
