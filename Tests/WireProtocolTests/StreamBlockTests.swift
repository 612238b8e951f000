import Testing
import WireProtocol

@Suite("Runs of samples")
struct StreamBlockTests {
    @Test("Samples come out as they went in: index, microsecond, and every axis to half a step")
    func roundTrip() throws {
        var generator = SplitMix64(seed: 7)
        for _ in 0..<200 {
            let first = UInt32.random(in: 0..<(.max - 50), using: &generator)
            let start = Int64.random(in: -1_000_000_000_000...1_000_000_000_000, using: &generator)
            let sent = (0..<25).map { place in
                (
                    first + UInt32(place),
                    Sample.random(at: DeviceTime(nanoseconds: start + Int64(place) * 9_999_999), using: &generator)
                )
            }
            let bytes = payload { $0.writeStream(of: .everything, floor: first, sent) }
            let received = try Payload.samples(in: bytes, .everything)
            #expect(received.map(\.index) == sent.map(\.0))
            for ((_, sent), (_, received)) in zip(sent, received) { expectClose(sent, received) }
        }
    }

    @Test("A run that is read from any place gives what the whole one gives from there")
    func fromAnyPlace() throws {
        var generator = SplitMix64(seed: 8)
        let sent = (0..<20).map { (place: Int) -> (UInt32, Sample) in
            // Two runs, of 8 and 12.
            let index = UInt32(place < 8 ? place : place + 5)
            let time = DeviceTime(nanoseconds: Int64(place) * 10_000_000)
            return (index, Sample.random(at: time, using: &generator))
        }
        let bytes = payload { $0.writeStream(of: .everything, floor: 0, sent) }
        let codec = SampleCodec(.everything)
        let counts = try Payload.reading(bytes) { payload in
            var counts: [Int] = []
            for case .stream(let block) in payload.blocks {
                for run in block.runs {
                    var whole: [(UInt32, Sample)] = []
                    run.forEach(codec: codec) { whole.append(($0, $1)) }
                    for place in 0...run.count {
                        var rest: [(UInt32, Sample)] = []
                        run.forEach(from: place, codec: codec) { rest.append(($0, $1)) }
                        #expect(rest.map(\.0) == whole[place...].map(\.0))
                        #expect(rest.map(\.1) == whole[place...].map(\.1))
                    }
                    counts.append(run.count)
                }
            }
            return counts
        }
        #expect(counts == [8, 12])
    }

    private func expectClose(_ sent: Sample, _ received: Sample) {
        #expect(received.sampledAt.nanoseconds == sent.sampledAt.nanoseconds / 1_000 * 1_000)
        #expect(received.measures == .known)
        #expect(received.buttons == sent.buttons)
        #expect(received.battery == sent.battery)
        #expect(received.submersion == sent.submersion)
        // Half a step, and a hair for arithmetic in 24 bits of fraction.
        func isNear(_ one: Float, _ other: Float, range: Float) {
            let step: Float = range / 32_767
            #expect(abs(one - other) <= step * 0.505)
        }
        for axis in 0..<3 {
            isNear(received.acceleration[axis], sent.acceleration[axis], range: 40)
            isNear(received.rotationRate[axis], sent.rotationRate[axis], range: 20)
        }
        for part in 0..<4 { isNear(received.attitude[part], sent.attitude[part], range: 1) }
    }

    @Test("A new run begins at a gap in the indexes, a step back in time, after 16.7 s and after 255 samples")
    func newRuns() throws {
        func runs(_ samples: [(UInt32, Sample)]) throws -> [Int] {
            try Payload.blocks(in: payload { $0.writeStream(samples) })[0].runs?.map(\.samples.count) ?? []
        }
        #expect(try runs([(0, Sample(at: 0)), (1, Sample(at: 10)), (2, Sample(at: 20))]) == [3])
        #expect(try runs([(0, Sample(at: 0)), (2, Sample(at: 10))]) == [1, 1])
        #expect(try runs([(0, Sample(at: 10)), (1, Sample(at: 0))]) == [1, 1])
        #expect(try runs([(0, Sample(at: 10)), (1, Sample(at: 10))]) == [1, 1])
        #expect(try runs([(0, Sample(at: 0)), (1, Sample(at: 16_777))]) == [2])
        #expect(try runs([(0, Sample(at: 0)), (1, Sample(at: 16_778))]) == [1, 1])
        let battery = StreamDeclaration(measures: .battery)
        let many = payload { $0.writeStream(of: battery, (0..<260).map { ($0, Sample(at: Int64($0))) }) }
        #expect(try Payload.blocks(in: many)[0].runs?.map(\.samples.count) == [255, 5])
    }

    @Test("A sample that does not fit leaves the block as it was", arguments: 0...120)
    func whatDoesNotFit(room: Int) throws {
        let bytes = written(room: room + 8) {
            $0.write(Int64(0))
            $0.writeStream((0..<10).map { ($0, Sample(at: Int64($0))) })
        }
        let fit = room < StreamBlockWriter.overhead + StreamBlockWriter.runOverhead ? 0 : min(10, (room - 23) / 15)
        #expect(try Payload.samples(in: bytes).map(\.index) == (0..<UInt32(fit)).map { $0 })
    }

    @Test("Times at the ends of the range saturate, and never trap", arguments: [Int64.min, -1, 0, 1, .max])
    func extremeTimes(nanoseconds: Int64) throws {
        var sample = Sample(at: 0)
        sample.sampledAt = DeviceTime(nanoseconds: nanoseconds)
        let received = try Payload.samples(in: payload { $0.writeStream([(0, sample)]) })
        #expect(received.map(\.sample.sampledAt.nanoseconds) == [nanoseconds / 1_000 * 1_000])

        let run = rawRun(first: 0, count: 2, start: nanoseconds, times: [1, 0xFF_FFFF])
        #expect(try Payload.samples(in: payload { $0.write(rawBlock(1, run)) }, .buttonsOnly).count == 2)
    }

    @Test("A run stays in the 4,096 indexes above the floor and below the last 32-bit number")
    func window() throws {
        func accepts(floor: UInt32, first: UInt32, count: UInt8) -> Bool {
            let run = rawRun(floor: floor, first: first, count: count, times: (0..<UInt32(count)).map { $0 })
            return (try? Payload.reading(payload { $0.write(rawBlock(1, run)) }) { _ in }) != nil
        }
        #expect(accepts(floor: 0, first: 4_095, count: 1))
        #expect(!accepts(floor: 0, first: 4_096, count: 1))
        #expect(!accepts(floor: 0, first: 4_095, count: 2))
        #expect(!accepts(floor: 0, first: .max - 1, count: 1))
        #expect(!accepts(floor: 5, first: 4, count: 1))
        #expect(accepts(floor: .max - 1, first: .max - 1, count: 1))
        #expect(!accepts(floor: .max - 1, first: .max - 1, count: 2))
        #expect(!accepts(floor: .max, first: .max, count: 1))
        #expect(!accepts(floor: 0, first: 0, count: 0))
    }

    @Test("A block whose samples are of another size than the codec's gives what it holds, and never traps")
    func foreignMeasures() throws {
        let bytes = payload { $0.writeStream(of: .everything, (0..<9).map { ($0, Sample(at: Int64($0))) }) }
        for measures in UInt8.min ... .max {
            let declaration = StreamDeclaration(measures: Sample.Measures(rawValue: measures))
            #expect(try Payload.samples(in: bytes, declaration).count <= 9)
        }
    }
}

extension StreamDeclaration {
    fileprivate static let buttonsOnly = StreamDeclaration(measures: .buttons)
}
