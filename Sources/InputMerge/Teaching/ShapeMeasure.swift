/// What the time warping of two shapes says of their N.
struct ShapeMeasure {
    /// That of two that have nothing in common; 0 where one of them does not move at all.
    private let most: Float
    /// P of ``GestureBook``.
    private let damping: Float

    /// Loudness may differ by so much, as a ratio of amplitudes, and mean nothing.
    private static let whim: Float = 1.22

    init(energy: Float, loudness: Float, _ shape: GestureShape) {
        guard loudness > 0, shape.loudness > 0 else {
            (most, damping) = (0, 1)
            return
        }
        most = Float(3 * MotionTrace.length) * (energy + shape.energy)
        let ratio = (max(loudness, shape.loudness) / min(loudness, shape.loudness)).squareRoot() / Self.whim
        damping = ratio > 1 ? (ratio + 1 / ratio) / 2 : 1
    }

    /// The time warping at N².
    func warping(at square: Float) -> Float { square.isFinite ? (1 - (1 - square) * damping) * most : .infinity }

    /// N² of a time warping. Two that do not move at all have nothing in common but that.
    func square(_ warping: () -> Float) -> Float {
        guard most > 0 else { return 1 }
        let warping = warping()
        return warping.isFinite ? max(0, 1 - (1 - warping / most) / damping) : .infinity
    }
}
