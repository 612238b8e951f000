#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import InputMerge
public import WireProtocol

/// Understands samples as a program prints them, one a line, so that any program can be a controller.
///
/// ```
/// 1.23,0.1,0.2,9.8,0,0,0                             t_s, m/s², rad/s; then w,x,y,z if the attitude is known
/// {"t":1.23,"acceleration":[0.1,0.2,9.8],"rotationRate":[0,0,0],"attitude":[1,0,0,0]}
/// {"t":1.23,"submersion":{"condition":"submerged","depth":1.2,"depthUncertainty":0.1,"temperature":21.5}}
/// {"t":1.23,"submersion":{"pressure":113.3,"surfacePressure":101.3}}
/// {"t":1.23,"acceleration":[0.1,0.2,9.8],"buttons":["jump"],"battery":84}
/// ```
/// A header line may come first and name other columns and units (`SampleColumns`). The first sample decides what the
/// stream measures; then a line without `buttons` holds none, and one without `battery` has that of the line before. A time is
/// later than the one before, or else, when the sensor's clock was set, a second or more before it. A line that throws is lost,
/// the next one is read as if it had not been there.
public struct SampleLineParser: Sendable {
    /// A line may not be longer, in bytes.
    public static let longestLine = 4_096
    /// A clock that goes back by as much was set; by less, lines are out of their order.
    private static let clockStep = Duration.seconds(1)

    /// What every sample measures, once the first was read.
    public private(set) var measures: Sample.Measures?

    /// What a press of each button means, bit 0 first.
    public let buttonGestures: [String]
    /// What samples measured that the first one did not.
    package private(set) var leftOut = Sample.Measures()

    private let hasButtons: Bool
    private var columns: SampleColumns?
    private var latest: DeviceTime?
    private var battery: UInt8?

    /// A parser that has seen no line yet.
    ///
    /// - Parameter buttonGestures: what buttons mean; else each of the gestures that are built in has one, if the first line says
    ///   which are held.
    public init(buttonGestures: [String] = []) {
        hasButtons = !buttonGestures.isEmpty
        self.buttonGestures = hasButtons ? buttonGestures : GestureDefinition.usual.map(\.kind.rawValue)
    }

    /// Reads one line; `nil` when it holds no sample: a header, or nothing.
    ///
    /// - Parameter now: the time of a JSON sample without `t`.
    /// - Throws: `brokenLine`, `missingColumns`, `unknownUnit`, `notFinite`, `timeRunsBackwards`.
    public mutating func parse(_ line: some StringProtocol, now: DeviceTime) throws(RecordingError) -> Sample? {
        guard line.utf8.count <= Self.longestLine else {
            throw RecordingError(.brokenLine, "a line of \(line.utf8.count) bytes: one sample a line, please")
        }
        guard let first = line.first(where: { !$0.isWhitespace }) else { return nil }
        let read = first == "{" ? try json(line, now: now) : try csv(line)
        guard var sample = read else { return nil }

        if hasButtons || self.measures?.contains(.buttons) == true { sample.measures.insert(.buttons) }
        if let battery, sample.measures.insert(.battery).inserted { sample.battery = battery }
        let measures = self.measures ?? sample.measures
        guard measures.isSubset(of: sample.measures) else {
            throw RecordingError(.missingColumns, "the sample lacks what the first one measured")
        }
        let surplus = sample.measures.subtracting(measures)
        sample = sample.measuring(measures)
        if let latest, sample.sampledAt <= latest, sample.sampledAt > latest - Self.clockStep {
            let step = (sample.sampledAt - latest).milliseconds
            throw RecordingError(.timeRunsBackwards, "the time moves by \(step) ms: send samples in order of time")
        }
        self.measures = measures
        leftOut.formUnion(surplus)
        if measures.contains(.battery) { battery = sample.battery }
        latest = sample.sampledAt
        return sample
    }

    /// What stands between commas, without white space around it.
    package static func fields(of line: some StringProtocol) -> [Substring] {
        let line = Substring(line)
        return line.utf8.withBytes { bytes in
            var fields: [Substring] = []
            fields.reserveCapacity(12)
            var (start, index) = (0, line.startIndex)
            for place in 0...bytes.count where place == bytes.count || bytes[place] == UInt8(ascii: ",") {
                let end = line.utf8.index(index, offsetBy: place - start)
                let field = line[index..<end]
                // By bytes, as long as they tell: to find a character costs more than to read a number.
                let isBare = start == place || (isInk(bytes[start]) && isInk(bytes[place - 1]))
                fields.append(isBare ? field : trimmed(field))
                guard place < bytes.count else { break }
                (start, index) = (place + 1, line.utf8.index(after: end))
            }
            return fields
        }
    }

    /// Whether the byte is a character by itself, and no white space.
    private static func isInk(_ byte: UInt8) -> Bool { 0x20 < byte && byte < 0x80 }

