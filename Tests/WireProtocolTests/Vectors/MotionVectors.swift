import Testing
import WireProtocol

@Suite("Golden vectors, controller to host")
struct MotionVectors {
    @Test("The datagrams of a controller are, byte for byte, those of Documentation/vectors/motion.json")
    func motion() throws {
        let file = VectorFile(
            about: "Datagrams from a controller to its host. See Documentation/WIRE-FORMAT.md.",
            vectors: try samples() + streams() + extremes() + others())
        try file.check(against: "motion.json", ignoring: \.withoutSeal)
    }

    private func samples() throws -> [DatagramVector] {
        [
            try DatagramVector(
                "one-sample", "A device at rest, face up: the worked example of the document.", number: 0
            ) { $0.writeStream([(0, Sample(at: 4_990))]) },
            try DatagramVector("three-samples", "One run at 100 samples a second.", number: 1) {
                $0.writeStream(
                    (0..<3).map { place in
                        let turn = Float(place)
                        return (
                            UInt32(place + 1),
                            Sample(at: 5_000 + Int64(place) * 10, SIMD3(turn, -turn, 9.5), SIMD3(0.5, -0.25, turn / 8))
                        )
                    })
            },
            try DatagramVector(
                "repeats", "Newest first, then the two oldest that were not acknowledged: two runs above floor 40.",
                number: 2
            ) {
                $0.writeStream(
                    epoch: 3, floor: 40,
                    [(120, Sample(at: 6_200)), (41, Sample(at: 5_410)), (42, Sample(at: 5_420))])
            },
            try DatagramVector(
                "gap-in-time", "Consecutive indexes 17 s apart: too far for 24 bits, so a new run begins.", number: 3
            ) { $0.writeStream([(8, Sample(at: 1_000)), (9, Sample(at: 18_000))]) },
        ]
    }

    private func streams() throws -> [DatagramVector] {
        // What was known until submersion came.
        var five = StreamDeclaration.everything
        five.measures.remove(.submersion)
        let second = Sample(
            sampledAt: DeviceTime(nanoseconds: 5_001_234_567), measures: five.measures, acceleration: SIMD3(1, 2, 3),
            rotationRate: SIMD3(-1, -2, -3), attitude: SIMD4(0.5, -0.5, 0.5, -0.5), buttons: 0x8001, battery: 87)
        return [
            try DatagramVector(
                "two-streams", "Two sensors of one controller, the second measuring all but submersion.", number: 4,
                declarations: [StreamDeclaration(), five]
            ) {
                $0.writeStream(floor: 5, [(5, Sample(at: 5_000))])
                $0.writeStream(of: five, epoch: 1, [(0, second)])
            },
            try DatagramVector(
                "under-water", "A water sensor: in the air, under water, and without a word of anything.", number: 15,
                declarations: [Self.water]
            ) { $0.writeStream(of: Self.water, Self.dive) },
            try DatagramVector(
                "full", "As many samples as 1,200 bytes hold.", number: 5, sentAt: 6_000_000_000
            ) {
                $0.writeStream((0..<200).map { (UInt32($0), Sample(at: 5_000 + Int64($0) * 5)) })
            },
        ]
    }

    private static let water = StreamDeclaration(stream: 2, measures: .submersion, nominalRate: 3)
    private static var dive: [(UInt32, Sample)] {
        let readings = [
            Submersion(.notSubmerged, surfacePressure: 101.3),
            Submersion(
                .submerged, depth: 1.5, depthUncertainty: 0.12, pressure: 116.2, surfacePressure: 101.3,
                temperature: 18.25, temperatureUncertainty: 0.5),
            Submersion(),
        ]
        return readings.enumerated().map { place, reading in
            let time = DeviceTime(nanoseconds: 4_000_000_000 + Int64(place) * 333_000_000)
            return (UInt32(place), Sample(sampledAt: time, measures: .submersion, submersion: reading))
        }
    }

    private func extremes() throws -> [DatagramVector] {
        [
            try DatagramVector("clipped", "Beyond the range in every axis: full scale, either way.", number: 6) {
                $0.writeStream([(0, Sample(at: 1, SIMD3(1e9, -1e9, 156.9064), SIMD3(-1e38, 1e38, -34.906586)))])
            },
            try DatagramVector(
                "before-zero", "A clock that stands before its zero point; times round toward zero.", number: 7,
                sentAt: -1
            ) {
                var sample = Sample(at: 0)
                sample.sampledAt = DeviceTime(nanoseconds: -1_500_999)
                $0.writeStream([(0, sample)])
            },
            try DatagramVector(
                "latest-moment", "The last microsecond that a time can say.", number: 8, sentAt: .max
            ) {
                var sample = Sample(at: 0)
                sample.sampledAt = DeviceTime(nanoseconds: .max)
                $0.writeStream([(0, sample)])
            },
            try DatagramVector("highest-index", "The highest index that a sample can have.", number: .max - 1) {
                $0.writeStream(epoch: 255, floor: .max - 4_096, [(.max - 1, Sample(at: 2))])
            },
            try DatagramVector(
                "first-time-not-zero", "A run whose first time is not 0, by another program: legal.", number: 9
            ) {
                $0.write(rawBlock(1, rawRun(first: 1, count: 2, start: 1_000, times: [5, 0xFF_FFFF])))
            },
        ]
    }

    private func others() throws -> [DatagramVector] {
        [
            try DatagramVector("heartbeat", "Nothing to say but that the controller lives.", number: 10) { _ in },
            try DatagramVector("answers", "A probe's answer, a receipt and a reliable message.", number: 11) {
                _ = $0.writeProbeAnswer(id: 513, receivedAt: DeviceTime(nanoseconds: 4_999_000_001))
                _ = $0.writeReceipt(next: 2)
                _ = $0.writeMessage(id: 0, body: [0x05])
            },
            try DatagramVector(
                "coarse-clock", "A probe's answer by a clock that moves in steps of a millisecond.", number: 16
            ) {
                _ = $0.writeProbeAnswer(
                    id: 514, receivedAt: DeviceTime(nanoseconds: 4_999_000_000), grain: 1_000_000)
            },
            try DatagramVector("goodbye", "The controller leaves; this datagram is its last.", number: 12) {
                _ = $0.writeGoodbye(.left, lastSent: 12)
            },
            try DatagramVector("tally", "A goodbye, and what was sent in all: on two links.", number: 14) {
                _ = $0.writeGoodbye(.left, lastSent: 14)
                _ = $0.writeTally(SenderTally(links: 2, datagrams: 4_711, samples: 4_200, confirmed: 4_198))
            },
            try DatagramVector(
                "unknown-block", "A block of a later version between two that are known: skipped.", number: 13,
                unknownBlocks: [.init(position: 1, type: 200, body: "0102030405")]
            ) {
                _ = $0.writeReceipt(next: 7)
                $0.write(rawBlock(200, [1, 2, 3, 4, 5]))
                _ = $0.writeGoodbye(.paused, lastSent: 13)
            },
            try DatagramVector(
                "browser-motion", "The same content inside TLS: neither sealed nor ever sent by UDP.",
                kind: .browserMotion, number: 0
            ) { $0.writeStream([(0, Sample(at: 4_990))]) },
        ]
    }
}
