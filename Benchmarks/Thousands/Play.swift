import BenchmarkFigures
import Connections
import Foundation
import OperatorFront
import Roomful

/// What a play at one rate came to: what was used until the last sample was sent, and the books once all had settled.
struct Play {
    /// Samples a second, of each pad.
    let rate: Double
    private let seconds: Double
    private let host: (cpu: Double, wakes: Int)
    /// Of this program: the pads.
    private let own: Double
    /// Of all pads, as the host has them.
    private let samples: Int
    /// Milliseconds from a datagram's arrival until the host read it: the mean.
    private let waited: Double?
    /// Thrown away by the host's kernel.
    private let drops: Int
    /// Milliseconds by which samples were made too late, p99.
    private let lateness: Double
    private let differences: [String]

    /// - Parameter heard: of earlier plays the samples that the host has.
    init(
        of pads: PadThread, at rate: Double, for length: Double, in client: OperatorClient, after heard: inout Int
    ) async throws {
        self.rate = rate
        let before = try await status(client)
        guard let pid = before.pid.map({ pid_t($0) }) else {
            throw PadDoor.Refused(description: "the room does not say its process")
        }
        let (hostBefore, ownBefore, start) = (
            ProcessFigures(of: pid), ProcessFigures(of: getpid()), ContinuousClock.now
        )
        try await pads.ask(.playing(rate: rate, samples: Int(rate * length)))
        let (hostAfter, ownAfter) = (ProcessFigures(of: pid), ProcessFigures(of: getpid()))
        seconds = (ContinuousClock.now - start) / .seconds(1)
        host = (hostAfter.cpu - hostBefore.cpu, hostAfter.wakes - hostBefore.wakes)
        own = ownAfter.cpu - ownBefore.cpu
        try await pads.ask(.settling)
        try await pads.ask(.silent)
        try await Task.sleep(for: .milliseconds(500))
        let comparison = Comparison(
            pads.standing.value.books, try await client.ask(OperatorRequest(.peers)).peers ?? [])
        let after = try await status(client)
        try await pads.ask(.waiting)
        (samples, heard) = (comparison.samples - heard, comparison.samples)
        differences = comparison.differences
        drops = (after.strangers.kernelDrops ?? 0) - (before.strangers.kernelDrops ?? 0)
        let lateness = pads.standing.value.lateness.sorted()
        self.lateness = lateness.isEmpty ? 0 : lateness[lateness.count * 99 / 100]
        if let now = after.arrivals, let then = before.arrivals, now.handedOver > then.handedOver,
            let all = now.waitedMs, let earlier = then.waitedMs
        {
            waited = (all - earlier) / Double(now.handedOver - then.handedOver)
        } else {
            waited = nil
        }
    }

    /// Nothing was thrown away, every book is exact, and none was made an interval late: it would be no sample of that rate.
    var isCarried: Bool { drops == 0 && differences.isEmpty && lateness < 1_000 / rate }

    /// Per cent of a core.
    var hostShare: Double { host.cpu / seconds * 100 }

    var lines: [String] {
        let books = differences.isEmpty ? "every book exact" : "\(differences.count) lines differ"
        let thrown = drops == 0 ? "nothing thrown away" : "\(drops) datagrams thrown away by the kernel"
        let (wakes, sender) = (text(Double(host.wakes) / seconds), text(own / seconds * 100))
        let line =
            "\(text(rate)) Hz: host \(text(hostShare)) % of a core, \(wakes) wake-ups a second; these pads \(sender) %; "
            + "samples made late by p99 \(text(lateness)) ms; \(thrown); \(books)"
        return [line] + differences.prefix(5).map { "  \($0)" }
    }

    /// Of a play at a rate that was asked for: Scripts/bench.py puts them beside others.
    func keep() throws {
        if samples > 0 { try Figure("play-ns", in: "ns", [host.cpu * 1e9 / Double(samples)]).keep() }
        try Figure("play-wakes", in: "wake-ups a second", [Double(host.wakes) / seconds]).keep()
        try Figure("play-sender", in: "% of a core", [own / seconds * 100]).keep()
        try Figure("play-drops", in: "datagrams", [Double(drops)]).keep()
        try Figure("play-late", in: "ms", [lateness]).keep()
        try Figure("play-differing", in: "lines", [Double(differences.count)]).keep()
        if let waited { try Figure("play-waited", in: "ms", [waited]).keep() }
    }
}
