/// What waits for the broker, in order: events that it has not confirmed, and in place of what did not fit, a gap.
///
/// ```
///  tried, perhaps stored     the gap, if any    not tried yet
///  5 6 7 8                   9…412              413 414 415
/// ```
/// What was tried may be in the stream already, so it is never dropped (it is a window of ``Limits/window`` at most); of
/// the rest the oldest goes when there is no room. Each event is in the stream or in a gap, and never in both.
package struct EventSpool: Sendable {
    package struct Limits: Sendable {
        package var count = 65_536
        package var bytes = 64 << 20
        /// So many are on their way at once, unconfirmed.
        package var window = 256
        package init() {}
        package init(count: Int, bytes: Int, window: Int) {
            (self.count, self.bytes, self.window) = (count, bytes, window)
        }
    }

    /// One record of the stream.
    package enum Record: Hashable, Sendable {
        /// An event as it is published.
        case event(number: Int, payload: [UInt8])
        /// The events of these numbers are in no stream.
        case gap(ClosedRange<Int>)

        /// The last number that it tells of.
        package var last: Int {
            switch self {
            case .event(let number, _): number
            case .gap(let numbers): numbers.upperBound
            }
        }

        fileprivate var bytes: Int {
            switch self {
            case .event(_, let payload): payload.count
            case .gap: 0
            }
        }
    }

    private struct Entry: Sendable {
        let record: Record
        var fate = Fate.onItsWay
    }
    private enum Fate { case onItsWay, refused, unknown }

    private let limits: Limits
    /// Was given to a connection, and is not confirmed.
    private var tried: [Entry] = []
    private var gap: ClosedRange<Int>?
    /// Not tried; the first `dropped` of the array have left it already.
    private var fresh: [Record] = []
    private var dropped = 0
    private var freshBytes = 0
    private var lastNumber: Int?

    /// Events that the broker confirmed, and has not lost since.
    package private(set) var confirmed = 0
    /// Events that no stream will have.
    package private(set) var lost = 0
    /// The newest number that the broker confirmed, and has not lost since.
    package private(set) var lastConfirmed: Int?

    package init(_ limits: Limits = Limits()) { self.limits = limits }

    // MARK: Questions

    /// Events that are not confirmed; gaps are none.
    package var waiting: Int { tried.count { !$0.record.isGap } + fresh.count - dropped }
    package var bytes: Int { freshBytes + tried.reduce(0) { $0 + $1.record.bytes } }
    package var isEmpty: Bool { tried.isEmpty && gap == nil && fresh.count == dropped }
    /// Whether nothing more may be sent before something is confirmed.
    package var isWindowFull: Bool { tried.count { $0.fate == .onItsWay } >= limits.window }
    /// The last number that ``next()`` would tell of, were the window open; `nil` when nothing waits.
    package var nextNumber: Int? {
        if let again = tried.first(where: { $0.fate == .unknown }) { return again.record.last }
        if let gap { return gap.upperBound }
        return fresh.count > dropped ? fresh[dropped].last : nil
    }
    /// Whether something was sent and is not confirmed.
    package var hasUnconfirmed: Bool { tried.contains { $0.fate == .onItsWay } }

    // MARK: Filling

    /// Takes an event; numbers only grow, and one that was passed over never came here.
    package mutating func append(number: Int, payload: [UInt8]) {
        if let last = lastNumber {
            guard number > last else { return }
            if number > last + 1 { lose(last + 1...number - 1, atEnd: true) }
        }
        lastNumber = number
        fresh.append(.event(number: number, payload: payload))
        freshBytes += payload.count
        while fresh.count - dropped > limits.count || freshBytes > limits.bytes && fresh.count - dropped > 1 {
            dropOldest()
        }
    }

    /// Goes on where an earlier owner of the room has ended: what lies between its last record and the first number here was
    /// told in no stream, if it was told at all, and is a gap.
    package mutating func goOn(after stored: Int, from first: Int) {
        guard stored + 1 < first else { return }
        widen(stored + 1...first - 1)
    }

    private mutating func dropOldest() {
        let oldest = takeFresh()
        switch oldest {
        case .event(let number, _): lose(number...number, atEnd: false)
        // It was counted when it was lost.
        case .gap(let numbers): widen(numbers)
        }
    }

    private mutating func lose(_ numbers: ClosedRange<Int>, atEnd: Bool) {
        lost += numbers.count
        if atEnd, fresh.count > dropped { fresh.append(.gap(numbers)) } else { widen(numbers) }
    }

    private mutating func widen(_ numbers: ClosedRange<Int>) {
        gap = gap.map { min($0.lowerBound, numbers.lowerBound)...max($0.upperBound, numbers.upperBound) } ?? numbers
    }

    private mutating func takeFresh() -> Record {
        let record = fresh[dropped]
        dropped += 1
        freshBytes -= record.bytes
        if dropped > 1_024, dropped * 2 > fresh.count {
            fresh.removeFirst(dropped)
            dropped = 0
        }
        return record
    }

    // MARK: Sending

    /// What is to be published next; `nil` while the window is full or nothing waits.
    package mutating func next() -> Record? {
        guard !isWindowFull else { return nil }
        if let again = tried.firstIndex(where: { $0.fate == .unknown }) {
            tried[again].fate = .onItsWay
            return tried[again].record
        }
        let record: Record
        if let gap {
            record = .gap(gap)
            self.gap = nil
        } else {
            guard fresh.count > dropped else { return nil }
            record = takeFresh()
        }
        tried.append(Entry(record: record))
        return record
    }

    /// The broker has it, or had it before.
    package mutating func store(_ record: Record) {
        guard let index = tried.firstIndex(where: { $0.record == record }) else { return }
        tried.remove(at: index)
        confirm(record)
    }

    /// The broker said that it does not take it: the connection begins anew, and so does it.
    package mutating func refuse(_ record: Record) {
        guard let index = tried.firstIndex(where: { $0.record == record }) else { return }
        tried[index].fate = .refused
    }

    /// Begins anew with a connection: what the stream holds already is confirmed, the rest of what was tried goes first.
    ///
    /// - Parameters:
    ///   - stored: the newest number of ours in the stream; `nil` when there is none.
    ///   - isNew: the stream is another one than that which confirmed: what that one had is gone, and told as a gap.
    ///   - isShorter: it is the same one, and has lost its newest records: what was confirmed behind `stored` is gone, told
    ///     as a gap and counted as lost.
    package mutating func resume(stored: Int?, isNew: Bool, isShorter: Bool = false) {
        var refused: [ClosedRange<Int>] = []
        let past = tried
        tried = []
        for entry in past {
            if let stored, entry.record.last <= stored {
                // Sent in order by one connection, so it is there, unless it was refused while later ones were taken.
                if entry.fate == .refused { note(entry.record, in: &refused) } else { confirm(entry.record) }
            } else {
                tried.append(Entry(record: entry.record.after(stored), fate: .unknown))
            }
        }
        if isShorter, !isNew { loseConfirmed(behind: stored) }
        tried.insert(contentsOf: refused.map { Entry(record: .gap($0), fate: .unknown) }, at: 0)
        if isNew, let lastConfirmed, lastConfirmed > 0 {
            tried.insert(Entry(record: .gap(1...lastConfirmed), fate: .unknown), at: 0)
        }
    }

    /// Once: what is gone then counts as never confirmed, and its gap waits like anything else.
    private mutating func loseConfirmed(behind stored: Int?) {
        let kept = stored ?? 0
        guard let last = lastConfirmed, last > kept else { return }
        // Of what was confirmed out of turn, those before it, too: no number stands beside a gap that names it.
        let before = tried.prefix { $0.record.last <= last }.count { !$0.record.isGap }
        tried.removeAll { $0.record.last <= last }
        lost += before
        // The numbers may hold gaps: no more is lost than was confirmed.
        let gone = min(last - kept - before, confirmed)
        (confirmed, lost, lastConfirmed) = (confirmed - gone, lost + gone, stored)
        tried.insert(Entry(record: .gap(kept + 1...last), fate: .unknown), at: 0)
    }

    /// Counts what was refused as lost; of what follows one another, one gap tells.
    private mutating func note(_ record: Record, in refused: inout [ClosedRange<Int>]) {
        let numbers: ClosedRange<Int>
        switch record {
        case .event(let number, _):
            numbers = number...number
            lost += 1
        // Its events were counted when they were lost.
        case .gap(let told): numbers = told
        }
        if let last = refused.last, last.upperBound + 1 == numbers.lowerBound {
            refused[refused.count - 1] = last.lowerBound...numbers.upperBound
        } else {
            refused.append(numbers)
        }
    }

    private mutating func confirm(_ record: Record) {
        if !record.isGap { confirmed += 1 }
        lastConfirmed = max(lastConfirmed ?? record.last, record.last)
    }
}

extension EventSpool.Record {
    /// Of a gap, what lies after a record that an earlier owner had still written.
    fileprivate func after(_ stored: Int?) -> Self {
        guard case .gap(let numbers) = self, let stored, numbers.contains(stored), stored < numbers.upperBound else {
            return self
        }
        return .gap(stored + 1...numbers.upperBound)
    }

    package var isGap: Bool { if case .gap = self { true } else { false } }
}
