import InputMerge
import RoomEngine
import WireProtocol

/// How deep a device is at each moment: down and up again, evenly, from above the water to below what it can measure.
struct Dive: Sendable {
    /// From one turn above the water to the next.
    var period: Duration = .seconds(24)
    /// So high and so deep it turns, in m.
    var range = -1.0...8.0

    /// Its water sensor, which reads four times a second.
    static let declaration = StreamDeclaration(stream: 1, measures: .submersion, nominalRate: 4)
    static let interval: Duration = .milliseconds(250)

    /// In m below the surface; less than 0 above it.
    func depth(at time: HostTime) -> Double {
        let length = period.wholeNanoseconds
        let phase = Double(time.nanoseconds % length) / Double(length)
        return range.lowerBound + (range.upperBound - range.lowerBound) * (1 - abs(2 * phase - 1))
    }

    /// In m/s.
    var speed: Double { 2 * (range.upperBound - range.lowerBound) * 1e9 / Double(period.wholeNanoseconds) }

    func reading(at time: HostTime) -> Submersion {
        let depth = depth(at: time)
        guard depth > 0 else { return Submersion(.notSubmerged, surfacePressure: 101.3) }
        guard depth <= Self.declaration.maximumDepth else { return Submersion(.pastMaxDepth, surfacePressure: 101.3) }
        return Submersion(
            .submerged, depth: depth, depthUncertainty: 0.05 + 0.02 * depth, pressure: 101.3 + 9.9 * depth,
            surfacePressure: 101.3, temperature: 20 - depth, temperatureUncertainty: 0.5)
    }
}

/// Holds what the room tells of devices under water against how deep they are: that depth, at that moment, and the state
/// that belongs to it.
struct DiveLaw: Law, Sendable {
    var problems: [String] = []
    private(set) var judged = 0

    /// Depths travel in cm.
    private static let step = 0.005
    /// A state ends so far beyond where it began.
    private static let hysteresis = 0.05

    mutating func told(_ event: SubmersionEvent, of controller: ControllerID, _ dive: Dive) {
        // One that fell silent is told when that was noticed.
        guard event.state != .unknown, let uncertainty = event.uncertaintyNanoseconds else { return }
        judged += 1
        let truth = dive.depth(at: event.occurredAt)
        let slack = dive.speed * Double(uncertainty) / 1e9 + Self.step
        if let depth = event.reading.depth, abs(depth - truth) > slack {
            problems.append("\(controller.low) is told \(depth) m deep, and is \(truth), give or take \(slack)")
        }
        let wide = slack + Self.hysteresis
        if !Self.states(from: truth - wide, to: truth + wide).contains(event.state) {
            problems.append("\(controller.low) is told \(event.state), and is \(truth) m deep")
        }
        guard let depth = event.reading.depth, let error = event.reading.depthUncertainty else { return }
        if abs(error - 0.05 - 0.02 * depth) > 2 * Self.step { problems.append("\(depth) m are told ± \(error)") }
    }

    /// All that a device is in between these depths.
    private static func states(from top: Double, to bottom: Double) -> [SubmersionState] {
        let ends: [(state: SubmersionState, depth: Double)] = [
            (.notSubmerged, 0), (.submergedShallow, 1), (.submergedDeep, 5), (.approachingMaxDepth, 6),
            (.pastMaxDepth, .infinity),
        ]
        let first = ends.firstIndex { top <= $0.depth } ?? 0
        let last = ends.firstIndex { bottom <= $0.depth } ?? ends.count - 1
        return ends[first...last].map(\.state)
    }
}
