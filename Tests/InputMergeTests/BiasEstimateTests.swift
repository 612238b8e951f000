import Testing
import WireProtocol

@testable import InputMerge

@Suite("A gyroscope's bias, by a Kalman filter")
struct BiasEstimateTests {
    typealias Matrix = [[Double]]

    /// As Laidig & Seel print it (section 3.4, after equation 23): all three measurements at once.
    private struct Printed {
        var bias = [0.0, 0, 0]
        var covariance: Matrix
        let clip: Double

        mutating func observe(_ innovation: [Double], through rows: Matrix, noise: [Double]) {
            let across = product(covariance, transposed(rows))
            var inner = product(rows, across)
            for axis in 0..<3 { inner[axis][axis] += noise[axis] }
            let gain = product(across, inverse(inner))
            let step = innovation.map { min(max($0, -clip), clip) }
            for axis in 0..<3 {
                bias[axis] += (0..<3).map { gain[axis][$0] * step[$0] }.reduce(0, +)
                bias[axis] = min(max(bias[axis], -clip), clip)
            }
            let taken = product(gain, transposed(across))
            for row in 0..<3 { for column in 0..<3 { covariance[row][column] -= taken[row][column] } }
        }
    }

    @Test("One measurement after the other comes to what the printed filter makes of all three at once")
    func likePrinted() {
        let (sigma, clip) = (0.5 * Double.pi / 180, 2 * Double.pi / 180)
        var random = SplitMix64(seed: 3)
        var estimate = BiasEstimate(sigma: sigma, clip: clip)
        let first = BiasEstimate.variance(sigma)
        var printed = Printed(covariance: [[first, 0, 0], [0, first, 0], [0, 0, first]], clip: clip)
        for step in 0..<500 {
            if step % 5 == 0 {
                // What was measured directly, as at rest.
                let measured = SIMD3<Double>.random(in: -0.05...0.05, using: &random)
                let variance = Double.random(in: 1...50, using: &random)
                printed.observe(
                    (0..<3).map { measured[$0] - printed.bias[$0] },
                    through: [[1, 0, 0], [0, 1, 0], [0, 0, 1]], noise: [variance, variance, variance])
                estimate.observe(measured, variance: variance)
            } else {
                let rows = (0..<3).map { _ in SIMD3<Double>.random(in: -1...1, using: &random) }
                // Some lie beyond what is believed.
                let innovation = SIMD3<Double>.random(in: -0.06...0.06, using: &random)
                let noise = SIMD3<Double>.random(in: 100...10_000, using: &random)
                printed.observe(
                    (0..<3).map { innovation[$0] }, through: rows.map { row in (0..<3).map { row[$0] } },
                    noise: (0..<3).map { noise[$0] })
                estimate.observe(innovation: innovation, through: (rows[0], rows[1], rows[2]), noise: noise)
            }
            for axis in 0..<3 { #expect(abs(estimate.bias[axis] - printed.bias[axis]) < 1e-12) }
            let leastCertain = (0..<3).map { printed.covariance[$0][$0] }.max()!
            #expect(abs(BiasEstimate.variance(estimate.sigma) - leastCertain) < 1e-9 * first)
        }
        #expect(BiasEstimate.variance(estimate.sigma) < first / 10, "something must have been learned")
    }
}

private func transposed(_ a: [[Double]]) -> [[Double]] { (0..<3).map { row in (0..<3).map { a[$0][row] } } }

private func product(_ a: [[Double]], _ b: [[Double]]) -> [[Double]] {
    (0..<3).map { row in (0..<3).map { column in (0..<3).map { a[row][$0] * b[$0][column] }.reduce(0, +) } }
}

/// By Gauss and Jordan.
private func inverse(_ a: [[Double]]) -> [[Double]] {
    var left = a
    var right: [[Double]] = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    for pivot in 0..<3 {
        let scale = left[pivot][pivot]
        for column in 0..<3 {
            left[pivot][column] /= scale
            right[pivot][column] /= scale
        }
        for row in 0..<3 where row != pivot {
            let factor = left[row][pivot]
            for column in 0..<3 {
                left[row][column] -= factor * left[pivot][column]
                right[row][column] -= factor * right[pivot][column]
            }
        }
    }
    return right
}
