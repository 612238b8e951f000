// What a sample costs on its way to device motion and gestures, in ns of one core and in allocations, beside the
// textbook's filter in the same run: `swift run -c release MotionBenchmark`. Wanted: 300 ns for device motion, at most
// 600 ns; and nothing allocated, in the whole stage too, by a sample with which no gesture begins, changes or ends. Else
// it exits with 1.
import AllocationCount
import BenchmarkFigures
import Glibc
import InputMerge
import WireProtocol

let rate = 100.0
let declaration = StreamDeclaration(nominalRate: rate)

/// A minute at 100 Hz: ten seconds of rest, then turns and pushes, with a little noise.
let samples: [Sample] = (0..<6_000).map { index in
    let time = Double(index) / rate
    let noise = Double(index * 7_919 % 101) / 101 - 0.5
    let isMoving = time > 10
    let turn = isMoving ? SIMD3(2 * sin(3 * time), 1.5 * cos(2 * time), sin(time)) : .zero
    let push = isMoving ? SIMD3(3 * sin(9 * time), 2 * cos(7 * time), 1) : .zero
    return Sample(
        sampledAt: DeviceTime(nanoseconds: Int64(time * 1e9)),
        acceleration: SIMD3<Float>(push + SIMD3(0, noise / 20, 9.81)),
        rotationRate: SIMD3<Float>(turn + noise / 500))
}
let readings = samples.map { Reading($0, of: declaration)! }
let raw = samples.map { (SIMD3<Double>($0.rotationRate), SIMD3<Double>($0.acceleration)) }

func threadTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}

struct Cost {
    var nanoseconds: Double
    var allocations: UInt64
    /// Of the stage: what the samples allocated that no event came of, and what each event did.
    var ofQuietSamples: UInt64 = 0
    var ofEachEvent = 0.0
}

/// The best of seven rounds of one minute of samples, after one to warm up.
@MainActor func measure(_ round: @MainActor () -> Void) -> Cost {
    round()
    var best = Cost(nanoseconds: .infinity, allocations: .max)
    for _ in 0..<7 {
        let (allocations, began) = (allocation_count(), threadTime())
        round()
        let nanoseconds = (threadTime() - began) / Double(samples.count)
        best.nanoseconds = min(best.nanoseconds, nanoseconds)
        best.allocations = min(best.allocations, allocation_count() - allocations)
    }
    return best
}

var sink = 0.0

var textbook = TextbookMadgwick()
let madgwick = measure {
    for (rate, force) in raw { textbook.update(rate, force, interval: 0.01) }
    sink += textbook.q0
}
var filter = VQFFilter(.published, interval: 0.01)
let vqf = measure {
    for (rate, force) in raw { filter.update(rotationRate: rate, force: force) }
    sink += filter.attitude.w
}
var estimator = MotionEstimator(interval: 0.01)
let deviceMotion = measure {
    for reading in readings { sink += estimator.update(reading, interval: 0.01).gravity.z }
}

/// Timeline, device motion and recognizers of one stream, as a room drives them.
@MainActor func stage(_ gestures: [GestureDefinition], taught: [TaughtGesture] = []) -> Cost {
    var merge = Merge(configuration: MergeConfiguration(gestures: gestures))
    let key = StreamKey(peer: 0, stream: 0)
    merge.assign(peer: 0, to: [1])
    merge.setTaught(taught, of: 1)
    merge.connect(key, declaration: declaration, now: HostTime(nanoseconds: 0))
    var index: UInt32 = 0
    var (quiet, eventful, events): (UInt64, UInt64, Int) = (0, 0, 0)
    var cost = measure {
        quiet = 0
        eventful = 0
        events = 0
        for sample in samples {
            var sample = sample
            let time = Int64(index) * 10_000_000
            sample.sampledAt = DeviceTime(nanoseconds: time)
            let before = allocation_count()
            _ = merge.accept(sample, index: index, of: key, arrivedAt: HostTime(nanoseconds: time + 5_000_000))
            let told = merge.advance(to: HostTime(nanoseconds: time + 5_000_000)).count
            index += 1
            events += told
            if told == 0 { quiet += allocation_count() - before } else { eventful += allocation_count() - before }
        }
    }
    cost.ofQuietSamples = quiet
    cost.ofEachEvent = Double(eventful) / Double(max(1, events))
    return cost
}
let quiet = stage([])
let whole = stage(GestureDefinition.all)

