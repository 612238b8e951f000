import Connections
import RoomRecords
import SiteRecords

/// A room's figures in Prometheus's text format, version 0.0.4: base units, one family after the other.
struct MetricsText {
    private var text = ""

    /// All families of a room.
    static func of(_ status: RoomStatus) -> String {
        var metrics = MetricsText()
        let room = [("room", status.name)]
        metrics.family("roomful_seats", "gauge", "Seats of the room.", [(room, Double(status.seats))])
        metrics.family("roomful_free_seats", "gauge", "Seats that nobody has.", [(room, Double(status.freeSeats))])
        metrics.family("roomful_locked", "gauge", "1 while nobody new may join.", [(room, status.isLocked ? 1 : 0)])
        metrics.family("roomful_uptime_seconds", "gauge", "Since the room opened.", [(room, status.uptimeMs / 1_000)])
        metrics.family(
            "roomful_certificate_end_seconds", "gauge",
            "When the certificate that browsers are shown ends, in seconds since 1970.",
            status.certificate.map { [(room, $0.ends)] } ?? [])
        metrics.family(
            "roomful_standstill_seconds", "gauge",
            "For how long the room's machine stood still in the last minute; 0 where that is not worth telling.",
            [(room, (status.standstill?.totalMs ?? 0) / 1_000)])
        metrics.family(
            "roomful_waiting", "gauge", "Controllers that wait for the operator.",
            [(room, Double(status.waiting.count))])
        let strangers: [(String, Int?)] = [
            ("bad_auth", status.strangers.badAuth), ("unknown", status.strangers.unknown),
            ("malformed", status.strangers.malformed), ("kernel_drops", status.strangers.kernelDrops),
        ]
        metrics.family(
            "roomful_stranger_datagrams_total", "counter", "Datagrams that belong to nobody's ledger.",
            strangers.compactMap { kind, count in count.map { (room + [("kind", kind)], Double($0)) } })
        metrics.site(status, room)
        metrics.peers(status.peers, room)
        return metrics.text
    }

    private mutating func site(_ status: RoomStatus, _ room: [(String, String)]) {
        guard let site = status.site else { return }
        let labels = room + [("site", site.site)]
        family(
            "roomful_site_connected", "gauge", "1 while the site's broker takes what the room tells.",
            [(labels, site.state == .connected ? 1 : 0)])
        family(
            "roomful_site_waiting_events", "gauge", "Events that the site's broker has not confirmed.",
            [(labels, Double(site.waiting))])
        family(
            "roomful_site_confirmed_events_total", "counter", "Events that the site's broker has confirmed.",
            [(labels, Double(site.confirmed))])
        family(
            "roomful_site_lost_events_total", "counter", "Events that are in no stream.",
            [(labels, Double(site.lost))])
    }

