import Foundation
import WireProtocol

extension PeerStatus {
    /// What is wrong with a peer, in words for whoever stands beside it, and what helps; empty when all is well.
    ///
    /// One that was asked for alone, with its ``detail``, is told more of.
    package var troubles: [String] {
        let stale = (detail?.streams ?? []).filter(\.isStale).map { SilentStream(stream: $0.stream, ageMs: $0.ageMs) }
        let lost = transport == "udp" ? detail?.fractionLost : nil
        return faults(lost: lost, silentStreams: stale, pathChanges: detail?.pathChanges ?? 0).map(\.words)
    }

    /// A stream from which nothing new comes, and since when; `nil` since ever.
    package struct SilentStream {
        package var stream: Int
        package var ageMs: Double?
    }

    /// - Parameter lost: the share of datagrams lost in the last complete 5 s, where it is known.
    func faults(lost: Double?, silentStreams: [SilentStream], pathChanges: Int) -> [Trouble] {
        silence(silentStreams) + deviceTroubles + nonsense + poorness(lost) + losses + remarks(pathChanges)
    }

    /// What its device says of itself that is wrong.
    var deviceTroubles: [Trouble] { sensorTroubles + batteryTroubles }

    /// It came by TCP for longer than its first datagram takes, and nothing of it comes by UDP.
    package var lacksDatagrams: Bool {
        state != "lost" && silence([]).first?.code == "noDatagrams" && (lastHeardMs >= 1_000 || datagrams.epochs > 1)
    }

    var isSilent: Bool { link == "silent" || state == "lost" }

    private var isBrowser: Bool { transport == "wss" || transport == "post" }

    /// After so many ms a sensor that says nothing is asked after: what is merely not fresh is no trouble.
    private static let longSilence = 1_000.0

    private func silence(_ streams: [SilentStream]) -> [Trouble] {
        // Its seat was kept over the host's restart: nothing of it has come yet, by TCP either.
        if state == "lost", datagrams.epochs == 0 {
            return [
                Trouble(
                    "notBack", timeMs: lastHeardMs,
                    "not heard since the host began, \(Self.time(lastHeardMs)) ago: its program is closed, or still looks for the room. The seat is kept for a while"
                )
            ]
        }
        if let hostNetwork { return [hostNetwork.trouble] }
        if datagrams.authenticated == 0, isBrowser {
            return [Trouble("noMotion", "no motion has come yet: has its player tapped Start and allowed motion?")]
        }
        // It has joined again since, by TCP: its program runs, and what is missing is UDP alone.
        let isUnheardSince = isSilent && transport == "udp" && datagrams.inEpoch == 0
        if datagrams.authenticated == 0 || isUnheardSince {
            return [
                Trouble(
                    "noDatagrams",
                    "no datagram has come yet: does a firewall stop UDP to this machine? TCP came through")
            ]
        }
        if isSilent {
            let words = "silent for \(Self.time(lastHeardMs)): is its screen locked, its Wi-Fi off, its program closed?"
            return [
                state == "lost"
                    ? Trouble("lost", timeMs: lastHeardMs, words + " The seat is kept for a while")
                    : Trouble("silent", timeMs: lastHeardMs, words + " The seat is still its own")
            ]
        }
        return streams.filter { ($0.ageMs ?? .infinity) >= Self.longSilence }.map { stream in
            let age = stream.ageMs.map { "for \(Self.time($0))" } ?? "yet"
            return Trouble(
                stream.ageMs == nil ? "streamNever" : "streamSilent", timeMs: stream.ageMs, stream: stream.stream,
                "no sample of stream \(stream.stream) \(age), though the link lives: is the sensor on?")
        }
    }

    /// What the phone's page says of its own sensor.
    private var sensorTroubles: [Trouble] {
        switch sensor?.permission {
        case "denied":
            [
                Trouble(
                    "sensorDenied", "it may not read its motion sensor: let its player tap Start again and allow it")
            ]
        case "none":
            [Trouble("sensorNone", "its device has no motion sensor: its player can use the buttons")]
        case "insecure":
            [
                Trouble(
                    "sensorInsecure",
                    "its page was not opened by https, so its browser hides the sensor: let it scan the QR code again")
            ]
        default: []
        }
    }

