import WireProtocol

/// Which column of a CSV file holds what, and in which unit, as its header line says.
///
/// | columns | meaning | unit unless the name says another |
/// |---|---|---|
/// | `t_s`, `t_ms`, `t_us`, `t_ns` | sample time | as named |
/// | `ax ay az` | specific force | m/s²; `ax_g` or `ax[g]`: g |
/// | `gx gy gz` | rotation rate | rad/s; `gx_dps` or `gx[deg/s]`: °/s |
/// | `qw qx qy qz` | attitude, body to earth | |
/// | `rotx… gravx… userx… attw…` | CoreMotion's rotation rate, gravity, user acceleration, attitude | rad/s, g |
/// | `submersion` | `unknown`, `notSubmerged`, `submerged`, `pastMaxDepth`, `sensorDepthError` | |
/// | `depth`, `depthUncertainty` | below the surface | m |
/// | `pressure`, `surfacePressure` | of the water, of the air above it | kPa; `pressure_hPa`: hPa |
/// | `temperature`, `temperatureUncertainty` | of the water | °C |
/// | `rec` or `gid` | which recording a line belongs to | |
///
/// Other columns are ignored; those of the water, too, where neither `submersion` nor `depth` is there, nor both pressures. An
/// empty field of theirs does not apply.
struct SampleColumns: Sendable {
    /// Three or four columns that belong together, and the factor that leads to our unit.
    struct Group: Sendable {
        var places: [Int]
        var scale: Double
    }

    private(set) var time = Group(places: [], scale: 1)
    private(set) var recording: Int?
    private(set) var isCoreMotion = false
    private var force: Group?
    private var userAcceleration: Group?
    private var rotationRate: Group?
    private var attitude: Group?
    private var water: WaterColumns?
    private let count: Int

    /// The columns of a line without header: `t_s,ax,ay,az`, with gyroscope and attitude if there are as many fields.
    init?(fieldCount: Int) {
        guard [4, 7, 11].contains(fieldCount) else { return nil }
        count = fieldCount
        time = Group(places: [0], scale: 1e9)
        force = Group(places: [1, 2, 3], scale: 1)
        if fieldCount >= 7 { rotationRate = Group(places: [4, 5, 6], scale: 1) }
        if fieldCount >= 11 { attitude = Group(places: [7, 8, 9, 10], scale: 1) }
    }

    /// - Throws: `missingColumns`, `unknownUnit`.
    init(header: some StringProtocol) throws(RecordingError) {
        let names = SampleLineParser.fields(of: header).map { ColumnName($0) }
        count = names.count
        let seconds = ["": 1e9, "s": 1e9, "ms": 1e6, "us": 1e3, "ns": 1]
        let gForces = ["": standardGravity, "g": standardGravity, "ms2": 1, "m/s2": 1, "m/s^2": 1]
        let forces = gForces.merging(["": 1]) { $1 }
        let degree = Double.pi / 180
        let rates = ["": 1, "rad/s": 1, "rads": 1, "dps": degree, "deg/s": degree, "°/s": degree]

        recording = names.firstIndex { $0.base == "rec" || $0.base == "gid" }
        guard let time = try Self.group(["t"], in: names, units: seconds) else {
            throw RecordingError(.missingColumns, "no time column: the header must name t_s or t_ms")
        }
        self.time = time
        rotationRate = try Self.group(["gx", "gy", "gz"], in: names, units: rates)
        force = try Self.group(["ax", "ay", "az"], in: names, units: forces)
        attitude = try Self.group(["qw", "qx", "qy", "qz"], in: names, units: ["": 1])
        if let gravity = try Self.group(["gravx", "gravy", "gravz"], in: names, units: gForces) {
            isCoreMotion = true
            force = gravity
            userAcceleration = try Self.group(["userx", "usery", "userz"], in: names, units: gForces)
            rotationRate = try Self.group(["rotx", "roty", "rotz"], in: names, units: rates)
            attitude = try Self.group(["attw", "attx", "atty", "attz"], in: names, units: ["": 1])
            if userAcceleration == nil {
                throw RecordingError(.missingColumns, "the header names gravity, but lacks userx,usery,userz")
            }
        }
        water = try WaterColumns(names)
        if force == nil, water == nil {
            throw RecordingError(.missingColumns, "no acceleration: the header must name ax,ay,az or gravx… and userx…")
        }
    }

