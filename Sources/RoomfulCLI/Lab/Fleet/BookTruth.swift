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

    private(set) var epochs = 0
    /// Links that the host may know beside these, as answers of its own were not heard: nobody ever spoke on them.
    let unheardLinks: Int
    private(set) var unique = 0
    private(set) var expected = 0
    private(set) var duplicate = 0
    private(set) var tooOld = 0
    private(set) var reordered = 0
    private(set) var bytes = 0
    /// Sent after the highest that arrived, as the last goodbye that came through said; `nil` where the controller came
    /// back, as nobody said it of the links before.
    private(set) var tailMissing: Int?
    /// The same by the goodbye on the control connection, which knows of the last copies that were lost: the host may have
    /// heard either first.
    private(set) var tailByControl: Int?
    /// In all since the host knew the program, as the last goodbye that came through said; `nil` when none did.
    private(set) var sent: Int?
    /// The same as the goodbye on the control connection says; the host may have heard either.
    private(set) var sentByControl = 0
    private(set) var samples: [SampleKey: Set<UInt32>] = [:]
    private(set) var redundant = 0

    init(_ witness: FleetWitness) {
        unheardLinks = witness.unanswered
        var before = 0
        for (place, epoch) in witness.epochs.enumerated() {
            let (highest, lastSent) = fold(epoch)
            if epoch.isBeginning { before = 0 }
            if place == witness.epochs.count - 1, let lastSent {
                sent = before + lastSent + 1
                if place == 0 { tailMissing = max(0, lastSent - highest) }
            }
            if witness.epochs.count == 1, let last = epoch.log.last {
                tailByControl = max(0, Int(last.number) - highest)
                tailMissing = tailMissing ?? tailByControl
            }
            before += epoch.log.count
        }
        sentByControl = before
    }

    /// Goes through what the host got of one link epoch: whatever came, it drains. Returns the highest number, and the
    /// last one sent as the newest goodbye said.
    private mutating func fold(_ epoch: FleetWitness.Epoch) -> (highest: Int, lastSent: Int?) {
        epochs += 1
        var numbers: Set<UInt32> = []
        var (highest, lastSent): (Int, Int?) = (-1, nil)
        for delivery in epoch.delivered {
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
            if entry.isGoodbye { lastSent = max(lastSent ?? -1, number) }
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

    var arrived: Int { unique + duplicate + tooOld }
    var expectedSamples: Int { samples.values.reduce(0) { $0 + Int($1.max() ?? 0) + 1 } }
    var arrivedSamples: Int { samples.values.reduce(0) { $0 + $1.count } }
}
