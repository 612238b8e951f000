import Foundation
import InputMerge
import Testing
import WireProtocol

@Suite("Real recordings")
struct RecordedTests {
    @Test(
        "Gravity follows from an iPhone's attitude as iOS says, in Apple's sign",
        arguments: [
            "ios_balance", "ios_rest_tremor",
        ])
    func gravitySign(name: String) throws {
        let table = try Table("coremotion/\(name).csv")
        var bench = Bench(declaration: fused)
        for row in table.rows.indices {
            let motion = try feed(&bench, table, row, attitude: true)
            #expect((motion.gravity - table.vector(row, "grav")).magnitude < 5e-5)
            #expect((motion.userAcceleration - table.vector(row, "user")).magnitude < 1e-4)
            #expect(motion.source == .controller)
        }
    }

    @Test("Gravity fused from an iPhone's raw axes stays within 0.3° of iOS's on a table")
    func gravityAtRest() throws {
        let table = try Table("coremotion/ios_rest_tremor.csv")
        var bench = Bench()
        var sum = 0.0
        for row in table.rows.indices {
            let error = try feed(&bench, table, row, attitude: false).gravity.degrees(to: table.vector(row, "grav"))
            sum += error * error
        }
        let rmse = (sum / Double(table.rows.count)).squareRoot()
        print("gravity against iOS at rest: \(rmse)°")
        #expect(rmse < 0.3)
    }

    @Test("Inclination stays within 1.3° (RMSE) of the optical reference in fast rotation")
    func inclination() throws {
        let table = try Table("orientation/broad_06_undisturbed_fast_rotation_A.csv")
        var bench = Bench(MergeConfiguration(gestures: []), declaration: StreamDeclaration(nominalRate: 95.238))
        var (sum, count) = (0.0, 0.0)
        for row in table.rows.indices {
            let time = table[row, "t_s"] * 1_000
            let reading = Sample(
                sampledAt: DeviceTime(nanoseconds: Int64((time * 1e6).rounded())),
                acceleration: SIMD3<Float>(table.vector(row, "a")), rotationRate: SIMD3<Float>(table.vector(row, "g")))
            bench.arrive(reading, UInt32(row), at: time)
            guard table[row, "moving"] == 1, let motion = bench.merge.motion(of: 1) else { continue }
            let truth = Quaternion(
                w: table[row, "qw"], x: table[row, "qx"], y: table[row, "qy"], z: table[row, "qz"])
            let difference = truth * motion.attitude.inverse
            let inclination =
                2 * acos(min(1, (difference.w * difference.w + difference.z * difference.z).squareRoot())) * 180 / .pi
            sum += inclination * inclination
            count += 1
        }
        let rmse = (sum / count).squareRoot()
        print("inclination of broad_06: \(rmse)° RMSE over \(Int(count)) rows")
        #expect(count > 1_000)
        #expect(rmse <= 1.3)
    }

    /// Feeds one row of a CoreMotion recording and returns the motion.
    private func feed(_ bench: inout Bench, _ table: Table, _ row: Int, attitude: Bool) throws -> DeviceMotion {
        let time = table[row, "t_s"] * 1_000
        var reading = Sample(
            sampledAt: DeviceTime(nanoseconds: Int64((time * 1e6).rounded())),
            acceleration: SIMD3<Float>(-(table.vector(row, "grav") + table.vector(row, "user")) * standardGravity),
            rotationRate: SIMD3<Float>(table.vector(row, "rot")))
        if attitude {
            let q = SIMD4(table[row, "attw"], table[row, "attx"], table[row, "atty"], table[row, "attz"])
            reading.attitude = SIMD4<Float>(q)
            reading.measures.insert(.attitude)
        }
        bench.arrive(reading, UInt32(row), at: time)
        return try #require(bench.merge.motion(of: 1))
    }
}

/// A CSV file of the repository's recordings; empty fields read NaN.
struct Table {
    private let columns: [String: Int]
    let rows: [[Double]]

    init(_ name: String) throws {
        try self.init(URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Recordings/\(name)"))
    }

    /// From the recordings beside the repository where they are (not all may be committed), else from its own.
    init(motion name: String) throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        if let table = try? Self(root.appending(path: "../shared/data/motion/\(name)")) {
            self = table
        } else {
            try self.init(name)
        }
    }

    private init(_ file: URL) throws {
        let text = try String(contentsOf: file, encoding: .utf8)
        let lines = text.split(separator: "\n").map { $0.split(separator: ",", omittingEmptySubsequences: false) }
        columns = Dictionary(uniqueKeysWithValues: zip(lines[0].map(String.init), 0...))
        rows = lines.dropFirst().map { $0.map { Double($0) ?? .nan } }
    }

    subscript(row: Int, column: String) -> Double { columns[column].map { rows[row][$0] } ?? .nan }

    func vector(_ row: Int, _ prefix: String) -> SIMD3<Double> {
        SIMD3(self[row, prefix + "x"], self[row, prefix + "y"], self[row, prefix + "z"])
    }
}

extension SIMD3<Double> {
    func degrees(to other: Self) -> Double {
        let cosine = (self * other).sum() / magnitude / other.magnitude
        return acos(Swift.max(-1, Swift.min(1, cosine))) * 180 / .pi
    }
}
