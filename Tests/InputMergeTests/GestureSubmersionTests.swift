import InputMerge
import Testing
import WireProtocol

@Suite("Submersion")
struct GestureSubmersionTests {
    private func measured(_ depth: Double?, at time: Int64 = 0, error: SubmersionMeasurement.Fault? = nil)
        -> SubmersionMeasurement
    { SubmersionMeasurement(sampledAt: DeviceTime(nanoseconds: time), depth: depth, error: error) }

    @Test(
        "The state follows from the depth: shallow to 1 m, deep, approaching from 5 m, past 6 m",
        arguments: [
            (nil, SubmersionState.notSubmerged), (-0.1, .notSubmerged), (0, .notSubmerged), (0.01, .submergedShallow),
            (0.99, .submergedShallow), (1, .submergedDeep), (4.99, .submergedDeep), (5, .approachingMaxDepth),
            (6, .approachingMaxDepth), (6.01, .pastMaxDepth),
        ])
    func states(depth: Double?, state: SubmersionState) {
        #expect(SubmersionState(measured(depth)) == state)
        #expect(SubmersionState(measured(depth).checked()) == state)
    }

    @Test("A sensor's error is a state of its own, and no depth is told with it")
    func errors() {
        #expect(SubmersionState(measured(2, error: .sensor)) == .sensorDepthError)
        #expect(SubmersionState(measured(nil, error: .tooDeep)) == .pastMaxDepth)
        #expect(measured(2, error: .sensor).checked().depth == nil)
        #expect(measured(7).checked().error == .tooDeep)
        #expect(measured(7).checked().depth == nil)
    }

    @Test(
        "What is no number, or no water's, is absent; what is sound stays",
        arguments: [
            Double.nan, .infinity, -1e9, 1e9,
        ])
    func absurd(value: Double) {
        let measurement = SubmersionMeasurement(
            sampledAt: DeviceTime(nanoseconds: 0), depth: value, waterTemperature: .init(value, uncertainty: 1),
            surfacePressure: value
        ).checked()
        #expect(measurement.depth == nil && measurement.waterTemperature == nil && measurement.surfacePressure == nil)
        #expect(measurement.error == .sensor)
        let sound = SubmersionMeasurement(
            sampledAt: DeviceTime(nanoseconds: 0), depth: 2, waterTemperature: .init(21, uncertainty: 0.5),
            surfacePressure: 101.3)
        #expect(sound.checked() == sound)
    }

    @Test("Each state is told once when it begins; waves at its edge do not make it flicker; old news is ignored")
    func changes() {
        var tracker = SubmersionTracker()
        let depths: [Double?] = [nil, 0.5, 0.9, 1.01, 0.98, 1.02, 0.9, nil]
        let told = depths.enumerated().compactMap { tracker.update(measured($1, at: Int64($0)))?.state }
        #expect(told == [.submergedShallow, .submergedDeep, .submergedShallow, .notSubmerged])
        #expect(tracker.update(measured(3, at: 7)) == nil)
        #expect(tracker.state == .notSubmerged)
    }

    @Test("Thresholds out of their range say which and which range")
    func thresholds() {
        #expect(SubmersionThresholds().problem == nil)
        #expect(SubmersionThresholds(shallow: 20).problem == "shallow is 20.0 m, but must be 0.1 to 10.0 m")
        #expect(SubmersionThresholds(shallow: 3, deepest: 2).problem != nil)
        #expect(SubmersionThresholds(margin: 5.5).problem != nil)
        #expect(SubmersionThresholds(deepest: .nan).problem != nil)
    }
}
