/// Turns samples into fixed-point fields and back, within the ranges that a stream declared.
///
/// A sample's time is a whole number of microseconds; an axis is a signed 16-bit fraction of its full scale, so a
/// reading beyond the range is clipped to it, and no bytes can spell a NaN or an infinity. An attitude whose norm is
/// below about 0.35 says nothing: its block is refused (``StreamBlock``), so a reader may always normalise.
public struct SampleCodec: Hashable, Sendable {
    /// What each sample has fields for: what the stream declared.
    public let measures: Sample.Measures
    private let accelerationStep: Float
    private let rotationStep: Float

    /// The codec of one stream; a step of an axis is its declared range divided by 32,767.
    public init(_ declaration: StreamDeclaration) {
        measures = declaration.measures
        accelerationStep = Float(declaration.accelerationRange) / 32_767
        rotationStep = Float(declaration.rotationRange) / 32_767
    }

    /// Bytes of one sample on the wire, its time included.
    public var size: Int { Self.size(of: measures) }

    static func size(of measures: Sample.Measures) -> Int {
        var size = 3
        if measures.contains(.acceleration) { size += 6 }
        if measures.contains(.rotationRate) { size += 6 }
        if measures.contains(.attitude) { size += 8 }
        if measures.contains(.buttons) { size += 2 }
        if measures.contains(.battery) { size += 1 }
        if measures.contains(.submersion) { size += Submersion.size }
        return size
    }

    /// Whether a sample can be sent at all. (Out of range is clipped, as a sensor clips.)
    public func canEncode(_ sample: Sample) -> Bool { isFinite(sample) && hasUnitAttitude(sample) }

    /// Whether all that is measured is a finite number.
    package func isFinite(_ sample: Sample) -> Bool {
        func areFinite(_ v: SIMD3<Float>) -> Bool { v.x.isFinite && v.y.isFinite && v.z.isFinite }
        let q = sample.attitude
        return (!measures.contains(.acceleration) || areFinite(sample.acceleration))
            && (!measures.contains(.rotationRate) || areFinite(sample.rotationRate))
            && (!measures.contains(.attitude) || (q.x.isFinite && q.y.isFinite && q.z.isFinite && q.w.isFinite))
    }

    /// Whether the attitude, if it is measured, is near enough to a unit quaternion to be one: a norm of 0.5 to 1.5.
    package func hasUnitAttitude(_ sample: Sample) -> Bool {
        guard measures.contains(.attitude) else { return true }
        let squares = (sample.attitude * sample.attitude).sum()
        return squares > 0.25 && squares < 2.25
    }

    func write(_ sample: Sample, microsecondsIntoRun: UInt32, to writer: inout ByteWriter) {
        writer.write24(microsecondsIntoRun)
        if measures.contains(.acceleration) { write(sample.acceleration / accelerationStep, to: &writer) }
        if measures.contains(.rotationRate) { write(sample.rotationRate / rotationStep, to: &writer) }
        if measures.contains(.attitude) {
            for axis in 0..<4 { writer.write(fixed(sample.attitude[axis] * 32_767)) }
        }
        if measures.contains(.buttons) { writer.write(sample.buttons) }
        if measures.contains(.battery) { writer.write(sample.battery) }
        if measures.contains(.submersion) { sample.submersion.write(to: &writer) }
    }

    func read(from reader: inout ByteReader, runStartsAt start: Int64) throws(FrameError) -> Sample {
        let delta = Int64(try reader.read24())
        let microseconds = start.saturatingAdd(delta)
        let (nanoseconds, overflow) = microseconds.multipliedReportingOverflow(by: 1_000)
        var sample = Sample(
            sampledAt: DeviceTime(nanoseconds: overflow ? (microseconds < 0 ? .min : .max) : nanoseconds),
            measures: measures)
        if measures.contains(.acceleration) { sample.acceleration = try readAxes(&reader) * accelerationStep }
        if measures.contains(.rotationRate) { sample.rotationRate = try readAxes(&reader) * rotationStep }
        if measures.contains(.attitude) {
            sample.attitude =
                SIMD4(try readFixed(&reader), try readFixed(&reader), try readFixed(&reader), try readFixed(&reader))
                / 32_767
        }
        if measures.contains(.buttons) { sample.buttons = try reader.read() }
        if measures.contains(.battery) { sample.battery = min(100, try reader.read()) }
        if measures.contains(.submersion) { sample.submersion = try Submersion(from: &reader) }
        return sample
    }

    /// Whether the rest of a sample (what follows its time) holds an attitude that can be normalised, if any.
    static func isSound(_ bytes: UnsafeRawBufferPointer.SubSequence, _ measures: Sample.Measures) -> Bool {
        guard measures.contains(.attitude) else { return true }
        let axesBefore = measures.intersection([.acceleration, .rotationRate]).rawValue.nonzeroBitCount
        var reader = ByteReader(bytes.dropFirst(6 * axesBefore))
        var squares: Int64 = 0
        for _ in 0..<4 {
            guard let part = try? reader.read(Int16.self) else { return false }
            squares += Int64(part) * Int64(part)
        }
        return squares >= leastSquaredNorm
    }

    private func write(_ steps: SIMD3<Float>, to writer: inout ByteWriter) {
        writer.write(fixed(steps.x))
        writer.write(fixed(steps.y))
        writer.write(fixed(steps.z))
    }

    @inline(__always)
    private func fixed(_ steps: Float) -> Int16 {
        guard !steps.isNaN else { return 0 }
        return Int16(max(-32_767, min(32_767, steps.rounded(.toNearestOrEven))))
    }

    @inline(__always)
    private func readAxes(_ reader: inout ByteReader) throws(FrameError) -> SIMD3<Float> {
        SIMD3(try readFixed(&reader), try readFixed(&reader), try readFixed(&reader))
    }

    /// Full scale is 32,767 both ways; -32,768 is read as -32,767.
    @inline(__always)
    private func readFixed(_ reader: inout ByteReader) throws(FrameError) -> Float {
        Float(max(-32_767, try reader.read(Int16.self)))
    }
}

/// The least sum of the squares of an attitude's four fields: a norm of 0.354 of full scale.
private let leastSquaredNorm: Int64 = 1 << 27
