import Foundation
import Roomful

/// Everything about one peer, in sections, with what is wrong in plain words on top.
enum PeerPage {
    static func text(_ peer: PeerStatus) -> String {
        var lines = ["\(TerminalText.isolated(peer.name)), player P\(peer.player), seat \(peer.seat), \(peer.state)"]
        let troubles = peer.troubles
        lines += troubles.isEmpty ? ["  all is well"] : troubles.map { "  ! " + $0 }
        lines.append("")
        func section(_ name: String, _ rows: [String]) {
            for (place, row) in rows.enumerated() {
                lines.append("  " + (place == 0 ? name : "").padding(toLength: 13, withPad: " ", startingAt: 0) + row)
            }
        }
        section("controller", [peer.controller])
        if let percent = peer.sensor?.battery {
            section("battery", ["\(percent) %" + (peer.sensor?.charging == true ? ", charging" : "")])
        }
        if let water = peer.submersion { section("water", [WaterLine.text(water)]) }
        section("link", link(peer))
        section("datagrams", datagrams(peer))
        section("losses", losses(peer))
        section("samples", samples(peer))
        section("delay", delays(peer))
        section("clock", [Figures.clock(peer.clock)])
        section("bytes", bytes(peer))
        section("last minute", minute(peer))
        section("holes", holes(peer))
        return lines.joined(separator: "\n")
    }

    private static func link(_ peer: PeerStatus) -> [String] {
        var rows = [
            "\(peer.link), from \(peer.address ?? "nowhere yet") (\(peer.transport)), heard \(Figures.ago(peer.lastHeardMs))",
            "quality of the last 5 s \(Figures.percent(peer.quality))",
        ]
        if let detail = peer.detail {
            let moves =
                detail.pathChanges == 0
                ? "never changed its address" : "changed its address \(plural(detail.pathChanges, "time"))"
            rows.append("\(detail.isPathValidated ? "address proven" : "address not proven yet"), \(moves)")
            if detail.messagesWaiting > 0 {
                rows.append("\(plural(detail.messagesWaiting, "message waits", "messages wait")) for a receipt")
            }
        }
        return rows
    }

    private static func datagrams(_ peer: PeerStatus) -> [String] {
        let all = peer.datagrams
        var rows = [
            "\(all.authenticated) arrived = \(all.unique) unique + \(all.duplicate) duplicate + \(all.tooOld) too old",
            "\(Figures.count(all.expected)) expected = \(all.unique) unique + \(Figures.count(all.missing)) missing;"
                + " \(Figures.count(all.tailMissing)) more sent and not seen",
            "\(all.reordered) reordered, \(all.unreadable) unreadable, \(all.epochs) link epoch(s)",
        ]
        if all.rateLimited > 0 { rows.append("\(all.rateLimited) not read: beyond the declared rate") }
        guard let detail = peer.detail else { return rows }
        if let highest = detail.highestNumber, let lost = detail.cumulativeLost {
            rows.append(
                "RFC 3550: extended highest \(highest), cumulative lost \(lost)\(lost < 0 ? " (copies count as received)" : ""),"
                    + " fraction lost in 5 s \(Figures.percent(detail.fractionLost)), jitter \(Figures.milliseconds(peer.jitterMs))"
            )
        }
        return rows
    }

    private static func losses(_ peer: PeerStatus) -> [String] {
        guard peer.transport != "legacy" else { return ["unknown: these frames have no number"] }
        guard let losses = peer.detail?.losses, losses.lossRate != nil else { return ["nothing arrived yet"] }
        func length(_ numbers: Double?, _ time: Double?) -> String {
            guard let numbers else { return "-" }
            return String(format: "%.1f datagrams", numbers) + (time.map { ", \(Figures.milliseconds($0))" } ?? "")
        }
        return [
            "\(Figures.percent(losses.lossRate)) lost, \(Figures.percent(losses.discardRate)) too late to tell (RFC 3611, Gmin 16)",
            "\(plural(losses.bursts, "burst")): \(Figures.percent(losses.burstDensity)) lost inside, mean length \(length(losses.meanBurst, losses.meanBurstMs))",
            "\(plural(losses.gaps, "gap")): \(Figures.percent(losses.gapDensity)) lost inside, mean length \(length(losses.meanGap, losses.meanGapMs))",
        ]
    }

