import Foundation
import InputMerge

/// How far orientations lie from the truth, in degrees: in inclination, and in all when the heading is aligned once.
///
/// With `d` the rotation from estimate to truth in the earth's frame, inclination is `2 acos √(dw² + dz²)` and heading
/// `2 atan2(dz, dw)`; total is the angle of `d` after the mean heading of the first 40 truths was taken away.
struct OrientationError {
    private static let aligned = 40

    private var first: [Quaternion] = []
    private var moving: [Quaternion] = []

    mutating func add(truth: Quaternion, estimate: Quaternion, isMoving: Bool) {
        let difference = truth * estimate.inverse
        if first.count < Self.aligned { first.append(difference) }
        if isMoving { moving.append(difference) }
    }

    var inclination: Double? {
        rootMeanSquare(moving.map { 2 * acos(min(1, ($0.w * $0.w + $0.z * $0.z).squareRoot())) })
    }

    var total: Double? {
        // The mean of angles is the angle of the mean direction.
        let headings = first.map { 2 * atan2($0.z, $0.w) }
        let heading = atan2(headings.reduce(0) { $0 + sin($1) }, headings.reduce(0) { $0 + cos($1) })
        let back = Quaternion(w: cos(heading / 2), x: 0, y: 0, z: -sin(heading / 2))
        return rootMeanSquare(moving.map { 2 * acos(min(1, abs((back * $0).w))) })
    }

    private func rootMeanSquare(_ angles: [Double]) -> Double? {
        guard !angles.isEmpty else { return nil }
        return (angles.reduce(0) { $0 + $1 * $1 } / Double(angles.count)).squareRoot() * 180 / .pi
    }
}
