import BenchmarkFigures
import Glibc
import LinkEmulation
import LossyPaths

let rate = 60
private let seeds: [UInt64] = [1, 2, 3, 4, 5]
private let networks = [
    ("1", "loss=1%,delay=20ms"), ("5", "loss=5%,delay=20ms"), ("20", "loss=20%,delay=20ms"),
    ("bursts", "loss=5%,burst=5,delay=20ms"),
]
private let kinds = ["Roomful", "TCP", "ENet, reliable"]

/// All streams at once, each on a network of its own: they are far from what the machine can do, and none disturbs another.
final class LossBenchmark {
    struct Missing: Error, CustomStringConvertible { let description: String }

    /// A stream by one protocol, on one network with one seed.
    private struct Trial {
        let network: Int
        let flow: any SampleFlow
        var made = 0
        /// Nanoseconds, by sample; `nil` while it has not come.
        var delays: [Int64?]
    }

    /// So long after the last sample was made what has not come counts as missing, in nanoseconds.
    private static let patience: Int64 = 10_000_000_000

    private let count: Int
    private let paths: LossyNetworks
    private var trials: [Trial] = []

    init(seconds: Int) throws {
        count = seconds * rate
        paths = try LossyNetworks(count: networks.count * kinds.count * seeds.count)
        paths.start()
        for network in networks.indices {
            for _ in seeds {
                for kind in kinds.indices {
                    let path = trials.count
                    let flow: any SampleFlow =
                        switch kind {
                        case 0: try RoomfulFlow(paths.ends(of: path), rate: rate)
                        case 1: try TCPFlow(paths.ends(of: path))
                        default: try ENetFlow(paths.ends(of: path))
                        }
                    trials.append(Trial(network: network, flow: flow, delays: [Int64?](repeating: nil, count: count)))
                }
            }
        }
    }

    func run() throws {
        for path in trials.indices {
            let conditions = try NetworkConditions(parsing: networks[trials[path].network].1)
            paths.begin(conditions, seed: seeds[path / kinds.count % seeds.count], on: path)
        }
        let interval = 1_000_000_000 / Int64(rate)
        let start = nanoseconds() + 20_000_000
        let end = start + Int64(count) * interval + Self.patience
        var now = start
        while now < end, trials.contains(where: { $0.delays.contains(nil) }) {
            now = nanoseconds()
            for place in trials.indices { work(place, start, interval, now: now) }
            usleep(500)
        }
        paths.stop()
        try report(interval)
    }

    /// Makes what is due, each stream at a moment of its own, and takes what has come.
    private func work(_ place: Int, _ start: Int64, _ interval: Int64, now: Int64) {
        func due(_ sample: Int) -> Int64 {
            start + Int64(sample) * interval + interval * Int64(place) / Int64(trials.count)
        }
        while trials[place].made < count, due(trials[place].made) <= now {
            trials[place].flow.make(UInt32(trials[place].made), at: due(trials[place].made), now: now)
            trials[place].made += 1
        }
        trials[place].flow.work(now: now) { index in
            let sample = Int(index)
            guard sample < trials[place].made, trials[place].delays[sample] == nil else { return }
            trials[place].delays[sample] = nanoseconds() - due(sample)
        }
    }

    private func report(_ interval: Int64) throws {
        print("added delay of \(count) samples at \(rate) Hz, \(seeds.count) seeds each, ms (median of the seeds):")
        for network in networks.indices {
            let (name, conditions) = networks[network]
            let base = try NetworkConditions(parsing: conditions).delay / .milliseconds(1)
            var late: [[Double]] = []
            for kind in kinds.indices {
                let mine = trials.indices.filter { trials[$0].network == network && $0 % kinds.count == kind }
                let added = mine.map { place in
                    // What never came is later than all that did.
                    trials[place].delays.map { $0.map { Double($0) / 1e6 - base } ?? Double(Self.patience) / 1e6 }
                        .sorted()
                }
                let missing = mine.reduce(0) { $0 + trials[$1].delays.count { $0 == nil } }
                let (middle, nearly) = (added.map { $0[count / 2] }, added.map { $0[count * 99 / 100] })
                late.append(nearly)
                print(
                    "  \(conditions), \(kinds[kind]): p50 \(text(median(middle))), p99 \(text(median(nearly))), at most "
                        + "\(text(added.map { $0[count - 1] }.max() ?? 0)); \(missing) missing")
                if kind == 0 { try Figure("loss-\(name)-missing", in: "samples", [Double(missing)]).keep() }
            }
            try Figure("loss-\(name)-tcp", in: "ms", late[0], beside: late[1]).keep()
            try Figure("loss-\(name)-enet", in: "ms", late[0], beside: late[2]).keep()
        }
    }

    private func text(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
}

/// The machine's monotonic clock.
func nanoseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}
