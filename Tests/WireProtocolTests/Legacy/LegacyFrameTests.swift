import Testing
import WireProtocol

/// A frame of 36 bytes as other implementations must write and read it, or the word for why it is refused.
struct LegacyVector: Codable, Equatable {
    var name, bytes: String
    var milliseconds: String?
    /// g, with gravity, CoreMotion's sign.
    var acceleration: [Float]?
    /// rad/s.
    var rotationRate: [Float]?
    var error: String?

    init(_ name: String, _ bytes: [UInt8]) {
        self.name = name
        self.bytes = Hexadecimal.encode(bytes)
        do {
            let frame = try LegacyFrame(bytes)
            milliseconds = String(frame.milliseconds)
            acceleration = (0..<3).map { frame.acceleration[$0] }
            rotationRate = (0..<3).map { frame.rotationRate[$0] }
        } catch {
            self.error = (error as? FrameError).map { String(describing: $0) } ?? "another error"
        }
    }
}

@Suite("KeepCalm's frame of 36 bytes")
struct LegacyFrameTests {
    let frame = LegacyFrame(
        milliseconds: 123_456, acceleration: SIMD3(0, 1, -1), rotationRate: SIMD3(0.5, -0.25, 2))

    @Test("Frames are, byte for byte, those of Documentation/vectors/legacy.json, and what must be refused is")
    func vectors() throws {
        let bytes = frame.bytes
        func broken(_ milliseconds: UInt64, _ x: Float) -> [UInt8] {
            LegacyFrame(milliseconds: milliseconds, acceleration: SIMD3(x, 0, 0), rotationRate: .zero).bytes
        }
        var flipped = bytes
        flipped[20] ^= 1
        let vectors = [
            LegacyVector("jumping", bytes),
            LegacyVector("beyond-the-range", broken(1, -40)),
            LegacyVector("latest", broken(LegacyFrame.latest, 0)),
            LegacyVector("refused-empty", []),
            LegacyVector("refused-cut", Array(bytes.dropLast())),
            LegacyVector("refused-longer", bytes + [0]),
            LegacyVector("refused-checksum", flipped),
            LegacyVector("refused-too-late", broken(LegacyFrame.latest + 1, 0)),
            LegacyVector("refused-not-a-number", broken(1, .nan)),
            LegacyVector("refused-infinite", broken(1, .infinity)),
        ]
        for vector in vectors { #expect((vector.error != nil) == vector.name.hasPrefix("refused")) }
        try VectorFile(about: "KeepCalm's frames of 36 bytes. See Documentation/WIRE-FORMAT.md, 14.", vectors: vectors)
            .check(against: "legacy.json")
    }

    @Test("A frame is in g with CoreMotion's sign; a sample is specific force in m/s², clipped to its sensor's range")
    func units() throws {
        let sample = try LegacyFrame(frame.bytes).sample
        #expect(sample.acceleration == SIMD3(0, -9.80665, 9.80665))
        #expect(sample.rotationRate == SIMD3(0.5, -0.25, 2))
        #expect(sample.sampledAt == DeviceTime(nanoseconds: 123_456_000_000))
        var wild = frame
        wild.acceleration = SIMD3(-.greatestFiniteMagnitude, 0, .greatestFiniteMagnitude)
        #expect(wild.sample.acceleration == SIMD3(156.9064, 0, -156.9064))
    }

    @Test("A frame cut at any length, or with any one bit flipped, is refused")
    func damaged() {
        let bytes = frame.bytes
        for length in 0..<bytes.count { #expect(throws: FrameError.self) { try LegacyFrame(Array(bytes[..<length])) } }
        for bit in 0..<bytes.count * 8 {
            var damaged = bytes
            damaged[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(throws: FrameError.wrongChecksum) { try LegacyFrame(damaged) }
        }
    }

    @Test("Any 36 bytes are refused, or give a sample of finite numbers", arguments: 1...4)
    func anyBytes(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<2_000 {
            var wild = frame
            wild.milliseconds = random.next() >> (random.next() % 64)
            wild.acceleration = SIMD3(Float(bitPattern: UInt32(truncatingIfNeeded: random.next())), 0, 1)
            wild.rotationRate = SIMD3(0, 0, Float(bitPattern: UInt32(truncatingIfNeeded: random.next())))
            guard let read = try? LegacyFrame(wild.bytes) else { continue }
            #expect(SampleCodec(LegacyFrame.declaration).canEncode(read.sample), "seed \(seed)")
        }
    }
}

extension LegacyFrame {
    init(_ bytes: [UInt8]) throws { self = try bytes.withUnsafeBytes { try LegacyFrame(reading: $0) } }
    var bytes: [UInt8] { written { write(to: &$0) } }
}