    /// By characters, for what bytes do not tell.
    private static func trimmed(_ field: Substring) -> Substring {
        var field = field
        while field.first?.isWhitespace == true { field.removeFirst() }
        while field.last?.isWhitespace == true { field.removeLast() }
        return field
    }

    private mutating func csv(_ line: some StringProtocol) throws(RecordingError) -> Sample? {
        let fields = Self.fields(of: line)
        if columns == nil, Double(fields[0]) == nil {
            columns = try SampleColumns(header: line)
            return nil
        }
        guard let columns = columns ?? SampleColumns(fieldCount: fields.count) else {
            throw RecordingError(
                .brokenLine,
                "\(plural(fields.count, "field")): expected t_s,ax,ay,az[,gx,gy,gz[,qw,qx,qy,qz]] or a header line")
        }
        let sample = try columns.sample(fields)
        self.columns = columns
        return sample
    }

    private func json(_ line: some StringProtocol, now: DeviceTime) throws(RecordingError) -> Sample? {
        let object: JSONSample
        do {
            object = try JSONDecoder().decode(JSONSample.self, from: Data(line.utf8))
        } catch DecodingError.typeMismatch(_, let context) where !context.codingPath.isEmpty {
            let key = context.codingPath[0].stringValue
            throw RecordingError(.brokenLine, "\(key) is not of the form that it is to have")
        } catch {
            throw RecordingError(
                .brokenLine, #"not a sample: expected {"t":1.2,"acceleration":[x,y,z],"rotationRate":[x,y,z]}"#)
        }
        return try object.sample(now: now, buttonGestures: buttonGestures)
    }
}

/// A sample as JSON: times in s, axes in m/s² and rad/s, attitude w,x,y,z, the buttons that are held, charge in percent.
private struct JSONSample: Decodable {
    var t: Double?
    var acceleration: [Double]?
    var rotationRate: [Double]?
    var attitude: [Double]?
    var submersion: Water?
    var buttons: [String]?
    var battery: Double?

    /// Each in the unit of its property in ``Submersion``.
    struct Water: Decodable {
        var condition: String?
        var depth, depthUncertainty, pressure, surfacePressure, temperature, temperatureUncertainty: Double?
    }

    func sample(now: DeviceTime, buttonGestures: [String]) throws(RecordingError) -> Sample {
        var sample = Sample(sampledAt: now, measures: [])
        if let t {
            guard let nanoseconds = Int64(exactly: (t * 1e9).rounded()) else {
                throw RecordingError(.notFinite, "t is beyond 292 years")
            }
            sample.sampledAt = DeviceTime(nanoseconds: nanoseconds)
        }
        if let axes = try axes(acceleration, count: 3, key: "acceleration") {
            sample.acceleration = SIMD3(axes[0], axes[1], axes[2])
            sample.measures.insert(.acceleration)
        }
        if let axes = try axes(rotationRate, count: 3, key: "rotationRate") {
            sample.rotationRate = SIMD3(axes[0], axes[1], axes[2])
            sample.measures.insert(.rotationRate)
        }
        if let axes = try axes(attitude, count: 4, key: "attitude") {
            sample.attitude = SIMD4(axes[0], axes[1], axes[2], axes[3])
            sample.measures.insert(.attitude)
        }
        if let water = submersion {
            sample.submersion = try Submersion(
                word: water.condition, depth: water.depth, depthUncertainty: water.depthUncertainty,
                pressure: water.pressure, surfacePressure: water.surfacePressure, temperature: water.temperature,
                temperatureUncertainty: water.temperatureUncertainty)
            sample.measures.insert(.submersion)
        }
        if let buttons {
            for name in buttons {
                guard let bit = buttonGestures.firstIndex(of: name) else {
                    let known = buttonGestures.joined(separator: ", ")
                    throw RecordingError(.brokenLine, "\(quoted(name)) is none of the buttons: \(known)")
                }
                sample.buttons |= 1 << bit
            }
            sample.measures.insert(.buttons)
        }
        if sample.measures.isEmpty {
            throw RecordingError(
                .missingColumns, "no motion: give acceleration, rotationRate, attitude, submersion or buttons")
        }
        if let battery {
            guard (0...100).contains(battery) else {
                throw RecordingError(.brokenLine, "battery is in percent, 0 to 100")
            }
            sample.battery = UInt8(battery.rounded())
            sample.measures.insert(.battery)
        }
        return sample
    }

    private func axes(_ values: [Double]?, count: Int, key: String) throws(RecordingError) -> [Float]? {
        guard let values else { return nil }
        guard values.count == count else {
            throw RecordingError(.brokenLine, "\(key) has \(plural(values.count, "number")) instead of \(count)")
        }
        guard values.allSatisfy({ abs($0) < 1e30 }) else {
            throw RecordingError(.notFinite, "\(key) holds a number that is not between -1e30 and 1e30")
        }
        return values.map { Float($0) }
    }
}
