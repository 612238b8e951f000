import ControllerSession
import WireProtocol

/// A host reduced to what the link promises it: takes each sample once, and gives feedback as the design says.
///
/// Feedback leaves 5 times a second, and 20 times while something below the newest sample is missing. Its clock stands
/// far from the controller's.
struct HostDouble {
    struct Stream {
        var epoch: UInt8
        /// When each sample came first, by index.
        var arrivals: [UInt32: DeviceTime] = [:]
        var cumulative: UInt32 = 0
        var end: UInt32 = 0
        var abandoned = 0
        var repeats = 0
        var hasHoles: Bool { cumulative < end }

        mutating func settle(floor: UInt32) {
            while cumulative < end || cumulative < floor {
                if arrivals[cumulative] == nil {
                    guard cumulative < floor else { return }
                    abandoned += 1
                }
                cumulative += 1
            }
        }
    }

    let declarations: [StreamDeclaration]
    var epoch: LinkEpoch
    private(set) var streams: [StreamID: Stream] = [:]
    private(set) var numbers = Set<UInt32>()
    /// The runs of every datagram, by its number: what the sender's log must say.
    private(set) var indexesByNumber: [UInt32: [UInt32]] = [:]
    private var feedbackNumber: UInt32 = 0
    private var feedbackAt: DeviceTime?
    private var highest: UInt32?

    init(_ declarations: [StreamDeclaration], epoch: LinkEpoch) {
        self.declarations = declarations
        self.epoch = epoch
    }

    /// A new link epoch; a host that forgets loses all that it knew.
    mutating func open(_ epoch: LinkEpoch, remembers: Bool) {
        let streams = remembers ? streams : [:]
        self = HostDouble(declarations, epoch: epoch)
        self.streams = streams
    }

    mutating func receive(_ bytes: [UInt8], at time: DeviceTime) {
        guard let datagram = ReadDatagram(bytes, epoch: epoch, declarations: declarations),
            numbers.insert(datagram.number).inserted
        else { return }
        highest = max(highest ?? 0, datagram.number)
        indexesByNumber[datagram.number] = datagram.streams.flatMap(\.indexes)
        for block in datagram.streams {
            var stream = streams[block.stream] ?? Stream(epoch: block.epoch)
            if stream.epoch != block.epoch { stream = Stream(epoch: block.epoch) }
            for index in block.indexes {
                if stream.arrivals[index] == nil { stream.arrivals[index] = time } else { stream.repeats += 1 }
                stream.end = max(stream.end, index + 1)
            }
            stream.settle(floor: block.floor)
            streams[block.stream] = stream
        }
    }

    /// When the next feedback is due.
    var nextDeadline: DeviceTime? {
        guard highest != nil else { return nil }
        let hasHoles = declarations.contains { streams[$0.stream]?.hasHoles == true }
        return (feedbackAt ?? .ms(0)) + .milliseconds(hasHoles ? 50 : 200)
    }

    mutating func nextFeedback(now: DeviceTime) -> [UInt8]? {
        guard let due = nextDeadline, due <= now, let highest else { return nil }
        feedbackAt = now
        defer { feedbackNumber += 1 }
        let feedback = Feedback(epoch: epoch, number: feedbackNumber, sentAt: now.nanoseconds + 1_000_000_000_000_000)
        return feedback.sealed { writer in
            for declaration in declarations {
                guard let stream = streams[declaration.stream] else { continue }
                _ = writer.writeAcknowledgement(
                    stream: declaration.stream, epoch: stream.epoch, cumulative: stream.cumulative, end: stream.end,
                    hasArrived: { stream.arrivals[$0] != nil })
            }
            _ = writer.writeAccount(highest: highest, unique: UInt32(numbers.count))
        }
    }
}
