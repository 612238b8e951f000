import Foundation
import PrivateFiles
import Roomful
import WireProtocol

/// What a program that samples says.
enum Fed: Hashable, Sendable {
    case sample(Sample)
    /// What it calls this moment: a line like `{"mark":"lap 3"}`, or a sample that says so besides.
    case mark(String)

    var asSample: Sample? {
        guard case .sample(let sample) = self else { return nil }
        return sample
    }
}

/// Reads samples from standard input; tells of the first ten broken lines, and counts the rest.
struct LineSamples: Sendable {
    /// Of more troubles of one sort only the number is told.
    static let mostTold = 10

    private var parser: SampleLineParser
    private var input = LineInput()
    /// What was read before it was asked for.
    private var waiting: [Fed] = []
    private var line = 0
    private var broken = 0
    /// What samples measure that the first one did not, as far as that was told.
    private var toldLeftOut = Sample.Measures()
    /// How often the sensor's clock was set back.
    private var setBack = 0
    private var sampledAt: DeviceTime?
    /// The lines bear no times: they are stamped as they come.
    private(set) var isStamping = false
    /// How many samples of late bore a time, and how many none.
    private var (timed, untimed) = (0, 0)
    /// Of so many; by so many more that bear none, the lines of a feed have lost their times for good.
    private static let (ofLate, forGood) = (40, 10)
    /// When the newest sample was read.
    private(set) var lastReadAt: DeviceTime?

    /// - Parameter buttonGestures: what buttons mean; else those that are built in.
    init(buttonGestures: [String]) { parser = SampleLineParser(buttonGestures: buttonGestures) }

    /// What each button means, bit 0 first.
    var buttonGestures: [String] { parser.buttonGestures }

    mutating func next() -> Fed? {
        while waiting.isEmpty {
            guard let text = input.line() else { return nil }
            waiting = take(text)
        }
        return waiting.removeFirst()
    }

    /// Whether the next one is there already, or its line is within this time.
    mutating func hasNext(within time: Duration) -> Bool { !waiting.isEmpty || input.hasLine(within: time) }

    /// How many samples a second the sensor gives, by the times of those that come within half a second after its first;
    /// `nil` where they are too few, or bear none.
    mutating func rate(from first: Sample) -> Double? {
        let end = Controller.deviceTimeNow() + .milliseconds(500)
        while waiting.count < FeedPace.enoughForRate {
            let left = end - Controller.deviceTimeNow()
            guard left > .zero else { break }
            guard input.hasLine(within: left) else { continue }
            guard let text = input.line() else { break }
            waiting += take(text)
        }
        return isStamping ? nil : FeedPace.rate(of: [first.sampledAt] + waiting.compactMap(\.asSample?.sampledAt))
    }

    /// Reads what is there, and says whether it is a file: it is one by itself, or is there to its end, or is more motion than
    /// can have been sampled since its first line was read.
    mutating func readsFile(from first: Sample, readAt: DeviceTime) -> Bool {
        if input.isFile { return true }
        let begun = Controller.deviceTimeNow()
        func isAhead(_ fed: Fed, _ now: DeviceTime) -> Bool {
            guard let sample = fed.asSample else { return false }
            return (sample.sampledAt - first.sampledAt) - (now - readAt) > FeedPace.mostAhead
        }
        if waiting.contains(where: { isAhead($0, begun) }) { return true }
        while waiting.count < 8_192, input.hasLine(within: .milliseconds(2)) {
            let now = Controller.deviceTimeNow()
            guard now - begun < .milliseconds(250) else { return false }
            guard let text = input.line() else { return true }
            let fed = take(text)
            waiting += fed
            if fed.contains(where: { isAhead($0, now) }) { return true }
        }
        return false
    }

    /// What a line says: a sample, and what it calls that moment, or one of them, or nothing.
    private mutating func take(_ text: String) -> [Fed] {
        line += 1
        let now = Controller.deviceTimeNow()
        let mark = Self.mark(in: text).map(Fed.mark)
        var sample: Sample?
        let before = parser
        do throws(RecordingError) {
            sample = try parser.parse(text, now: now)
        } catch  where mark == nil {
            skip(error.message)
        } catch {}
        if let sample {
            guard keepsToTimes(isStamped: sample.sampledAt == now) else {
                // What it told counts for nothing, nor when it was.
                parser = before
                return mark.map { [$0] } ?? []
            }
            lastReadAt = now
            noteTime(of: sample)
            noteLeftOut()
        }
        return [sample.map(Fed.sample), mark].compactMap(\.self)
    }

    private mutating func skip(_ reason: String) {
        broken += 1
        if broken <= Self.mostTold { Failure.say("line \(line) is skipped: \(reason)") }
    }

    /// All lines bear times or none does: what was read at some moment has no place among what was sampled at others. The
    /// many have the say, and those with times where it is open.
    private mutating func keepsToTimes(isStamped: Bool) -> Bool {
        if isStamped { untimed += 1 } else { timed += 1 }
        if timed + untimed > Self.ofLate { (timed, untimed) = (timed / 2, untimed / 2) }
        let before = isStamping
        if timed >= untimed {
            isStamping = false
        } else if timed == 0 || untimed > timed + Self.forGood {
            isStamping = true
        }
        // Times of two clocks are not to be compared.
        if isStamping != before { sampledAt = nil }
        if isStamping == isStamped { return true }
        skip(isStamped ? "it has no time (t), and others have" : "it has a time (t), and most have none")
        return false
    }

    /// Samples go on as of now (``FeedPace``), but whoever compares times with those of the sensor wants to know.
    private mutating func noteTime(of sample: Sample) {
        let before = sampledAt
        sampledAt = sample.sampledAt
        guard let before, sample.sampledAt < before else { return }
        setBack += 1
        guard setBack <= Self.mostTold else { return }
        let step = Int64((before - sample.sampledAt) / .seconds(1))
        Failure.say("line \(line): the sensor's clock was set back by \(step) s; its samples go on as of now")
    }

    /// What samples measure is settled before joining: what comes up later goes nowhere, and whoever sends it wants to know.
    private mutating func noteLeftOut() {
        let leftOut = parser.leftOut.subtracting(toldLeftOut)
        guard !leftOut.isEmpty else { return }
        toldLeftOut.formUnion(leftOut)
        let names = StreamOffer(StreamDeclaration(measures: leftOut)).measures.joined(separator: " and ")
        Failure.say("line \(line): what the first sample had not is left out: \(names)")
    }

    /// What a line calls a moment; `nil` for one that does not.
    private static func mark(in line: String) -> String? {
        struct Line: Decodable { var mark: String }
        guard line.utf8.count <= SampleLineParser.longestLine, line.contains("\"mark\"") else { return nil }
        return (try? JSONDecoder().decode(Line.self, from: Data(line.utf8)))?.mark
    }

    func sum() {
        if broken > Self.mostTold { Failure.say("\(broken) of \(line) lines were skipped") }
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
        if isAtEnd || findEnd() != nil || bytes.count - given >= Self.mostBytes { return true }
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
