import ControllerSession
import Foundation
import Roomful
import WireProtocol

/// Where a controller's samples come from, and when each is due.
enum SampleSource: Sendable {
    /// A recording, at its own pace or at so many samples a second.
    case replay(Recording, rate: Double?, loop: Bool)
    /// Standard input after its opening.
    case lines(Opening, rest: LineSamples)

    /// What is known of standard input before joining.
    struct Opening: Sendable {
        /// Said before the first sample, as many as may be said at once.
        var marks: [String]
        /// So many more were said.
        var surplusMarks: Int
        var first: Sample
        /// When that was read.
        var readAt: DeviceTime
        /// Samples a second, as their times say.
        var rate: Double?
        /// Known from before the seat: afterwards more time has passed than its lines may tell of.
        var isFile = false
        let drain = FeedDrain()
    }

    static func recording(_ recording: Recording, rate: Double?, loop: Bool) -> SampleSource {
        .replay(recording, rate: rate, loop: loop)
    }

    /// Standard input, one sample a line. What the first good line measures, all do; how fast they come say the times of the
    /// first half second, which are read before joining.
    ///
    /// - Parameter buttonGestures: what buttons mean; else those that are built in.
    /// - Throws: ``RecordingError`` when no line is a sample.
    static func lines(buttonGestures: [String]) throws -> SampleSource {
        var reader = LineSamples(buttonGestures: buttonGestures)
        var (marks, surplus): ([String], Int) = ([], 0)
        while let fed = reader.next() {
            switch fed {
            case .mark(let mark):
                if marks.count < WireFormat.mostMarksAtOnce { marks.append(mark) } else { surplus += 1 }
            case .sample(let first):
                let readAt = reader.lastReadAt ?? first.sampledAt
                let rate = reader.rate(from: first)
                let opening = Opening(marks: marks, surplusMarks: surplus, first: first, readAt: readAt, rate: rate)
                return .lines(opening, rest: reader)
            }
        }
        throw RecordingError(.empty, "standard input held no sample; a line is t_s,ax,ay,az,gx,gy,gz")
    }

    var declaration: StreamDeclaration {
        switch self {
        case .lines(let opening, let rest):
            var declaration = StreamDeclaration(measures: opening.first.measures)
            if declaration.measures.contains(.buttons) { declaration.buttonGestures = rest.buttonGestures }
            // A feed that begins slowly may be as fast as usual later.
            declaration.nominalRate = max(declaration.nominalRate, opening.rate ?? 0)
            return declaration
        case .replay(let recording, _, _): return recording.declaration
        }
    }

    /// Sends samples from now on, each when it is due, until there are no more.
    func send(to controller: Controller, counting losses: FeedLosses) async throws {
        let codec = SampleCodec(declaration)
        @Sendable func send(_ sample: Sample) {
            losses.look(at: sample, of: codec)
            controller.send(sample)
        }
        switch try await fromSeatOn() {
        case .replay(let recording, let rate, let loop): try await Self.replay(recording, rate, loop, to: send)
        case .lines(let opening, let rest):
            if opening.surplusMarks > 0 {
                losses.leaveOut(marks: opening.surplusMarks, because: "\(SendError(code: .tooManyMarks))")
            }
            for await timed in Self.stream(opening, rest, losses) {
                switch timed {
                case .sample(let sample): send(sample)
                case .mark(let text, let at):
                    do {
                        try controller.mark(text, at: at)
                    } catch {
                        losses.leaveOut(because: "\(error)")
                    }
                }
            }
        }
    }

    private static func replay(
        _ recording: Recording, _ rate: Double?, _ loop: Bool, to send: @Sendable (Sample) -> Void
    ) async throws {
        let interval = Duration.nanoseconds(Int64(1e9 / (rate ?? recording.declaration.nominalRate)))
        let begin = recording.samples[0].sampledAt
        var start = Controller.deviceTimeNow()
        repeat {
            for (place, recorded) in recording.samples.enumerated() {
                var sample = recorded
                let offset = rate == nil ? recorded.sampledAt - begin : interval * place
                let now = Controller.deviceTimeNow()
                start = FeedPace.begin(start, of: offset, now: now)
                sample.sampledAt = start + offset
                let ahead = sample.sampledAt - now
                if ahead > .zero { try await Task.sleep(for: ahead) }
                send(sample)
            }
            start = start + (rate == nil ? recording.duration + interval : interval * recording.samples.count)
        } while loop
    }

    /// What was fed, and when it was, on the device's clock.
    private enum Timed: Sendable {
        case sample(Sample)
        case mark(String, at: DeviceTime)
    }

    /// What a thread of its own reads, as nothing else may wait for standard input.
    private static func stream(
        _ opening: Opening, _ rest: LineSamples, _ losses: FeedLosses
    ) -> AsyncStream<Timed> {
        let (stream, continuation) = AsyncStream.makeStream(of: Timed.self, bufferingPolicy: .bufferingOldest(8_192))
        let thread = Thread {
            var reader = rest
            let (first, readAt) = (opening.first, opening.readAt)
            func give(mark text: String, at moment: DeviceTime) {
                guard case .dropped = continuation.yield(.mark(text, at: moment)) else { return }
                losses.leaveOut(because: "it came faster than it could be handed on")
            }
            var pace = FeedPace(of: first, readAt: readAt)
            if !reader.isStamping, opening.isFile || reader.readsFile(from: first, readAt: readAt) {
                pace = FeedPace(ofFileFrom: first, now: Controller.deviceTimeNow())
            }
            var (next, waited, marks) = (Optional(Fed.sample(first)), false, opening.marks)
            var sampledAt = first.sampledAt
            while let fed = next {
                switch fed {
                case .mark(let text): give(mark: text, at: sampledAt)
                case .sample(var sample):
                    if !reader.isStamping {
                        let wait = pace.move(&sample, now: Controller.deviceTimeNow(), waited: waited)
                        if wait > .zero { Thread.sleep(forTimeInterval: wait / .seconds(1)) }
                    }
                    if case .dropped = continuation.yield(.sample(sample)) { losses.crowdOut() }
                    (sampledAt, waited) = (sample.sampledAt, false)
                    for text in marks { give(mark: text, at: sampledAt) }
                    marks = []
                }
                waited = !reader.hasNext(within: .zero) || waited
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
