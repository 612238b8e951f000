import Foundation
import PrivateFiles
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
            let readAt = rest.lastReadAt ?? first.sampledAt
            var pace = FeedPace(of: first, readAt: readAt)
            if !reader.isStamping, reader.readsFile(from: first, readAt: readAt) {
                pace = FeedPace(ofFileFrom: first, now: Controller.deviceTimeNow())
            }
            var (next, waited) = (Optional(first), false)
            while var sample = next {
                if !reader.isStamping {
                    let wait = pace.move(&sample, now: Controller.deviceTimeNow(), waited: waited)
                    if wait > .zero { Thread.sleep(forTimeInterval: wait / .seconds(1)) }
                }
                continuation.yield(sample)
                waited = !reader.hasNext(within: .zero)
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
/// What comes as it is sampled never waits: the first sample was taken when it was read, which was before joining, and joining
/// can take seconds. Such a clock may run ahead; but a line that had to be waited for holds nothing that is still to come.
/// A file's first sample is taken now, and each of the others waits until it is due; what leaps ahead by more than a second,
/// as a gap does, goes on as of now.
struct FeedPace {
    /// From no sensor comes so much more motion than time has passed.
    static let mostAhead = Duration.seconds(1)

    private let isFile: Bool
    private var shift: Duration
    private var previous: DeviceTime

    init(of first: Sample, readAt: DeviceTime) {
        (isFile, shift, previous) = (false, readAt - first.sampledAt, first.sampledAt)
    }

    init(ofFileFrom first: Sample, now: DeviceTime) {
        (isFile, shift, previous) = (true, now - first.sampledAt, first.sampledAt)
    }

    /// - Parameter waited: whether the line was not there yet when it was asked for.
    mutating func move(_ sample: inout Sample, now: DeviceTime, waited: Bool) -> Duration {
        let step = sample.sampledAt - previous
        previous = sample.sampledAt
        var ahead = sample.sampledAt + shift - now
        let isNew = waited && !isFile
        let isLeap = step > Self.mostAhead && ahead > Self.mostAhead
        if ahead > .zero, isNew || isLeap {
            shift -= ahead
            ahead = .zero
        }
        sample.sampledAt = sample.sampledAt + shift
        return isFile ? max(.zero, ahead) : .zero
    }
}

/// Reads samples from standard input; tells of the first ten broken lines, and counts the rest.
struct LineSamples: Sendable {
    private var parser = SampleLineParser()
    private var input = LineInput()
    /// What was read before it was asked for.
    private var waiting: [Sample] = []
    private var line = 0
    private var broken = 0
    /// The lines bear no times: they are stamped as they come.
    private(set) var isStamping = false
    /// When the newest sample was read.
    private(set) var lastReadAt: DeviceTime?

    mutating func next() -> Sample? {
        guard waiting.isEmpty else { return waiting.removeFirst() }
        return read()
    }

    /// Whether the next sample is there already, or its line is within this time.
    mutating func hasNext(within time: Duration) -> Bool { !waiting.isEmpty || input.hasLine(within: time) }

    /// Reads what is there, and says whether it is a file: it is one by itself, or is there to its end, or is more motion than
    /// can have been sampled since its first line was read.
    mutating func readsFile(from first: Sample, readAt: DeviceTime) -> Bool {
        if input.isFile { return true }
        let begun = Controller.deviceTimeNow()
        while waiting.count < 8_192, input.hasLine(within: .milliseconds(2)) {
            let now = Controller.deviceTimeNow()
            guard now - begun < .milliseconds(250) else { return false }
            guard let sample = read() else { return true }
            waiting.append(sample)
            if (sample.sampledAt - first.sampledAt) - (now - readAt) > FeedPace.mostAhead { return true }
        }
        return false
    }

    private mutating func read() -> Sample? {
        while let text = input.line() {
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

/// Standard input, line by line, of which can be asked whether the next line is there.
private struct LineInput: Sendable {
    private var bytes: [UInt8] = []
    /// Of `bytes`, how many were given, and how many hold no further end of a line.
    private var (given, searched) = (0, 0)
    private var isAtEnd = false
    private static let mostBytes = 1 << 20

    /// Whether it is a file's content, not what another program writes meanwhile.
    var isFile: Bool { (try? Descriptor.Facts(of: STDIN_FILENO, path: "standard input"))?.isFile ?? false }

    /// The next line without its end; `nil` at the end. What has no end within 1 MiB is a line of so much.
    mutating func line() -> String? {
        while true {
            if let end = findEnd() { return take(until: end, leaving: 1) }
            if isAtEnd, given == bytes.count { return nil }
            if isAtEnd || bytes.count - given >= Self.mostBytes { return take(until: bytes.count, leaving: 0) }
            fill()
        }
    }

    /// Whether ``line()`` would return at once, or does within this time; the end counts as a line.
    mutating func hasLine(within time: Duration) -> Bool {
        if isAtEnd || findEnd() != nil { return true }
        guard isReadable(within: Int32(clamping: Int64(time / .milliseconds(1)))) else { return false }
        fill()
        return isAtEnd || findEnd() != nil
    }

    private mutating func findEnd() -> Int? {
        let end = bytes[max(given, searched)...].firstIndex(of: UInt8(ascii: "\n"))
        searched = end ?? bytes.count
        return end
    }

    private mutating func take(until end: Int, leaving: Int) -> String {
        var text = bytes[given..<end]
        given = end + leaving
        if text.last == UInt8(ascii: "\r") { text.removeLast() }
        return String(decoding: text, as: UTF8.self)
    }

    private mutating func fill() {
        bytes.removeFirst(given)
        (given, searched) = (0, max(0, searched - given))
        var piece = [UInt8](repeating: 0, count: 16_384)
        var count = read(STDIN_FILENO, &piece, piece.count)
        while count < 0, errno == EINTR || errno == EAGAIN {
            // Another program may have left it so that it does not wait.
            if errno == EAGAIN { _ = isReadable(within: -1) }
            count = read(STDIN_FILENO, &piece, piece.count)
        }
        isAtEnd = count <= 0
        bytes += piece.prefix(max(0, count))
    }

    /// - Parameter milliseconds: -1 for as long as it takes.
    private func isReadable(within milliseconds: Int32) -> Bool {
        var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        return poll(&input, 1, milliseconds) > 0
    }
}
