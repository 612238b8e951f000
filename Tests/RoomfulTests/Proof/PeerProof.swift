import ControllerSession
import WireProtocol

@testable import Roomful

/// What the host's books of one peer must say, worked out anew and naively from two witnesses: the sender's log of what
/// each datagram carried, and the relay's list of those that it passed on, in their order.
///
/// It knows sets and loops only: no window, no bitmap, no code of the host.
struct PeerProof {
    private(set) var numbers: Set<UInt32> = []
    private(set) var duplicate = 0
    private(set) var tooOld = 0
    private(set) var reordered = 0
    private(set) var bytes = 0
    private(set) var highest = -1
    /// What the goodbye that closed the books said was the last number.
    private(set) var lastSent = -1
    private(set) var samples: [SampleKey: Set<UInt32>] = [:]
    private(set) var redundant = 0
    /// Datagrams that came after the books were closed: nobody's.
    private(set) var afterwards = 0

    /// Names a stream epoch.
    struct SampleKey: Hashable {
        var stream: StreamID
        var epoch: UInt8
    }

    /// - Parameters:
    ///   - log: the sender's, of one link epoch.
    ///   - delivered: the relay's.
    ///   - closesBeforeGoodbye: whether the goodbye on the control channel was heard before the one on the link.
    init(log: [LoggedDatagram], delivered: [UInt32], closesBeforeGoodbye: Bool = false) {
        let entries = Dictionary(uniqueKeysWithValues: log.map { ($0.number, $0) })
        var isClosed = false
        for number in delivered {
            guard let entry = entries[number] else { continue }
            if entry.isGoodbye, closesBeforeGoodbye { isClosed = true }
            guard !isClosed else {
                afterwards += 1
                continue
            }
            arrived(entry)
            isClosed = entry.isGoodbye
        }
        if closesBeforeGoodbye { lastSent = log.last.map { Int($0.number) } ?? -1 }
    }

    private mutating func arrived(_ entry: LoggedDatagram) {
        bytes += entry.size
        let number = Int(entry.number)
        guard highest - number < 1_024 else { return tooOld += 1 }
        guard numbers.insert(entry.number).inserted else { return duplicate += 1 }
        if number < highest { reordered += 1 }
        highest = max(highest, number)
        if entry.isGoodbye { lastSent = number }
        for run in entry.runs {
            let key = SampleKey(stream: run.stream, epoch: run.epoch)
            for index in run.first..<run.first + run.count {
                if !samples[key, default: []].insert(index).inserted { redundant += 1 }
            }
        }
    }

    // MARK: What follows

    private var expectedSamples: Int { samples.values.reduce(0) { $0 + Int($1.max() ?? 0) + 1 } }
    private var arrivedSamples: Int { samples.values.reduce(0) { $0 + $1.count } }

    /// What each of ``counters`` must be.
    var truth: [Int] {
        [
            1, lastSent + 1, numbers.count + duplicate + tooOld, highest + 1, numbers.count,
            highest + 1 - numbers.count, lastSent - highest, duplicate, tooOld, reordered, 0, bytes,
            samples.count, expectedSamples, arrivedSamples, 0, expectedSamples - arrivedSamples, redundant,
        ]
    }

    /// A figure of the host's books; where it is a sum, each part of it.
    struct Counter: Sendable {
        var name: String
        var parts: [any WritableKeyPath<PeerStatus, Int> & Sendable]
    }

    static let counters = [
        Counter(name: "link epochs", parts: [\.datagrams.epochs]),
        Counter(name: "sent", parts: [\.datagrams.sent.orNone]),
        Counter(name: "authenticated", parts: [\.datagrams.authenticated]),
        Counter(name: "expected", parts: [\.datagrams.expected.orNone]),
        Counter(name: "unique", parts: [\.datagrams.unique]),
        Counter(name: "missing", parts: [\.datagrams.missing.orNone]),
        Counter(name: "tailMissing", parts: [\.datagrams.tailMissing.orNone]),
        Counter(name: "duplicate", parts: [\.datagrams.duplicate]),
        Counter(name: "tooOld", parts: [\.datagrams.tooOld]),
        Counter(name: "reordered", parts: [\.datagrams.reordered]),
        Counter(name: "unreadable", parts: [\.datagrams.unreadable]),
        Counter(name: "bytes", parts: [\.datagrams.bytes]),
        Counter(name: "stream epochs", parts: [\.samples.epochs]),
        Counter(name: "samples expected", parts: [\.samples.expected.orNone]),
        // Which of them came too late to be fed depends on the merge's clock: no witness saw it.
        Counter(name: "samples arrived", parts: [\.samples.delivered, \.samples.late]),
        Counter(name: "abandoned", parts: [\.samples.abandoned]),
        Counter(name: "samples missing", parts: [\.samples.missing.orNone]),
        Counter(name: "redundant", parts: [\.samples.redundant]),
    ]

    /// What differs, in words; empty when the host's books are right.
    func differences(_ status: PeerStatus) -> [String] {
        zip(Self.counters, truth).compactMap { counter, expected in
            let found = counter.parts.reduce(0) { $0 + status[keyPath: $1] }
            return found == expected ? nil : "\(status.name) \(counter.name): \(found), in truth \(expected)"
        }
    }
}

extension Int? {
    /// -1 for what is not known: no count is.
    var orNone: Int {
        get { self ?? -1 }
        set { self = newValue }
    }
}
