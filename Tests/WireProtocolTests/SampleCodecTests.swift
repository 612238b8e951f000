import Testing
import WireProtocol

@Suite("Fixed point")
struct SampleCodecTests {
    private func afterTravel(_ sample: Sample, _ declaration: StreamDeclaration = .everything) throws -> Sample {
        try #require(
            try Payload.samples(in: payload { $0.writeStream(of: declaration, [(0, sample)]) }, declaration).first
        ).sample
    }

    private func sample(_ acceleration: SIMD3<Float>, attitude: SIMD4<Float> = SIMD4(1, 0, 0, 0)) -> Sample {
        Sample(
            sampledAt: DeviceTime(nanoseconds: 0), measures: .known, acceleration: acceleration,
            rotationRate: acceleration, attitude: attitude, battery: 250, submersion: Submersion(.submerged, depth: 3))
    }

    @Test("A reading beyond the range is clipped to it, however far beyond it lies")
    func clipping() throws {
        for beyond in [Float(40.1), 1e6, .greatestFiniteMagnitude, .infinity] {
            let received = try afterTravel(sample(SIMD3(beyond, -beyond, 0)))
            #expect(abs(received.acceleration.x - 40) < 1e-3)
            #expect(abs(received.acceleration.y + 40) < 1e-3)
            #expect(abs(received.rotationRate.x - 20) < 1e-3)
            #expect(abs(received.rotationRate.y + 20) < 1e-3)
        }
    }

    @Test("What is no number becomes 0, and can be asked about before")
    func notANumber() throws {
        let codec = SampleCodec(.everything)
        let bad = sample(SIMD3(.nan, 1, .signalingNaN))
        #expect(!codec.canEncode(bad))
        #expect(!codec.canEncode(sample(SIMD3(.infinity, 0, 0))))
        #expect(codec.canEncode(sample(SIMD3(1e6, 0, 0))))
        let received = try afterTravel(bad)
        #expect(received.acceleration.x == 0)
        #expect(received.acceleration.z == 0)
    }

    @Test("A quaternion that is far from a unit is not sent, and one next to zero is not taken")
    func attitude() throws {
        let codec = SampleCodec(.everything)
        #expect(!codec.canEncode(sample(.zero, attitude: .zero)))
        #expect(!codec.canEncode(sample(.zero, attitude: SIMD4(.nan, 0, 0, 0))))
        #expect(!codec.canEncode(sample(.zero, attitude: SIMD4(2, 0, 0, 0))))
        #expect(codec.canEncode(sample(.zero, attitude: SIMD4(0.6, 0, 0, 0))))
        #expect(throws: FrameError.malformedRun) { try self.afterTravel(self.sample(.zero, attitude: .zero)) }
        let small = try afterTravel(sample(.zero, attitude: SIMD4(0.36, 0, 0, 0)))
        #expect(abs(small.attitude[0] - 0.36) < 1e-4)
    }

    @Test("Whatever an unchecked declaration says of its ranges, nothing traps")
    func absurdRanges() throws {
        for range in [0, -1, .nan, .infinity, 1e-300, 1e300] {
            let absurd = StreamDeclaration(measures: .known, accelerationRange: range, rotationRange: range)
            #expect(absurd.problem != nil)
            _ = try afterTravel(sample(SIMD3(1, -1, 0)), absurd)
        }
    }

    @Test("A battery holds at most 100 percent")
    func battery() throws {
        #expect(try afterTravel(sample(.zero)).battery == 100)
    }

    @Test("Depths, pressures and temperatures come out as they went in, or at the end of their range; none stays none")
    func submersion() throws {
        func travelled(_ reading: Submersion) throws -> Submersion {
            var sample = sample(.zero)
            sample.submersion = reading
            return try afterTravel(sample).submersion
        }
        let reading = try travelled(
            Submersion(
                .submerged, depth: 1.234, depthUncertainty: 0.05, pressure: 113.42, surfacePressure: 101.3,
                temperature: -1.5, temperatureUncertainty: 0.25))
        #expect(reading.condition == .submerged && reading.depth == 1.23 && reading.depthUncertainty == 0.05)
        #expect(reading.pressure == 113.4 && reading.surfacePressure == 101.3)
        #expect(reading.temperature == -1.5 && reading.temperatureUncertainty == 0.25)
        #expect(try travelled(Submersion()) == Submersion())
        for none in [Double.nan, .infinity, -.infinity] {
            let reading = Submersion(.unknown, depth: none, depthUncertainty: none, pressure: none, temperature: none)
            #expect(reading == Submersion())
        }
        let far = try travelled(Submersion(.pastMaxDepth, depth: -1e300, depthUncertainty: 1e300, pressure: -4))
        #expect(far.depth == -327.67 && far.depthUncertainty == 655.34 && far.pressure == 0)
        for condition in Submersion.Condition.allCases {
            #expect(try travelled(Submersion(condition)).condition == condition)
        }
    }

    @Test("Every set of measures has its own size, and makes the trip", arguments: UInt8(0)...63)
    func everySet(measures: UInt8) throws {
        let declaration = StreamDeclaration(measures: Sample.Measures(rawValue: measures))
        var sent = sample(SIMD3(1, 2, 3), attitude: SIMD4(0.5, 0.5, 0.5, 0.5))
        sent.measures = declaration.measures
        let sizes = [6, 6, 8, 2, 1, 13]
        let parts = (0..<6).filter { measures >> $0 & 1 == 1 }
        #expect(SampleCodec(declaration).size == 3 + parts.map { sizes[$0] }.reduce(0, +))
        let received = try afterTravel(sent, declaration)
        #expect(received.measures == declaration.measures)
        #expect(received.measures.contains(.battery) == (received.battery == 100))
        #expect(received.measures.contains(.submersion) == (received.submersion == sent.submersion))
        #expect(received.measures.contains(.acceleration) == (received.acceleration != .zero))
    }
}
