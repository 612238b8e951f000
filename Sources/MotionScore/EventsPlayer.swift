import InputMerge
import WireProtocol

/// Plays a recording to the merge as a controller would have sent it, and notes what it sees.
///
/// Host and device show the same time, and every sample arrives when it is taken: an event's time is when it is told.
struct EventsPlayer {
    let name: String
    /// In s.
    let duration: Double
    let events: [GestureEvent]
    /// What is known of the player's jumps afterwards.
    let airtimes: Airtimes

    /// - Parameters:
    ///   - added: to what is recorded, by the time in ms; in m/s².
    ///   - airtimes: what is known of the player's jumps.
    init(
        _ table: ScoreTable, _ recording: (name: String, rows: ArraySlice<[Substring]>), gyro: Bool,
        gestures: [GestureDefinition], adding added: ((Double) -> SIMD3<Double>)? = nil,
        airtimes: Airtimes = Airtimes()
    ) {
        name = recording.name
        let (unit, turn) = (table.accelerationUnit, gyro ? table.rotationUnit : 1)
        let measures: Sample.Measures = gyro ? [.acceleration, .rotationRate] : [.acceleration]
        let key = StreamKey(peer: 0, stream: 0)
        let declaration = StreamDeclaration(
            measures: measures, accelerationRange: 400, rotationRange: gyro ? table.rotationRange ?? 40 : 40)
        var merge = Merge(MergeConfiguration(gestures: gestures), of: key, declaration)
        merge.setAirtimes(airtimes, of: 1)
        var (index, last): (UInt32, Int64) = (0, .min)
        var seen: [GestureEvent] = []
        for row in recording.rows {
            let milliseconds = table.number(row, "t_ms")
            guard abs(milliseconds) < 1e12 else { continue }
            let time = Int64((milliseconds * 1e6).rounded())
            guard time > last else { continue }
            last = time
            let force = table.vector(row, "a") * unit + (added?(milliseconds) ?? .zero)
            let sample = Sample(
                sampledAt: DeviceTime(nanoseconds: time), measures: measures,
                acceleration: SIMD3<Float>(force),
                rotationRate: gyro ? SIMD3<Float>(turn * table.vector(row, "g")) : .zero)
            let now = HostTime(nanoseconds: time)
            _ = merge.accept(sample, index: index, of: key, arrivedAt: now)
            index += 1
            for case .gesture(let event) in merge.advance(to: now) { seen.append(event) }
        }
        events = seen
        self.airtimes = merge.airtimes(of: 1)
        let first = recording.rows.first.map { table.number($0, "t_ms") / 1e3 } ?? 0
        duration = max(0, Double(last) / 1e9 - first)
    }

    /// When events of this gesture and phase were told, in ms.
    func times(_ gesture: GestureKind, _ phase: GestureEvent.Phase = .began) -> [(at: Double, event: GestureEvent)] {
        events.filter { $0.gesture == gesture && $0.phase == phase }
            .map { (Double($0.occurredAt.nanoseconds) / 1e6, $0) }
    }
}

/// How well what was told fits what happened: each is matched at most once.
struct EventsTally {
    /// Of each recording.
    private(set) var hits: [Double] = []
    private(set) var invented: [Double] = []
    private(set) var missed: [Double] = []
    /// Of those that were matched: told minus happened, in ms.
    private(set) var delays: [Double] = []

    /// One recording.
    mutating func match(told: [Double], truth: [Double], within window: ClosedRange<Double>) {
        var open = truth
        var (found, unfounded) = (0.0, 0.0)
        for time in told {
            let fitting = open.indices.filter { window.contains(time - open[$0]) }
            guard let best = fitting.min(by: { abs(time - open[$0]) < abs(time - open[$1]) }) else {
                unfounded += 1
                continue
            }
            found += 1
            delays.append(time - open.remove(at: best))
        }
        hits.append(found)
        invented.append(unfounded)
        missed.append(Double(open.count))
    }

    /// What each recording contributed: where nothing happened in any, nothing shows how well it is told.
    var precision: [Resampling.Part] {
        happened ? hits.indices.map { Resampling.Part(hits[$0], of: hits[$0] + invented[$0]) } : []
    }
    var recall: [Resampling.Part] { hits.indices.map { Resampling.Part(hits[$0], of: hits[$0] + missed[$0]) } }
    var f1: [Resampling.Part] {
        happened ? hits.indices.map { Resampling.Part(2 * hits[$0], of: 2 * hits[$0] + invented[$0] + missed[$0]) } : []
    }

    private var happened: Bool { hits.contains { $0 > 0 } || missed.contains { $0 > 0 } }
}
