import Foundation
import Roomful

/// How deep a device is, for people: `is deep under water: 3.20 m (± 0.10), 21.5 °C (± 0.5), 132.7 kPa`.
enum WaterLine {
    static func text(_ water: EventRecord.Submersion) -> String {
        func figure(_ value: Double?, _ uncertainty: Double?, _ format: String, _ unit: String) -> String? {
            value.map { value in
                String(format: format, value) + " " + unit
                    + (uncertainty.map { " (± " + String(format: format, $0) + ")" } ?? "")
            }
        }
        let figures = [
            figure(water.depth, water.depthUncertainty, "%.2f", "m"),
            figure(water.temperature, water.temperatureUncertainty, "%.1f", "°C"),
            figure(water.pressure, nil, "%.1f", "kPa"),
        ]
        let known = figures.compactMap(\.self)
        return words(water.state) + (known.isEmpty ? "" : ": " + known.joined(separator: ", "))
    }

    private static func words(_ state: String) -> String {
        switch state {
        case "notSubmerged": "is out of the water"
        case "submergedShallow": "is under water, less than 1 m deep"
        case "submergedDeep": "is deep under water"
        case "approachingMaxDepth": "is almost deeper than its sensor can measure"
        case "pastMaxDepth": "is deeper than its sensor can measure"
        case "sensorDepthError": "is under water, and its sensor cannot measure how deep"
        default: "may be under water or not: its sensor does not say"
        }
    }
}
