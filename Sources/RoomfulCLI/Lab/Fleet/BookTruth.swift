import ControllerSession
import Roomful
import WireProtocol

/// What the host's books of one controller must say, worked out anew and naively from two witnesses: the sender's log
/// of what each datagram carried, and the relay's list of those that it passed on, in their order.
///
/// It knows sets and loops only: no window, no bitmap, no code of the host.
struct BookTruth: Sendable {
    /// Names a stream epoch.
    struct SampleKey: Hashable, Sendable {
        var stream: StreamID
        var epoch: UInt8
    }

    /// When the books of the last link epoch closed.
    enum Closing: Hashable, Sendable {
        /// With the first goodbye that came over the link.
        case link
        /// Before, by the one on the control connection: after so many of the epoch's deliveries.
        case control(after: Int)
    }

    private(set) var epochs = 0
    private(set) var unique = 0
    private(set) var expected = 0
    private(set) var duplicate = 0
    private(set) var tooOld = 0
    private(set) var reordered = 0
    private(set) var bytes = 0
    /// Sent after the highest that arrived; `nil` where the controller came back, as no witness knows what it had told
    /// the host by then.
    private(set) var tailMissing: Int?
    private(set) var sent: Int?
    private(set) var samples: [SampleKey: Set<UInt32>] = [:]
    private(set) var redundant = 0
    /// Datagrams that came after the books were closed: nobody's.
    private(set) var afterwards = 0

    /// - Parameters:
    ///   - cuts: for each link epoch but the last, after how many of its deliveries the host gave the seat anew.
    init(_ witness: FleetWitness, cuts: [Int] = [], closing: Closing) {
        for (place, epoch) in witness.epochs.enumerated() {
            let isLast = place == witness.epochs.count - 1
            let cut: Int? =
                switch closing {
                case .control(let count) where isLast: count
                case .control, .link: isLast ? nil : cuts.indices.contains(place) ? cuts[place] : nil
                }
            let (highest, lastSent) = fold(epoch, upTo: cut)
            if witness.epochs.count == 1 {
                let last = cut == nil ? lastSent : epoch.log.last.map { Int($0.number) } ?? -1
                sent = last + 1
                tailMissing = last - highest
            }
        }
    }

    /// Goes through what the host got of one link epoch. Returns the highest number, and the last one sent as the
    /// goodbye that closed the books said.
    private mutating func fold(_ epoch: FleetWitness.Epoch, upTo cut: Int?) -> (highest: Int, lastSent: Int) {
        epochs += 1
        var numbers: Set<UInt32> = []
        var (highest, lastSent, isClosed) = (-1, -1, false)
        for (place, delivery) in epoch.delivered.enumerated() {
            if isClosed || place >= cut ?? .max {
                afterwards += 1
                continue
            }
            guard let entry = epoch.entry(delivery.number) else { continue }
            bytes += entry.size
            let number = Int(entry.number)
            if highest - number >= 1_024 {
                tooOld += 1
                continue
            }
            guard numbers.insert(entry.number).inserted else {
                duplicate += 1
                continue
            }
            if number < highest { reordered += 1 }
            highest = max(highest, number)
            for run in entry.runs { take(run) }
            guard entry.isGoodbye else { continue }
            lastSent = number
            isClosed = true
        }
        unique += numbers.count
        expected += highest + 1
        return (highest, lastSent)
    }

    private mutating func take(_ run: RunRecord) {
        let key = SampleKey(stream: run.stream, epoch: run.epoch)
        for index in run.first..<run.first + run.count {
            if !samples[key, default: []].insert(index).inserted { redundant += 1 }
        }
    }

    // MARK: What follows

    var expectedSamples: Int { samples.values.reduce(0) { $0 + Int($1.max() ?? 0) + 1 } }
    var arrivedSamples: Int { samples.values.reduce(0) { $0 + $1.count } }
}

/// What two witnesses saw of one controller's stay.
struct FleetWitness: Sendable {
    /// One joining.
    struct Epoch: Sendable {
        /// The sender's; its numbers count from 0.
        var log: DatagramLog.SubSequence
        var delivered: [Fates.Delivery]

        func entry(_ number: UInt32) -> LoggedDatagram? {
            let place = log.startIndex + Int(number)
            return place < log.endIndex ? log[place] : nil
        }
    }

    var name: String
    /// 32 hexadecimal digits.
    var controller: String
    var epochs: [Epoch]

    /// - Parameter fates: the relay's, by connection id.
    init(name: String, controller: String, log: DatagramLog, fates: [UInt32: Fates]) {
        self.name = name
        self.controller = controller
        epochs = log.epochs.map { part in
            Epoch(log: part, delivered: fates[part.first?.connection ?? 0]?.delivered ?? [])
        }
    }
}

extension DatagramLog {
    /// The log, cut where a new link epoch begins.
    var epochs: [SubSequence] {
        var parts: [SubSequence] = []
        var start = startIndex
        while start < endIndex {
            let connection = self[start].connection
            let end = self[start...].firstIndex { $0.connection != connection } ?? endIndex
            parts.append(self[start..<end])
            start = end
        }
        return parts
    }
}
