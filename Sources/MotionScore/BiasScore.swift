import InputMerge

/// How long a device must lie still until its gyroscope's bias is known to 0.05 °/s.
///
/// A bias is added to each recording, which is played from the beginning of its first rest on. The truth is what the
/// gyroscope reads on average over all of that rest.
enum BiasScore {
    private static let degree = Double.pi / 180
    private static let close = 0.05 * degree

    static func lines(_ recordings: [OrientationRecording]) -> [ScoreLine] {
        var lines: [ScoreLine] = []
        for method in [OrientationMethod.handheld, .published] {
            for recording in recordings {
                // As much as the published method can follow.
                let biased = recording.biased(by: SIMD3(1.2, -0.8, 0.5) * degree)
                guard let seconds = secondsUntilClose(biased, method) else { continue }
                let isOurs = method == .handheld
                let suffix = isOurs ? "" : ", VQF as published"
                lines.append(
                    ScoreLine(
                        "\(recording.name): bias within 0.05 °/s after a rest of\(suffix)", seconds, "s",
                        parity: isOurs ? 3.5 : nil, target: isOurs ? 1.5 : nil, isCost: true))
            }
        }
        return lines
    }

    private static func secondsUntilClose(_ recording: OrientationRecording, _ method: OrientationMethod) -> Double? {
        let end = recording.rows.firstIndex(where: \.isMoving) ?? recording.rows.count
        // The flag stands in every fifth row, and the last second before it belongs to the movement.
        let rest = OrientationRecording(recording, first: max(0, end - 95))
        guard let first = rest.rows.first, let last = rest.rows.last, last.time - first.time > 5 else { return nil }
        let truth = rest.rows.reduce(SIMD3<Double>.zero) { $0 + $1.rate } / Double(rest.rows.count)
        var since: Double?
        StagePlayback(orientation: method).play(rest) { row, motion in
            let error = row.rate - motion.rotationRate - truth
            let isClose = (error * error).sum().squareRoot() < close
            since = isClose ? since ?? row.time - first.time : nil
        }
        return since
    }
}

extension OrientationRecording {
    fileprivate init(_ whole: OrientationRecording, first count: Int) {
        self = whole
        rows = Array(whole.rows.prefix(count))
    }
}
