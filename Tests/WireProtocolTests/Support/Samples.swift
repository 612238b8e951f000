import WireProtocol

extension StreamDeclaration {
    /// A sensor that measures everything that the format knows.
    static let everything = StreamDeclaration(
        stream: 7, measures: .known, accelerationRange: 40, rotationRange: 20, nominalRate: 50)
}

extension Sample {
    /// A reading within ± 40 m/s² and ± 20 rad/s, with a unit quaternion.
    static func random(at time: DeviceTime, using generator: inout SplitMix64) -> Sample {
        func axes(_ range: ClosedRange<Float>) -> SIMD3<Float> { .random(in: range, using: &generator) }
        let turn = SIMD4<Float>.random(in: 0.1...1, using: &generator)
        return Sample(
            sampledAt: time, measures: .known, acceleration: axes(-40...40), rotationRate: axes(-20...20),
            attitude: turn / (turn * turn).sum().squareRoot(), buttons: .random(in: 0 ... .max, using: &generator),
            battery: .random(in: 0...100, using: &generator), submersion: .random(using: &generator))
    }
}

extension Submersion {
    /// A reading of which any part may be absent.
    static func random(using generator: inout SplitMix64) -> Submersion {
        func part(_ range: ClosedRange<Double>) -> Double? {
            Bool.random(using: &generator) ? .random(in: range, using: &generator) : nil
        }
        return Submersion(
            Condition.allCases.randomElement(using: &generator) ?? .unknown, depth: part(-300...300),
            depthUncertainty: part(0...600), pressure: part(0...6_000), surfacePressure: part(0...6_000),
            temperature: part(-300...300), temperatureUncertainty: part(0...600))
    }
}

extension Payload {
    /// Every sample of every stream in the bytes, with its index.
    static func samples(
        in bytes: [UInt8], _ declaration: StreamDeclaration = StreamDeclaration()
    ) throws -> [(index: UInt32, sample: Sample)] {
        let codec = SampleCodec(declaration)
        return try reading(bytes) { payload in
            var found: [(UInt32, Sample)] = []
            for case .stream(let block) in payload.blocks {
                for run in block.runs { run.forEach(codec: codec) { found.append(($0, $1)) } }
            }
            return found
        }
    }

    /// The bytes' blocks, as descriptions that outlive them.
    static func blocks(in bytes: [UInt8]) throws -> [BlockDescription] {
        try reading(bytes) { payload in
            payload.blocks.map { BlockDescription($0, declarations: [StreamDeclaration(), .everything]) }
        }
    }
}