    private mutating func peers(_ peers: [PeerStatus], _ room: [(String, String)]) {
        func labels(_ peer: PeerStatus, _ more: [(String, String)] = []) -> [(String, String)] {
            room + [("player", "\(peer.player)"), ("name", peer.name), ("controller", peer.controller)] + more
        }
        func each(_ value: (PeerStatus) -> Double?) -> [([(String, String)], Double)] {
            peers.compactMap { peer in value(peer).map { (labels(peer), $0) } }
        }
        func kinds(_ of: (PeerStatus) -> [(String, Int?)]) -> [([(String, String)], Double)] {
            peers.flatMap { peer in
                of(peer).compactMap { kind, count in count.map { (labels(peer, [("kind", kind)]), Double($0)) } }
            }
        }
        family(
            "roomful_peer_datagrams_total", "counter",
            "Datagrams by fate; unique + duplicate + too_old is what arrived. Legacy peers have no missing: nobody knows.",
            kinds { peer in
                let all = peer.datagrams
                return [
                    ("unique", all.unique), ("duplicate", all.duplicate), ("too_old", all.tooOld),
                    ("reordered", all.reordered), ("unreadable", all.unreadable),
                    ("rate_limited", all.rateLimited),
                ]
            })
        // What is missing may still come: no counter.
        family(
            "roomful_peer_datagrams_missing", "gauge",
            "Numbers that were passed over or said to be sent, and did not arrive.",
            each { peer in peer.datagrams.missing.map { Double($0 + (peer.datagrams.tailMissing ?? 0)) } })
        family(
            "roomful_peer_samples_total", "counter",
            "Samples by fate, each in one. What was sampled before there was a seat is late, too.",
            kinds { peer in
                let all = peer.samples
                return [
                    ("delivered", all.delivered), ("late", all.late), ("abandoned", all.abandoned),
                    ("redundant", all.redundant),
                ]
            })
        // A family of its own: a sum over the kinds of the one before would else count them twice.
        family(
            "roomful_peer_samples_before_seat_total", "counter",
            "Of the late samples those that were sampled before the seat was given: the network is not to blame.",
            each { $0.samples.beforeSeat.map(Double.init) })
        family(
            "roomful_peer_samples_missing", "gauge", "Samples that are known to exist and have not come yet.",
            each { $0.samples.missing.map(Double.init) })
        family("roomful_peer_bytes_total", "counter", "UDP payload received.", each { Double($0.datagrams.bytes) })
        family("roomful_peer_silent_seconds", "gauge", "Since anything was heard.", each { $0.lastHeardMs / 1_000 })
        family(
            "roomful_peer_up", "gauge", "0 while the link is silent or the seat lost.",
            each { peer in
                peer.link == "silent" || peer.state == "lost" ? 0 : 1
            })
        family("roomful_peer_jitter_seconds", "gauge", "Interarrival jitter (RFC 3550).", each { $0.jitterMs / 1_000 })
        family(
            "roomful_peer_round_trip_seconds", "gauge", "Of the last probe.", each { $0.roundTripMs.map { $0 / 1_000 } }
        )
        family("roomful_peer_quality_ratio", "gauge", "Of the last complete 5 s, 0 to 1.", each(\.quality))
        family(
            "roomful_peer_clock_uncertainty_seconds", "gauge", "Half the width of the interval that holds the truth.",
            each { $0.clock.uncertaintyMs.map { $0 / 1_000 } })
        delays(
            "roomful_peer_delay_seconds", "One-way delay since it joined.", peers.map { (labels($0), $0.delay) })
        delays(
            "roomful_peer_queueing_seconds", "Delay above the least, since it joined.",
            peers.map { (labels($0), $0.queueing) })
    }

    /// A summary: the quantiles of an HDR histogram, and how many values it holds.
    private mutating func delays(
        _ name: String, _ help: String, _ rows: [([(String, String)], PeerStatus.Percentiles?)]
    ) {
        head(name, "summary", help)
        for (labels, delays) in rows {
            guard let delays else { continue }
            for (quantile, value) in [
                ("0.5", delays.p50Ms), ("0.95", delays.p95Ms), ("0.99", delays.p99Ms), ("1", delays.maxMs),
            ] {
                line(name, labels + [("quantile", quantile)], value / 1_000)
            }
            line(name + "_count", labels, Double(delays.n))
        }
    }

    private mutating func family(_ name: String, _ type: String, _ help: String, _ rows: [([(String, String)], Double)])
    {
        head(name, type, help)
        for (labels, value) in rows { line(name, labels, value) }
    }

    private mutating func head(_ name: String, _ type: String, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
    }

    private mutating func line(_ name: String, _ labels: [(String, String)], _ value: Double) {
        let pairs = labels.map { "\($0.0)=\"\(Self.escaped($0.1))\"" }.joined(separator: ",")
        text += "\(name){\(pairs)} \(Self.number(value))\n"
    }

    /// Backslash, quote and line feed are escaped; nothing else needs to be.
    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text.unicodeScalars {
            switch character {
            case "\\": escaped += "\\\\"
            case "\"": escaped += "\\\""
            case "\n": escaped += "\\n"
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }

    private static func number(_ value: Double) -> String {
        Int(exactly: value).map(String.init) ?? "\(value)"
    }
}
