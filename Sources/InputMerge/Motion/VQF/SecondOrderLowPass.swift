/// The coefficients of a second-order Butterworth low-pass for one time constant and one sampling interval.
struct LowPassCoefficients: Sendable, Equatable {
    var b0: Double
    var b1: Double
    var a1: Double
    var a2: Double
    /// For so many samples the filter gives their mean instead.
    var warmUp: Int

    /// Both in s. What is faster than the sampling can show passes unchanged.
    init(timeConstant: Double, interval: Double) {
        warmUp = Int((timeConstant / interval).rounded(.up))
        while Double(warmUp - 1) * interval >= timeConstant { warmUp -= 1 }
        while Double(warmUp) * interval < timeConstant { warmUp += 1 }
        guard timeConstant >= interval / 2 else {
            (b0, b1, a1, a2) = (1, 0, 0, 0)
            return
        }
        let root = 2.0.squareRoot()
        let c = Elementary.tangent(root / (2 * timeConstant) * interval)
        let d = c * c + root * c + 1
        b0 = c * c / d
        b1 = 2 * b0
        a1 = 2 * (c * c - 1) / d
        a2 = (1 - root * c + c * c) / d
    }

    var b2: Double { b1 == 0 ? 0 : b0 }
}

/// Three or fewer signals, low-passed together; for the first time constant it gives their mean.
struct SecondOrderLowPass: Sendable {
    typealias Signal = SIMD4<Double>

    /// The output for the latest input.
    private(set) var output = Signal.zero
    private var s0 = Signal.zero
    private var s1 = Signal.zero
    /// How many samples were averaged; `nil` once the filter runs.
    private var averaged: Int? = 0

    var isAveraging: Bool { averaged != nil }

    @inline(__always)
    mutating func update(_ input: Signal, _ coefficients: LowPassCoefficients) {
        if let count = averaged {
            average(input, of: count + 1, coefficients)
            return
        }
        output = coefficients.b0 * input + s0
        s0 = coefficients.b1 * input - coefficients.a1 * output + s1
        s1 = coefficients.b2 * input - coefficients.a2 * output
    }

    /// Begins anew with the mean of what comes.
    mutating func restart() { averaged = 0 }

    /// Begins anew with the mean of what comes and of so many samples of `value`.
    mutating func restart(at value: Signal, counting samples: Int, _ coefficients: LowPassCoefficients) {
        guard samples < coefficients.warmUp else { return settle(at: value, coefficients) }
        (averaged, output, s0) = (samples, value, Double(samples) * value)
    }

    /// As if this had been the input for ever.
    mutating func settle(at value: Signal, _ coefficients: LowPassCoefficients) {
        averaged = nil
        output = value
        s0 = value * (1 - coefficients.b0)
        s1 = value * (coefficients.b2 - coefficients.a2)
    }

    /// Goes on with other coefficients as if the latest output had lasted.
    mutating func adapt(from old: LowPassCoefficients, to new: LowPassCoefficients) {
        guard averaged == nil else { return }
        s0 += (old.b0 - new.b0) * output
        let forward: Double = old.b0 - new.b0 + old.b1 - new.b1
        s1 += (forward - old.a1 + new.a1) * output
    }

    private mutating func average(_ input: Signal, of count: Int, _ coefficients: LowPassCoefficients) {
        // The sum is kept in the first state, as it is not needed yet.
        let sum = count == 1 ? input : s0 + input
        output = sum / Double(count)
        averaged = count
        s0 = sum
        guard count >= coefficients.warmUp else { return }
        settle(at: output, coefficients)
    }
}
