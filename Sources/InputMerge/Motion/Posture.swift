/// An orientation as a heading and a lean, which can be blended one by one.
///
/// Six axes do not know north, so the headings of two devices have nothing to do with each other, while their leans do:
/// who sit face to face and both lean to the right shall lean to the right together. And unlike roll and pitch, a lean
/// has no singular place but the one where the device lies on its face.
/// ```
/// attitude = turn by heading about the earth's z · the shortest way from level to the lean
/// ```
struct Posture: Sendable {
    /// About the earth's up, in rad.
    var heading: Double
    /// Where up lies in the device's axes, length 1.
    var up: SIMD3<Double>

    init(_ attitude: Quaternion) {
        heading = 2 * Elementary.angle(y: attitude.z, x: attitude.w)
        up = attitude.up
    }

    init(heading: Double, up: SIMD3<Double>) {
        self.heading = heading
        self.up = up
    }

    /// - Parameter tilt: see ``tilt``; what leans further than upside down counts as upside down.
    init(heading: Double, tilt: SIMD2<Double>) {
        let angle = (tilt * tilt).sum().squareRoot()
        let scale = angle > .pi ? .pi / angle : 1
        let lean = Quaternion(rotationVector: SIMD3(scale * tilt.x, scale * tilt.y, 0))
        self.init(heading: heading, up: lean.up)
    }

    /// The lean as a turn from level about the device's x and y, in rad; its length is the angle to level.
    var tilt: SIMD2<Double> {
        let across = (up.x * up.x + up.y * up.y).squareRoot()
        guard across > 1e-9 else { return up.z < 0 ? SIMD2(.pi, 0) : .zero }
        return SIMD2(up.y, -up.x) * (Elementary.angle(y: across, x: up.z) / across)
    }

    var attitude: Quaternion {
        Quaternion(rotationVector: SIMD3(0, 0, heading)) * Quaternion.identity.aligned(withUp: up)
    }
}
