import Foundation
import Roomful
import WireProtocol

/// Where a controller's samples come from, and when each is due.
enum SampleSource: Sendable {
    /// A recording, at its own pace or at so many samples a second.
    case replay(Recording, rate: Double?, loop: Bool)
    /// Standard input, after its first sample.
    case lines(first: Sample, rest: LineSamples)

    static func recording(_ recording: Recording, rate: Double?, loop: Bool) -> SampleSource {
        .replay(recording, rate: rate, loop: loop)
    }

    /// Standard input, one sample a line. What the first good line measures, all do.
    ///
    /// - Throws: ``RecordingError`` when no line is a sample.
    static func lines() throws -> SampleSource {
        var reader = LineSamples()
        guard let first = reader.next() else {
            throw RecordingError(.empty, "standard input held no sample; a line is t_s,ax,ay,az,gx,gy,gz")
        }
        return .lines(first: first, rest: reader)
    }

    var declaration: StreamDeclaration {
        switch self {
        case .lines(let first, _): return StreamDeclaration(measures: first.measures)
        case .replay(let recording, let rate, _):
            var declaration = recording.declaration
            if let rate { declaration.nominalRate = rate }
            return declaration
        }
    }

    /// Sends samples from now on, each when it is due, until there are no more.
    func send(to controller: Controller) async throws {
        switch self {
        case .replay(let recording, let rate, let loop):
            try await Self.replay(recording, rate, loop, to: controller)
        case .lines(let first, let rest):
            for await sample in Self.stream(first, rest) { controller.send(sample) }
        }
    }

    private static func replay(
        _ recording: Recording, _ rate: Double?, _ loop: Bool, to controller: Controller
    ) async throws {
        let interval = Duration.nanoseconds(Int64(1e9 / (rate ?? recording.declaration.nominalRate)))
        let begin = recording.samples[0].sampledAt
        var start = Controller.deviceTimeNow()
        repeat {
            for (place, recorded) in recording.samples.enumerated() {
                var sample = recorded
                sample.sampledAt = start + (rate == nil ? recorded.sampledAt - begin : interval * place)
                let ahead = sample.sampledAt - Controller.deviceTimeNow()
                if ahead > .zero { try await Task.sleep(for: ahead) }
                controller.send(sample)
            }
            start = start + (rate == nil ? recording.duration + interval : interval * recording.samples.count)
        } while loop
    }

    /// What a thread of its own reads, as nothing else may wait for standard input.
    private static func stream(_ first: Sample, _ rest: LineSamples) -> AsyncStream<Sample> {
        let (stream, continuation) = AsyncStream.makeStream(of: Sample.self, bufferingPolicy: .bufferingOldest(8_192))
        let thread = Thread {
            var reader = rest
            var pace = FeedPace(of: first, readAt: rest.lastReadAt)
            var next: Sample? = first
            while var sample = next {
                if !reader.isStamping {
                    let wait = pace.move(&sample, now: Controller.deviceTimeNow())
                    if wait > .zero { Thread.sleep(forTimeInterval: wait / .seconds(1)) }
                }
                continuation.yield(sample)
                next = reader.next()
            }
            reader.sum()
            continuation.finish()
        }
        thread.name = "roomful-stdin"
        thread.start()
        return stream
    }
}

/// Moves samples with times of their own onto this program's clock, and says how long each is to wait for its time.
///
/// The first was taken when it was read. That was before joining, which can take seconds: who goes on meanwhile, goes on in
/// time. Whoever feeds a file is far ahead of that at once, and each of its samples waits until it is due; what leaps ahead
/// by more than a second, as a gap in a file and a clock that is set do, goes on as of now.
struct FeedPace {
    /// From no sensor comes what is so far ahead of its time.
    private static let mostAhead = Duration.milliseconds(250)
    private static let longestStep = Duration.seconds(1)

    private var shift: Duration
    private var previous: DeviceTime
    private var isFile = false

    init(of first: Sample, readAt: DeviceTime?) {
        shift = (readAt ?? first.sampledAt) - first.sampledAt
        previous = first.sampledAt
    }

    mutating func move(_ sample: inout Sample, now: DeviceTime) -> Duration {
        let step = sample.sampledAt - previous
        previous = sample.sampledAt
        var ahead = sample.sampledAt + shift - now
        if step > Self.longestStep, ahead > Self.longestStep {
            shift -= ahead
            ahead = .zero
        }
        sample.sampledAt = sample.sampledAt + shift
        isFile = isFile || ahead > Self.mostAhead
        return isFile ? max(.zero, ahead) : .zero
    }
}

/// Reads samples from standard input; tells of the first ten broken lines, and counts the rest.
struct LineSamples: Sendable {
    private var parser = SampleLineParser()
    private var line = 0
    private var broken = 0
    /// The lines bear no times: they are stamped as they come.
    private(set) var isStamping = false
    /// When the newest sample was read.
    private(set) var lastReadAt: DeviceTime?

    mutating func next() -> Sample? {
        while let text = readLine() {
            line += 1
            let now = Controller.deviceTimeNow()
            do throws(RecordingError) {
                if let sample = try parser.parse(text, now: now) {
                    isStamping = sample.sampledAt == now
                    lastReadAt = now
                    return sample
                }
            } catch {
                broken += 1
                if broken <= 10 { Failure.say("line \(line) is skipped: \(error.message)") }
            }
        }
        return nil
    }

    func sum() {
        if broken > 10 { Failure.say("\(broken) of \(line) lines were skipped") }
    }
}
