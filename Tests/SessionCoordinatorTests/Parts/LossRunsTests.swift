import LinkEmulation
import Testing
import WireProtocol

@testable import SessionCoordinator

@Suite("Bursts and gaps: RFC 3611, section 4.7.2")
struct LossRunsTests {
    /// `o` arrived, `x` did not, a number before one of them repeats it.
    private func report(_ marbles: String) -> LossReport {
        var runs = LossRuns()
        var count = ""
        for marble in marbles {
            if marble.isNumber {
                count.append(marble)
            } else {
                runs.take(isReceived: marble == "o", count: UInt64(count) ?? 1)
                count = ""
            }
        }
        return runs.report()
    }

    /// The definition, applied to the whole of a trace at once.
    private func naive(_ trace: [Bool]) -> LossReport {
        let lost = trace.indices.filter { !trace[$0] }
        var clusters: [[Int]] = []
        for place in lost {
            if let last = clusters.last?.last, place - last - 1 < 16 {
                clusters[clusters.endIndex - 1].append(place)
            } else {
                clusters.append([place])
            }
        }
        let bursts = clusters.filter { $0.count > 1 }
        var inBurst = [Bool](repeating: false, count: trace.count)
        for burst in bursts { for place in burst.first!...burst.last! { inBurst[place] = true } }
        let gaps = trace.indices.count { !inBurst[$0] && ($0 == 0 || inBurst[$0 - 1]) }
        return LossReport(
            numbers: UInt64(trace.count), lost: UInt64(lost.count), bursts: UInt64(bursts.count),
            burstNumbers: UInt64(inBurst.count { $0 }), burstLost: UInt64(bursts.reduce(0) { $0 + $1.count }),
            gaps: UInt64(gaps))
    }

    @Test("A burst begins and ends with a loss and holds no 16 received in a row; a loss alone lies in a gap")
    func examples() {
        let alone = report("20ox20ox20o")
        #expect((alone.bursts, alone.gaps, alone.lost) == (0, 1, 2))
        #expect(alone.gapDensity == 2 / 62 && alone.burstDensity == nil)
        let burst = report("20oxx15ox20o")
        #expect((burst.bursts, burst.burstNumbers, burst.burstLost, burst.gaps) == (1, 18, 3, 2))
        let two = report("20oxx16oxx20o")
        #expect((two.bursts, two.burstNumbers, two.gaps) == (2, 4, 3))
        #expect(two.meanBurst == 2 && two.burstDensity == 1)
        #expect(report("").lossRate == nil)
    }

    @Test(
        "A hole of a hundred or a million is as many losses: GameNetworkingSockets loses those",
        arguments: [100, 1_000_000])
    func wide(hole: Int) {
        let report = report("20o\(hole)x20o")
        #expect(report.lost == UInt64(hole) && report.bursts == 1 && report.burstLost == UInt64(hole))
    }

    @Test("Number by number it comes to what the definition says of the whole trace", arguments: 1...20)
    func random(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let (losing, healing) = (random.fraction() * 0.2, 0.05 + random.fraction())
        var isBad = false
        let trace = (0..<5_000).map { _ -> Bool in
            isBad = isBad ? !random.chance(healing) : random.chance(losing)
            return !isBad
        }
        var runs = LossRuns()
        for isReceived in trace { runs.take(isReceived: isReceived, count: 1) }
        #expect(runs.report() == naive(trace), "seed \(seed)")
    }

    @Test("Through the replay window it comes to the same, however numbers are reordered within it", arguments: 1...20)
    func throughWindow(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var trace = [Bool](repeating: false, count: 20_000)
        var (window, runs, holes) = (ReplayWindow(), LossRuns(), HoleList())
        var waiting: [UInt32] = []
        func admit(_ number: UInt32) {
            let top = window.highest
            let verdict = window.admit(number) { runs.take(isReceived: $0, count: $1) }
            if verdict == .newest { holes.noteNewest(number, after: top, at: .ms(Double(number))) }
            if verdict == .reordered { holes.noteReordered(number) }
            if verdict == .newest || verdict == .reordered { trace[Int(number)] = true }
        }
        var number: UInt32 = random.chance(0.5) ? 0 : 1_500
        while number < 20_000 {
            if random.chance(0.001) { number += UInt32(random.fraction() * 3_000) }
            if number >= 20_000 { break }
            if random.chance(0.1) { waiting.append(number) } else if !random.chance(0.1) { admit(number) }
            if waiting.count > 40 { admit(waiting.remove(at: Int(random.fraction() * 40))) }
            number += 1
        }
        let seen = Array(trace[...Int(window.highest ?? 0)])
        let report = runs.report { runs in window.forEachHeld { runs.take(isReceived: $0, count: $1) } }
        #expect(report == naive(seen), "seed \(seed)")
        // The list of holes is true of what it still remembers.
        for hole in holes.holes {
            let span = seen[Int(hole.first)..<Int(hole.first + hole.count)]
            #expect(span.count { !$0 } == Int(hole.missing), "seed \(seed)")
            #expect(hole.missing > 0 && hole.after <= hole.before)
        }
    }
}
