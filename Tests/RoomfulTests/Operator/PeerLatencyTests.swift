import Foundation
import SessionCoordinator
import Testing
import WireProtocol

@testable import RoomRecords
@testable import RoomfulCLI

@Suite("The delays of a peer's last frames")
struct PeerLatencyTests {
    /// A peer whose stay had a median delay of 5 ms.
    private var status: PeerStatus {
        PeerStatus(
            name: "Blue", controller: "00", seat: 1, player: 1, color: "#0072b2", state: "active", link: "good",
            transport: "udp", lastHeardMs: 5,
            datagrams: .init(
                authenticated: 100, expected: 100, unique: 100, missing: 0, tailMissing: 0, duplicate: 0, tooOld: 0,
                reordered: 0, unreadable: 0, rateLimited: 0, bytes: 9_000, epochs: 1),
            samples: .init(expected: 200, delivered: 200, late: 0, abandoned: 0, missing: 0, redundant: 0, epochs: 1),
            jitterMs: 0.1, delay: PeerStatus.Percentiles(n: 100, p50Ms: 5, p95Ms: 5, p99Ms: 5, maxMs: 5),
            delayUncertaintyMs: 34, quality: 1,
            clock: .init(state: "locked", uncertaintyMs: 1))
    }

    /// Sent each 10 ms by a clock that begins at 0 and is 100 ppm slow, on ways of 79, 80 or 81 ms.
    private let frames = (0..<100).map { place in
        let left = Int64(place) * 10_000_000
        return FrameStamps(
            sentAt: left - left / 10_000,
            arrivedAt: HostTime(nanoseconds: left + Int64(79 + place % 3) * 1_000_000))
    }

    @Test("The paper's figures stand on the median way of the same frames, however long ways were before them")
    func sameFrames() throws {
        let now = HostTime(nanoseconds: 2_000_000_000)
        let clock = ClockMapping(
            state: .locked, deviceAnchor: DeviceTime(nanoseconds: 0), hostAnchor: HostTime(nanoseconds: 0),
            rateOffset: 0.000_1, uncertaintyNanoseconds: 1_000_000, measuredAt: now, uncertaintyGrowth: 0.001)
        let latency = PeerLatency(status, frames: frames, clock: clock)
        let median = try #require(latency.medianOneWayMs)
        let sure = try #require(latency.medianOneWayUncertaintyMs)
        #expect(abs(median - 80) < 0.001)
        // The oldest came 1.921 s before the moment for which the clock was told.
        #expect(abs(sure - 2.921) < 0.001)
        let told = try JSONDecoder().decode(PeerLatency.self, from: JSONEncoder().encode(latency))
        let ways = LatencyTable.csv([told]).split(separator: "\n").dropFirst().compactMap { row in
            row.split(separator: ",").last.flatMap { Double($0) }
        }
        #expect(ways.count == 100)
        for (place, way) in ways.enumerated() { #expect(abs(way / 1e6 - Double(79 + place % 3)) < 0.001) }
        let text = LatencyTable.text([latency])
        #expect(text.contains("one way ± 34"), "what was counted earlier is less sure than the clock is now: \(text)")
        #expect(text.contains("79.99") && !text.contains("4.99"), "\(text)")
    }

    @Test("Where the clock is not known, or no frame came, nothing is put in its place")
    func unknown() {
        let clock = ClockMapping(
            state: .none, deviceAnchor: DeviceTime(nanoseconds: 0), hostAnchor: HostTime(nanoseconds: 0))
        #expect(PeerLatency(status, frames: frames, clock: nil).medianOneWayMs == nil)
        #expect(PeerLatency(status, frames: frames, clock: clock).medianOneWayMs == nil)
        #expect(PeerLatency(status, frames: [], clock: nil).medianOneWayMs == nil)
        // The device's clock and the host's have nothing in common: no difference of theirs is told.
        let row = LatencyTable.csv([PeerLatency(status, frames: frames, clock: clock)]).split(separator: "\n")[1]
        #expect(row == "1,\"Blue\",0,79000000,")
    }
}
