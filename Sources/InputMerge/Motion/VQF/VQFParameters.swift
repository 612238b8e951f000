/// How ``VQFFilter`` weighs its sensors. Angles in rad, times in s, accelerations in m/s².
package struct VQFParameters: Sendable, Equatable {
    /// How slowly the inclination follows the accelerometer.
    var timeConstant = 3.0
    /// Of the low-passes that tell whether the device lies still.
    var restTimeConstant = 0.5
    /// How long everything must stay near its low-passed value to count as rest.
    var restTime = 1.5
    var restRate = 2 * degree
    var restForce = 0.5
    /// No bias is larger, per axis.
    var biasClip = 2 * degree
    /// How uncertain the bias is at first.
    var biasSigma = 0.5 * degree
    /// After `biasForgetting` without any evidence the bias is uncertain by this.
    var biasDrift = 0.1 * degree
    var biasForgetting = 100.0
    /// How sure the bias becomes while moving and while resting.
    var motionSigma = 0.1 * degree
    var restSigma = 0.03 * degree
    /// How much the heading's share of the bias is trusted while moving: hardly, as nothing shows it.
    var verticalForgetting = 1e-4
    /// Whether the first evidence of a rest is the mean of the gyroscope over all of it, taken at once.
    var averagesRest = false
    /// Whether a start in stillness is taken for the truth about up as soon as the device stirs.
    var trustsStillStart = false

    /// Laidig & Seel's defaults: what vqf 2.1.2 does, to the last digit that it prints.
    package static let published = VQFParameters()

    /// For phones and controllers, whose gyroscopes are biased by up to 5 °/s when they come from a cold pocket.
    package static let handheld: VQFParameters = {
        var parameters = VQFParameters()
        parameters.biasClip = 5 * degree
        parameters.restTime = 1
        parameters.averagesRest = true
        parameters.trustsStillStart = true
        return parameters
    }()

    private static let degree = Double.pi / 180
}
