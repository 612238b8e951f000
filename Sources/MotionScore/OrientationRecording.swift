import Foundation
import InputMerge
import WireProtocol

/// A six-axis recording whose true orientation, or gravity, is known at some of its rows.
struct OrientationRecording {
    struct Row {
        /// Since the recording began, in s.
        var time: Double
        /// In rad/s.
        var rate: SIMD3<Double>
        /// Specific force in m/s².
        var force: SIMD3<Double>
        /// Device to earth.
        var attitude: Quaternion?
        /// In g, Apple's sign.
        var gravity: SIMD3<Double>?
        var isMoving = false
    }

    var name: String
    var rows: [Row]

    /// Columns `t_s,gx…az,qw…qz,moving`.
    init(optical file: String, in folder: URL) throws {
        let table = try ScoreTable(file, in: folder)
        name = String(file.dropLast(4))
        rows = try table.rows.enumerated().map { place, fields in
            let q = Quaternion(
                w: table.number(fields, "qw"), x: table.number(fields, "qx"), y: table.number(fields, "qy"),
                z: table.number(fields, "qz"))
            return Row(
                time: try table.seconds(at: place, "t_s"), rate: table.vector(fields, "g"),
                force: table.vector(fields, "a"), attitude: q.normalized(),
                isMoving: table.number(fields, "moving") == 1)
        }
    }

    /// Columns `t_s,rot…,grav…,user…,att…` in Apple's units and signs.
    init(coreMotion file: String, in folder: URL) throws {
        let table = try ScoreTable(file, in: folder)
        name = String(file.dropLast(4))
        rows = try table.rows.enumerated().map { place, fields in
            let gravity = table.vector(fields, "grav")
            return Row(
                time: try table.seconds(at: place, "t_s"), rate: table.vector(fields, "rot"),
                force: -(gravity + table.vector(fields, "user")) * standardGravity, gravity: gravity, isMoving: true)
        }
    }

    /// Samples a second, from the middle of all intervals.
    var rate: Double {
        let intervals = zip(rows, rows.dropFirst()).map { $1.time - $0.time }.filter { $0 > 0 }.sorted()
        return intervals.isEmpty ? 100 : 1 / intervals[intervals.count / 2]
    }

    /// The same with a bias added to the gyroscope, in rad/s.
    func biased(by bias: SIMD3<Double>) -> OrientationRecording {
        var recording = self
        for row in rows.indices { recording.rows[row].rate += bias }
        return recording
    }

    /// The same, sampled at uneven times: rows without truth are moved by up to `share` of an interval either way, and
    /// read what lies on the straight line there.
    func unevenlySampled(by share: Double, seed: UInt64) -> OrientationRecording {
        var random = SplitMix64(seed: seed)
        var recording = self
        for row in rows.indices.dropFirst().dropLast() {
            let move = share * (2 * random.fraction() - 1)
            if rows[row].attitude != nil || rows[row].gravity != nil && row % 5 == 0 { continue }
            let (here, there) = (rows[row], rows[move < 0 ? row - 1 : row + 1])
            recording.rows[row].time += abs(move) * (there.time - here.time)
            recording.rows[row].rate += abs(move) * (there.rate - here.rate)
            recording.rows[row].force += abs(move) * (there.force - here.force)
            recording.rows[row].gravity = nil
        }
        return recording
    }
}
