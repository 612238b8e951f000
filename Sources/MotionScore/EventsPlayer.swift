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

    /// - Parameters:
    ///   - unit: what one of the file's units of acceleration is, in m/s².
    init(
        _ table: ScoreTable, _ recording: (name: String, rows: ArraySlice<[Substring]>), unit: Double, gyro: Bool,
        gestures: [GestureDefinition]
    ) {
        name = recording.name
        let measures: Sample.Measures = gyro ? [.acceleration, .rotationRate] : [.acceleration]
        var merge = Merge(configuration: MergeConfiguration(gestures: gestures))
        let key = StreamKey(peer: 0, stream: 0)
        let start = HostTime(nanoseconds: 0)
        merge.assign(peer: 0, to: [1])
        merge.connect(
            key, declaration: StreamDeclaration(measures: measures, accelerationRange: 400), now: start)
        merge.updateClock(
            of: 0,
            ClockMapping(
                state: .locked, deviceAnchor: DeviceTime(nanoseconds: 0), hostAnchor: start, uncertaintyNanoseconds: 0))
        var (index, last): (UInt32, Int64) = (0, .min)
        var seen: [GestureEvent] = []
        for row in recording.rows {
            let time = Int64((table.number(row, "t_ms") * 1e6).rounded())
            guard time > last else { continue }
            last = time
            let sample = Sample(
                sampledAt: DeviceTime(nanoseconds: time), measures: measures,
                acceleration: SIMD3<Float>(table.vector(row, "a") * unit),
                rotationRate: gyro ? SIMD3<Float>(table.vector(row, "g")) : .zero)
            let now = HostTime(nanoseconds: time)
            _ = merge.accept(sample, index: index, of: key, arrivedAt: now)
            index += 1
            for case .gesture(let event) in merge.advance(to: now) { seen.append(event) }
        }
        events = seen
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
    private(set) var hits = 0
    private(set) var invented = 0
    private(set) var missed = 0
    /// Of those that were matched: told minus happened, in ms.
    private(set) var delays: [Double] = []

    mutating func match(told: [Double], truth: [Double], within window: ClosedRange<Double>) {
        var open = truth
        for time in told {
            let fitting = open.indices.filter { window.contains(time - open[$0]) }
            guard let best = fitting.min(by: { abs(time - open[$0]) < abs(time - open[$1]) }) else {
                invented += 1
                continue
            }
            hits += 1
            delays.append(time - open.remove(at: best))
        }
        missed += open.count
    }

    var precision: Double { 100 * Double(hits) / Double(max(1, hits + invented)) }
    var recall: Double { 100 * Double(hits) / Double(max(1, hits + missed)) }
    var f1: Double { 200 * Double(hits) / Double(max(1, 2 * hits + invented + missed)) }

    /// Of the delays, in ms; NaN without any.
    func percentile(_ share: Double) -> Double {
        let sorted = delays.sorted()
        if sorted.isEmpty { return .nan }
        return sorted[min(sorted.count - 1, max(0, Int((Double(sorted.count) * share).rounded(.up)) - 1))]
    }
}
