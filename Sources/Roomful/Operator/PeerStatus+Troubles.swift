import Foundation
import WireProtocol

extension PeerStatus {
    /// What is wrong with a peer, in words for whoever stands beside it, and what helps; empty when all is well.
    ///
    /// One that was asked for alone, with its ``detail``, is told more of.
    public var troubles: [String] {
        let stale = (detail?.streams ?? []).filter(\.isStale).map { SilentStream(stream: $0.stream, ageMs: $0.ageMs) }
        let lost = transport == "udp" ? detail?.fractionLost : nil
        return troubles(lost: lost, silentStreams: stale, pathChanges: detail?.pathChanges ?? 0)
    }

    /// A stream from which nothing new comes, and since when; `nil` since ever.
    struct SilentStream {
        var stream: Int
        var ageMs: Double?
    }

    /// - Parameter lost: the share of datagrams lost in the last complete 5 s, where it is known.
    func troubles(lost: Double?, silentStreams: [SilentStream], pathChanges: Int) -> [String] {
        silence(silentStreams) + sensorTroubles + nonsense + poorness(lost) + losses + remarks(pathChanges)
    }

    private var isBrowser: Bool { transport == "wss" || transport == "post" }

    private func silence(_ streams: [SilentStream]) -> [String] {
        if datagrams.authenticated == 0 {
            return isBrowser
                ? ["no motion has come yet: has its player tapped Start and allowed motion?"]
                : ["no datagram has come yet: does a firewall stop UDP to this machine? TCP came through"]
        }
        if link == "silent" || state == "lost" {
            return [
                "silent for \(Self.time(lastHeardMs)): is its screen locked, its Wi-Fi off, its program closed?"
                    + " The seat is \(state == "lost" ? "kept for a while" : "still its own")"
            ]
        }
        return streams.map { stream in
            let age = stream.ageMs.map { "for \(Self.time($0))" } ?? "yet"
            return "no sample of stream \(stream.stream) \(age), though the link lives: is the sensor on?"
        }
    }

    /// What the phone's page says of its own sensor.
    private var sensorTroubles: [String] {
        switch sensor?.permission {
        case "denied": ["it may not read its motion sensor: let its player tap Start again and allow it"]
        case "none": ["its device has no motion sensor: its player can use the buttons"]
        case "insecure":
            ["its page was not opened by https, so its browser hides the sensor: let it scan the QR code again"]
        default: []
        }
    }

    /// What its sensors send that cannot be right; known of one that was asked for alone.
    private var nonsense: [String] {
        (detail?.streams ?? []).flatMap { stream in
            stream.problems.map { "stream \(stream.stream): \($0.explanation)" }
        }
    }

    private func poorness(_ lost: Double?) -> [String] {
        guard link != "silent" else { return [] }
        if let lost, lost >= 0.02 {
            return [
                "its Wi-Fi loses \(Self.percent(lost)) of what it sends: nearer to the access point, or another channel, helps"
            ]
        }
        guard let quality, quality < 0.9 else { return [] }
        return [
            "the link is poor (\(Self.percent(quality)) of the last 5 s): nearer to the access point, or another channel, helps"
        ]
    }

    private var losses: [String] {
        var troubles: [String] = []
        if samples.abandoned > 0 {
            troubles.append(
                "\(samples.abandoned) samples are lost for good: the link was away for longer than the controller holds them"
            )
        }
        if samples.late * 100 > samples.delivered + samples.late {
            troubles.append("\(samples.late) samples came too late to count: raise the holdback, or mend the network")
        }
        return troubles
    }

    private func remarks(_ pathChanges: Int) -> [String] {
        var troubles: [String] = []
        if transport != "legacy", clock.state != "locked", link != "silent", lastHeardMs < 1_000 {
            let certainty = clock.uncertaintyMs.map { "\(clock.state) ± \(Self.time($0))" } ?? clock.state
            troubles.append("the clock is \(certainty), not locked: who was first cannot be told exactly")
        }
        if datagrams.rateLimited > 0 {
            troubles.append("\(datagrams.rateLimited) datagrams were not read: it sends more than it declared")
        }
        if pathChanges > 5 {
            troubles.append(
                "its address changed \(pathChanges) times: it roams, or something between translates addresses badly")
        }
        return troubles
    }

    private static func time(_ milliseconds: Double) -> String {
        String(
            format: milliseconds < 10 ? "%.2f ms" : milliseconds < 1_000 ? "%.0f ms" : "%.0f s",
            milliseconds < 1_000 ? milliseconds : milliseconds / 1_000)
    }

    private static func percent(_ share: Double) -> String { String(format: "%.0f %%", share * 100) }
}