    private static func samples(_ peer: PeerStatus) -> [String] {
        let all = peer.samples
        var rows = [
            "\(Figures.count(all.expected)) expected = \(all.delivered) delivered + \(all.late) late + "
                + "\(all.abandoned) abandoned + \(Figures.count(all.missing)) missing; \(plural(all.redundant, "repeat"))"
        ]
        if let before = all.beforeSeat, before > 0 {
            rows.append("\(before) of the late ones were sampled before the seat was given")
        }
        if let witness = peer.witness {
            let said = witness.datagrams.map {
                "; it says that it sent \(plural($0, "datagram")) and made \(plural(witness.samples ?? 0, "sample"))"
            }
            rows.append(
                ([witness.agreement] + witness.reasons).joined(separator: ": ") + (said ?? "")
                    + (witness.isFinal || witness.datagrams == nil ? "" : ", at least"))
        }
        for stream in peer.detail?.streams ?? [] {
            let age = stream.ageMs.map { Figures.ago($0) } ?? "never"
            rows.append(
                String(format: "stream %d: %g samples/s declared, ", stream.stream, stream.nominalRate)
                    + "newest \(age)\(stream.isStale ? ", STALE" : "")"
                    + (stream.location == "default" ? "" : ", \(stream.location)")
                    + (stream.isSpeaking ? ", gestures are seen here" : ""))
        }
        if let sensitivity = peer.detail?.sensitivity, sensitivity != 1 {
            rows.append(String(format: "sensitivity %g", sensitivity))
        }
        return rows
    }

    private static func delays(_ peer: PeerStatus) -> [String] {
        func percentiles(_ delays: PeerStatus.Percentiles?) -> String {
            delays.map {
                "p50 \(Figures.milliseconds($0.p50Ms)), p95 \(Figures.milliseconds($0.p95Ms)),"
                    + " p99 \(Figures.milliseconds($0.p99Ms)), max \(Figures.milliseconds($0.maxMs)), n \($0.n)"
            } ?? "not known yet"
        }
        var rows = [
            "one way    \(percentiles(peer.delay))", "queueing   \(percentiles(peer.queueing)) (above the least)",
            "round trip \(Figures.milliseconds(peer.roundTripMs))",
        ]
        if let last = peer.detail?.lastDelayMs, let error = peer.detail?.lastDelayUncertaintyMs {
            rows[2] += "; last datagram \(Figures.milliseconds(last)) ± \(Figures.milliseconds(error)) one way"
        }
        return rows
    }

    private static func bytes(_ peer: PeerStatus) -> [String] {
        guard let detail = peer.detail else { return ["\(peer.datagrams.bytes) B"] }
        func number(_ value: Double?, _ unit: String) -> String {
            value.map { String(format: "%.0f \(unit)", $0) } ?? "- \(unit)"
        }
        return [
            "\(peer.datagrams.bytes) B in \(plural(peer.datagrams.authenticated, "datagram")), "
                + "\(number(detail.bytesPerSample, "B/sample")); last 5 s: \(number(detail.bytesPerSecond, "B/s")) in \(number(detail.datagramsPerSecond, "datagrams/s"))",
            "\(detail.feedbackBytes) B of feedback in \(plural(detail.feedbackDatagrams, "datagram")) (UDP payload everywhere)",
        ]
    }

    private static func minute(_ peer: PeerStatus) -> [String] {
        guard let minute = peer.detail?.minute, !minute.isEmpty else { return ["not a second yet"] }
        let queueing = minute.map(\.worstQueueingMs)
        let lost = minute.map { second -> Double? in
            let all = second.unique + second.missing
            return all == 0 || peer.transport == "legacy" ? nil : Double(second.missing) / Double(all)
        }
        let worst = queueing.compactMap(\.self).max()
        let worstLoss = lost.compactMap(\.self).max()
        return [
            "queueing  \(Sparkline.text(queueing, least: 10)) up to \(Figures.milliseconds(worst))",
            "lost      \(Sparkline.text(lost, least: 0.05)) up to \(Figures.percent(worstLoss))",
            "samples   \(Sparkline.text(minute.map { $0.unique == 0 ? nil : Double($0.samples) }, least: 1)) "
                + "up to \(minute.map(\.samples).max() ?? 0)/s;  · is silence",
        ]
    }

    private static func holes(_ peer: PeerStatus) -> [String] {
        guard let holes = peer.detail?.holes, !holes.isEmpty else { return ["none"] }
        let shown = holes.suffix(5).map { hole in
            String(format: "%.3f s: ", hole.beforeMs / 1_000)
                + "\(hole.missing) of \(hole.count) from number \(hole.first), "
                + "\(Figures.milliseconds(hole.beforeMs - hole.afterMs)) without an arrival"
        }
        return shown + (holes.count > 5 ? ["and \(holes.count - 5) before them: --json"] : [])
    }
}