    /// Reads one line. An attitude that is wholly or partly empty counts as not measured; nothing else may be empty.
    ///
    /// - Throws: `brokenLine`, `notFinite`.
    func sample(_ fields: [Substring]) throws(RecordingError) -> Sample {
        guard fields.count == count else {
            throw RecordingError(
                .brokenLine, "\(plural(fields.count, "field")) instead of \(count): complete or remove the line")
        }
        let nanoseconds = (try number(fields[time.places[0]]) * time.scale).rounded()
        guard let sampledAt = Int64(exactly: nanoseconds) else {
            throw RecordingError(.notFinite, "the time \(fields[time.places[0]]) is beyond 292 years")
        }
        var sample = Sample(sampledAt: DeviceTime(nanoseconds: sampledAt), measures: [])
        if let force {
            var values = try vector(force, fields)
            if let userAcceleration { values = -(values + (try vector(userAcceleration, fields))) }
            sample.acceleration = SIMD3<Float>(values)
            sample.measures.insert(.acceleration)
        }
        if let rotationRate {
            sample.rotationRate = SIMD3<Float>(try vector(rotationRate, fields))
            sample.measures.insert(.rotationRate)
        }
        if let attitude, attitude.places.allSatisfy({ !fields[$0].isEmpty }) {
            var values = SIMD4<Double>()
            for axis in 0..<4 { values[axis] = try number(fields[attitude.places[axis]]) }
            sample.attitude = SIMD4<Float>(values)
            sample.measures.insert(.attitude)
        }
        if let water {
            sample.submersion = try water.reading(fields, number)
            sample.measures.insert(.submersion)
        }
        return sample
    }

    private func vector(_ group: Group, _ fields: [Substring]) throws(RecordingError) -> SIMD3<Double> {
        var values = SIMD3<Double>()
        for axis in 0..<3 { values[axis] = try number(fields[group.places[axis]]) }
        return values * group.scale
    }

    private func number(_ field: Substring) throws(RecordingError) -> Double {
        guard let value = Double(field) else {
            throw RecordingError(.brokenLine, "\(quoted(field)) is not a number")
        }
        guard abs(value) < 1e30 else {
            throw RecordingError(.notFinite, "\(quoted(field)) is not between -1e30 and 1e30")
        }
        return value
    }

    /// All of the columns or none; in one unit.
    fileprivate static func group(
        _ wanted: [String], in names: [ColumnName], units: [String: Double]
    ) throws(RecordingError) -> Group? {
        let places = wanted.compactMap { name in names.firstIndex { $0.base == name } }
        if places.isEmpty { return nil }
        guard places.count == wanted.count else {
            let missing = wanted.filter { name in !names.contains { $0.base == name } }
            throw RecordingError(.missingColumns, "the header lacks \(missing.joined(separator: ","))")
        }
        let unit = names[places[0]].unit
        guard let scale = units[unit], places.allSatisfy({ names[$0].unit == unit }) else {
            let known = units.keys.filter { !$0.isEmpty }.sorted().joined(separator: ", ")
            let columns = wanted.joined(separator: ",")
            throw RecordingError(
                .unknownUnit, known.isEmpty ? "\(columns) bear no unit" : "\(columns) must bear one unit of \(known)")
        }
        return Group(places: places, scale: scale)
    }
}

/// The columns of a water sensor: its word, its depth or both pressures, and any others.
private struct WaterColumns: Sendable {
    private var condition: Int?
    private var columns: [SampleColumns.Group?] = []

