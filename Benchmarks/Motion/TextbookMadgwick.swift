/// Madgwick's filter for six axes as he printed it (2010, C code of his report), in doubles: what others use.
struct TextbookMadgwick {
    private let beta = 0.03
    private(set) var q0 = 1.0
    private(set) var q1 = 0.0
    private(set) var q2 = 0.0
    private(set) var q3 = 0.0

    mutating func update(_ g: SIMD3<Double>, _ a: SIMD3<Double>, interval: Double) {
        var d0 = 0.5 * (-q1 * g.x - q2 * g.y - q3 * g.z)
        var d1 = 0.5 * (q0 * g.x + q2 * g.z - q3 * g.y)
        var d2 = 0.5 * (q0 * g.y - q1 * g.z + q3 * g.x)
        var d3 = 0.5 * (q0 * g.z + q1 * g.y - q2 * g.x)
        let norm = 1 / (a.x * a.x + a.y * a.y + a.z * a.z).squareRoot()
        let (ax, ay, az) = (a.x * norm, a.y * norm, a.z * norm)
        let (f0, f1, f2) = (
            2 * (q1 * q3 - q0 * q2) - ax, 2 * (q0 * q1 + q2 * q3) - ay, 1 - 2 * (q1 * q1 + q2 * q2) - az
        )
        var s0 = -2 * q2 * f0 + 2 * q1 * f1
        var s1 = 2 * q3 * f0 + 2 * q0 * f1 - 4 * q1 * f2
        var s2 = -2 * q0 * f0 + 2 * q3 * f1 - 4 * q2 * f2
        var s3 = 2 * q1 * f0 + 2 * q2 * f1
        let slope = 1 / (s0 * s0 + s1 * s1 + s2 * s2 + s3 * s3 + 1e-300).squareRoot()
        (s0, s1, s2, s3) = (s0 * slope, s1 * slope, s2 * slope, s3 * slope)
        (d0, d1, d2, d3) = (d0 - beta * s0, d1 - beta * s1, d2 - beta * s2, d3 - beta * s3)
        (q0, q1, q2, q3) = (q0 + d0 * interval, q1 + d1 * interval, q2 + d2 * interval, q3 + d3 * interval)
        let length = 1 / (q0 * q0 + q1 * q1 + q2 * q2 + q3 * q3).squareRoot()
        (q0, q1, q2, q3) = (q0 * length, q1 * length, q2 * length, q3 * length)
    }
}
