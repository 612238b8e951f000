/// One reading as KeepCalm's controller frames it, alone in a datagram of 36 bytes: neither numbered nor sealed.
///
/// ```
/// 0              8       12      16      20      24      28      32      36
/// | time, u64 ms |  a.x  |  a.y  |  a.z  |  w.x  |  w.y  |  w.z  | CRC-32 |      all big-endian
/// ```
/// The paper gives sizes only; byte order, checksum and units are our reading: `Documentation/WIRE-FORMAT.md`, 14.
package struct LegacyFrame: Hashable, Sendable {
    /// Bytes in a frame; a datagram holds exactly one.
    package static let size = 36
    /// Milliseconds that still fit ``DeviceTime``: the year 2262, counted as Unix does.
    package static let latest = UInt64(Int64.max / 1_000_000)

    /// On the sender's own clock; rises from frame to frame.
    package var milliseconds: UInt64
    /// Gravity and user acceleration together, in g, with CoreMotion's sign: at rest, face up, z reads -1.
    package var acceleration: SIMD3<Float>
    /// rad/s about x, y, z.
    package var rotationRate: SIMD3<Float>

    package init(milliseconds: UInt64, acceleration: SIMD3<Float>, rotationRate: SIMD3<Float>) {
        self.milliseconds = milliseconds
        self.acceleration = acceleration
        self.rotationRate = rotationRate
    }

    /// Reads a datagram. Whatever is not exactly one sound frame of finite numbers is refused.
    package init(reading datagram: UnsafeRawBufferPointer) throws(FrameError) {
        guard datagram.count >= Self.size else { throw .truncated }
        guard datagram.count == Self.size else { throw .oversized }
        var reader = ByteReader(datagram)
        milliseconds = try reader.read()
        acceleration = try reader.readAxes()
        rotationRate = try reader.readAxes()
        let checksum: UInt32 = try reader.read()
        let content = UnsafeRawBufferPointer(rebasing: datagram[..<(Self.size - 4)])
        guard checksum == CRC32.checksum(of: content) else { throw .wrongChecksum }
        guard milliseconds <= Self.latest, acceleration.isFinite, rotationRate.isFinite else { throw .malformedBlock }
    }

    /// Writes the frame; the writer has room for ``size`` bytes.
    package func write(to writer: inout ByteWriter) {
        writer.write(milliseconds)
        for axis in 0..<3 { writer.write(acceleration[axis].bitPattern) }
        for axis in 0..<3 { writer.write(rotationRate[axis].bitPattern) }
        writer.write(CRC32.checksum(of: writer.written.suffix(Self.size - 4)))
    }

    /// The streams of such a source, as a joining controller would declare them. The paper's goes at 10 to 200 Hz.
    package static let declaration = StreamDeclaration(measures: [.acceleration, .rotationRate], nominalRate: 100)

    /// The reading in our units and signs, clipped to the declared ranges as the wire's fixed point clips.
    package var sample: Sample {
        let range = Self.declaration
        let force = acceleration * Float(-standardGravity)
        return Sample(
            sampledAt: DeviceTime(nanoseconds: Int64(milliseconds) * 1_000_000),
            acceleration: force.clamped(to: Float(range.accelerationRange)),
            rotationRate: rotationRate.clamped(to: Float(range.rotationRange)))
    }
}

extension ByteReader {
    fileprivate mutating func readAxes() throws(FrameError) -> SIMD3<Float> {
        var axes = SIMD3<Float>.zero
        for axis in 0..<3 { axes[axis] = Float(bitPattern: try read()) }
        return axes
    }
}

extension SIMD3<Float> {
    fileprivate var isFinite: Bool { x.isFinite && y.isFinite && z.isFinite }
    fileprivate func clamped(to limit: Float) -> Self {
        clamped(lowerBound: SIMD3(repeating: -limit), upperBound: SIMD3(repeating: limit))
    }
}