    /// - Returns: `nil` where there is neither a depth nor a word for it, nor what it could be reckoned of.
    /// - Throws: `unknownUnit`.
    init?(_ names: [ColumnName]) throws(RecordingError) {
        let (meters, degrees) = (["": 1.0, "m": 1], ["": 1.0, "c": 1, "°c": 1, "degc": 1])
        let pressures = ["": 1.0, "kpa": 1, "hpa": 0.1, "pa": 0.001]
        let bases = Set(names.map(\.base))
        guard
            bases.contains("submersion") || bases.contains("depth")
                || bases.isSuperset(of: ["pressure", "surfacepressure"])
        else { return nil }
        condition = names.firstIndex { $0.base == "submersion" }
        for (name, units) in [
            ("depth", meters), ("depthuncertainty", meters), ("pressure", pressures), ("surfacepressure", pressures),
            ("temperature", degrees), ("temperatureuncertainty", degrees),
        ] {
            columns.append(try SampleColumns.group([name], in: names, units: units))
        }
    }

    func reading(
        _ fields: [Substring], _ number: (Substring) throws(RecordingError) -> Double
    ) throws(RecordingError) -> Submersion {
        var values: [Double?] = []
        for column in columns {
            guard let column, !fields[column.places[0]].isEmpty else {
                values.append(nil)
                continue
            }
            values.append(try number(fields[column.places[0]]) * column.scale)
        }
        return try Submersion(
            word: condition.flatMap { fields[$0].isEmpty ? nil : fields[$0] }, depth: values[0],
            depthUncertainty: values[1], pressure: values[2], surfacePressure: values[3], temperature: values[4],
            temperatureUncertainty: values[5])
    }
}

extension Submersion {
    /// So much above the air's pressure, in kPa, is water's; what is less, 1 cm of it, is noise.
    private static let leastOfWater = 0.1

    /// What a file or another program says of the water. Without a word for it the depth tells, or else the pressures.
    ///
    /// - Throws: `brokenLine` for a word that is none of them.
    init(
        word: (some StringProtocol)?, depth: Double?, depthUncertainty: Double?, pressure: Double?,
        surfacePressure: Double?, temperature: Double?, temperatureUncertainty: Double?
    ) throws(RecordingError) {
        var condition = Condition.unknown
        if let depth {
            condition = depth > 0 ? .submerged : .notSubmerged
        } else if let pressure, let surfacePressure {
            condition = pressure > surfacePressure + Self.leastOfWater ? .submerged : .notSubmerged
        }
        if let word {
            guard let known = Condition(rawValue: String(word)) else {
                let words = Condition.allCases.map(\.rawValue).joined(separator: ", ")
                throw RecordingError(.brokenLine, "\(quoted(word)) is none of \(words)")
            }
            condition = known
        }
        self.init(
            condition, depth: depth, depthUncertainty: depthUncertainty, pressure: pressure,
            surfacePressure: surfacePressure, temperature: temperature, temperatureUncertainty: temperatureUncertainty)
    }
}

/// A column's name and the unit behind it: `ax_g`, `ax[g]` and `ax (g)` say the same.
private struct ColumnName {
    var base: String
    var unit: String

    init(_ text: some StringProtocol) {
        let lowered = text.lowercased().filter { !" \t\r\u{FEFF}\"])".contains($0) }
        let cut = lowered.firstIndex { "_[(".contains($0) } ?? lowered.endIndex
        base = String(lowered[..<cut])
        unit = cut == lowered.endIndex ? "" : String(lowered[lowered.index(after: cut)...])
    }
}

/// At most 40 characters of someone else's text, between quotes, with nothing in it that a terminal would obey.
func quoted(_ text: some StringProtocol) -> String {
    let safe = text.unicodeScalars.prefix(40).map { $0.properties.generalCategory == .control ? "·" : String($0) }
    return "“\(safe.joined())\(text.unicodeScalars.count > 40 ? "…" : "")”"
}
