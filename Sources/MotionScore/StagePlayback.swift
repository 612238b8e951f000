import InputMerge
import WireProtocol

/// Plays a recording into the merge, as the room does, and reads device motion back after each sample.
struct StagePlayback {
    var orientation = OrientationMethod.handheld
    /// The share of samples that never arrive, 0 to 1.
    var lost = 0.0
    /// Samples arrive up to so much later than they were taken, in s; so they overtake each other.
    var delay = 0.0
    var seed: UInt64 = 1

    /// Calls back with each row that arrived and the newest motion then; with late ones only if they are the newest.
    func play(_ recording: OrientationRecording, _ body: (OrientationRecording.Row, DeviceMotion) -> Void) {
        var random = SplitMix64(seed: seed)
        let key = StreamKey(peer: 0, stream: 0)
        var merge = Merge(
            MergeConfiguration(gestures: [], orientation: orientation), of: key,
            StreamDeclaration(nominalRate: recording.rate), uncertaintyNanoseconds: 1_000_000)

        var arrivals: [(at: Int64, row: Int)] = []
        for (index, row) in recording.rows.enumerated() {
            let isLost = random.fraction() < lost
            let late = delay * random.fraction()
            if !isLost { arrivals.append((at: nanoseconds(row.time + late), row: index)) }
        }
        arrivals.sort { ($0.at, $0.row) < ($1.at, $1.row) }
        for arrival in arrivals {
            let row = recording.rows[arrival.row]
            let at = HostTime(nanoseconds: arrival.at)
            _ = merge.advance(to: at)
            _ = merge.accept(sample(of: row), index: UInt32(arrival.row), of: key, arrivedAt: at)
            guard let motion = merge.motion(of: 1), motion.sampledAt.nanoseconds == nanoseconds(row.time) else {
                continue
            }
            body(row, motion)
        }
    }

    private func sample(of row: OrientationRecording.Row) -> Sample {
        Sample(
            sampledAt: DeviceTime(nanoseconds: nanoseconds(row.time)), acceleration: SIMD3<Float>(row.force),
            rotationRate: SIMD3<Float>(row.rate))
    }

    private func nanoseconds(_ seconds: Double) -> Int64 { Int64((seconds * 1e9).rounded()) }
}