    private var batteryTroubles: [Trouble] {
        guard let percent = sensor?.battery, percent <= 20, sensor?.charging != true else { return [] }
        return [
            Trouble(
                "batteryLow", share: Double(percent) / 100,
                "its battery is at \(percent) %: plug it in, or give its player another device")
        ]
    }

    /// What its sensors send that cannot be right; known of one that was asked for alone.
    private var nonsense: [Trouble] {
        (detail?.streams ?? []).flatMap { stream in
            stream.problems.map {
                Trouble($0.kind, stream: stream.stream, "stream \(stream.stream): \($0.explanation)")
            }
        }
    }

    private func poorness(_ lost: Double?) -> [Trouble] {
        guard link != "silent" else { return [] }
        if let lost, lost >= 0.02 {
            return [
                Trouble(
                    "losing", share: lost,
                    "its Wi-Fi loses \(Self.percent(lost)) of what it sends: nearer to the access point, or another channel, helps"
                )
            ]
        }
        guard let quality, quality < 0.9 else { return [] }
        return [
            Trouble(
                "poor", share: quality,
                "the link is poor (\(Self.percent(quality)) of the last 5 s): nearer to the access point, or another channel, helps"
            )
        ]
    }

    private var losses: [Trouble] {
        var troubles: [Trouble] = []
        // What was lost an hour ago stands in the account; nobody needs to do anything about it any more.
        let lost = samples.lastMinute?.abandoned ?? samples.abandoned
        if lost > 0 {
            troubles.append(
                Trouble(
                    "abandoned", figure: lost,
                    "\(plural(lost, "sample is", "samples are")) lost for good: the link was away for longer than the controller holds them"
                ))
        }
        // Whoever comes back, or comes to a host that was started anew, brings what it held meanwhile: no slow network.
        if let recent = samples.lastMinute, recent.late * 100 > recent.all {
            let areOld = (recent.old ?? 0) * 2 > recent.late
            troubles.append(
                areOld
                    ? Trouble(
                        "old", figure: recent.late,
                        plural(
                            recent.late, "sample was too old to count when it was",
                            "samples were too old to count when they were")
                            + " sent: was its sensor's clock set back, or does its program hold them back?"
                    )
                    : Trouble(
                        "late", figure: recent.late,
                        "\(plural(recent.late, "sample")) came too late to count: its network is slow, nearer to the access point helps"
                    ))
        }
        if let missed = samples.lastMinute?.missedByHost, missed > 0 {
            troubles.append(
                Trouble(
                    "missedByHost", figure: missed,
                    "\(plural(missed, "sample was", "samples were")) read too late to count, as the room's machine stood still or was too busy: keep it awake, and close what else runs on it"
                ))
        }
        return troubles
    }

    private func remarks(_ pathChanges: Int) -> [Trouble] {
        var troubles: [Trouble] = []
        if transport != "legacy", clock.state != "locked", link != "silent", lastHeardMs < 1_000 {
            let certainty = clock.uncertaintyMs.map { "\(clock.state) ± \(Self.time($0))" } ?? clock.state
            troubles.append(
                Trouble(
                    "clock", clock: clock.state,
                    "the clock is \(certainty), not locked: who was first cannot be told exactly"))
        }
        if datagrams.rateLimited > 0 {
            troubles.append(
                Trouble(
                    "tooMuch", figure: Int(datagrams.rateLimited),
                    "\(plural(datagrams.rateLimited, "datagram was", "datagrams were")) not read: it sends more than it declared"
                ))
        }
        if pathChanges > 5 {
            troubles.append(
                Trouble(
                    "roams", figure: pathChanges,
                    "its address changed \(pathChanges) times: it roams, or something between translates addresses badly"
                ))
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