/// What a player did, as it is cut out of a stream of 100 Hz: a second and a half, each a little different.
func performance(_ kind: Int, _ time: Int) -> [MotionTrace.Moment] {
    (0..<150).map { step in
        let share = Float(step) / 150
        let (phase, size) = (Float(kind) * 0.7, 1 + 0.1 * Float(time % 5))
        let angle = 2 * Float.pi * share * Float(1 + kind % 4) + phase + 0.05 * Float(time)
        func wave(_ x: Float) -> Float {
            let y = (x / (2 * .pi)) - (x / (2 * .pi)).rounded(.down) - 0.5
            return 16 * y * (abs(y) - 0.5)
        }
        return MotionTrace.Moment(
            time: Double(step) / 100, force: size * SIMD3(wave(angle), wave(angle + phase), 1 + 0.2 * wave(2 * angle)),
            rotationRate: size * SIMD3(2 * wave(angle + 1), wave(angle + 2 * phase), wave(3 * angle)))
    }
}

/// One comparison of what was done with all that was taught.
@MainActor func query(gestures: Int, examples: Int) -> Cost {
    let book = GestureBook(
        (0..<gestures).map { kind in
            TaughtGesture(
                GestureKind(rawValue: "g\(kind)"),
                examples: (0..<examples).compactMap { MotionTrace(performance(kind, $0)) })
        })
    let tried = (0..<60).map { performance($0 % (2 * gestures), examples + $0)[...] }
    var cost = Cost(nanoseconds: .infinity, allocations: .max)
    var scratch = GestureScratch()
    for _ in 0..<7 {
        let (allocations, began) = (allocation_count(), threadTime())
        for moments in tried { sink += book.recognise(moments, scratch: &scratch)?.unlikeness ?? 0 }
        cost.nanoseconds = min(cost.nanoseconds, (threadTime() - began) / Double(tried.count))
        cost.allocations = min(cost.allocations, allocation_count() - allocations)
    }
    return cost
}
let ten = query(gestures: 10, examples: 10)
let taught = stage(
    GestureDefinition.all,
    taught: (0..<10).map { kind in
        TaughtGesture(
            GestureKind(rawValue: "g\(kind)"), examples: (0..<3).compactMap { MotionTrace(performance(kind, $0)) })
    })
let usual = query(gestures: 10, examples: 3)

@MainActor func line(_ name: String, _ cost: Cost) {
    let pad = { (text: String, width: Int) in String(repeating: " ", count: max(0, width - text.count)) + text }
    let tenths = { (value: Double) in "\((value * 10).rounded() / 10)" }
    print(
        name + String(repeating: " ", count: max(1, 46 - name.count)) + pad(tenths(cost.nanoseconds), 8)
            + pad(tenths(cost.nanoseconds / madgwick.nanoseconds), 12)
            + pad(tenths(Double(cost.allocations) / Double(samples.count) * 1_000), 22))
}
print("per sample                                          ns   × textbook   allocations per 1,000")
line("Madgwick as in the textbook, no bias", madgwick)
line("VQF as published", vqf)
line("device motion (VQF for phones, gravity, push)", deviceMotion)
line("timeline and device motion", quiet)
line("timeline, device motion and all gestures", whole)
line("the same, and 10 taught ones", taught)
let each = (whole.ofEachEvent * 10).rounded() / 10
let micro = { (cost: Cost) in "\((cost.nanoseconds / 100).rounded() / 10) µs, \(cost.allocations) allocations" }
print("a query against 100 examples of 10 gestures: \(micro(ten)) (wanted 200 µs and none)")
print("a query against 3 examples each of 10 gestures, and what lies midway: \(micro(usual))")
print("the whole stage: \(whole.ofQuietSamples) allocations by samples that no event came of; \(each) an event")
print(
    "device motion: wanted 300 ns, at most 600 ns; \(deviceMotion.allocations) allocations in \(samples.count) samples")
try Figure("motion-sample", in: "ns", [whole.nanoseconds], beside: [madgwick.nanoseconds]).keep()
try Figure("motion-estimate", in: "ns", [deviceMotion.nanoseconds], beside: [madgwick.nanoseconds]).keep()
try Figure("gesture-query", in: "µs", [ten.nanoseconds / 1_000]).keep()
precondition(sink.isFinite, "nothing that is not a number leaves the stage")
let isFrugal =
    deviceMotion.allocations == 0 && whole.ofQuietSamples == 0 && ten.allocations == 0 && usual.allocations == 0
exit(deviceMotion.nanoseconds <= 600 && isFrugal ? 0 : 1)
