import Foundation
import Roomful
import WireProtocol

/// Events as lines for people.
enum EventLines {
    /// - Parameter isVerbose: haptics that were played, and where their time went, and motion that may become a gesture, too.
    static func line(_ event: EventRecord, isVerbose: Bool) -> String? {
        switch event {
        case .hello(let hello):
            "\(time(hello.at))  \"\(TerminalText.isolated(hello.room))\" with \(plural(hello.seats, "seat")), "
                + "\(hello.players.count) taken"
        case .player(let event):
            "\(time(event.at))  P\(event.player) \(TerminalText.isolated(event.name)) \(word(event.state))"
        case .gesture(let event):
            event.phase == .began
                ? "\(time(event.at))  P\(event.player) \(event.gesture)\(strength(event.strength))"
                    + (event.uncertainty.map { " (± \(Figures.milliseconds($0)))" } ?? " (clock not known)")
                    + (event.source == nil ? "" : ", by a button")
                : nil
        case .motion(let event):
            "\(time(event.at))  P\(event.player) roll \(format(event.tilt[0])) rad, pitch \(format(event.tilt[1])) rad"
                + (event.stale ? " (stale)" : "")
        case .team(let event):
            event.phase == .began
                ? "\(time(event.at))  team \(event.team) \(event.gesture)\(strength(event.strength))" : nil
        case .verdict(let event): "\(time(event.at))  \(event.gesture), \(outcome(event))"
        case .link(let event):
            "\(time(event.at))  P\(event.player) \(word(event))"
                + (event.delay.map { ", delay \(Figures.milliseconds($0))" } ?? "")
        case .haptic(let event):
            !isVerbose && event.outcome == .played
                ? nil
                : "\(time(event.at))  P\(event.player) haptic \(event.id) \(event.outcome.rawValue)"
                    + (event.reason.map { ": \($0)" } ?? "") + (event.latency.map(way) ?? "")
        case .room(let event) where event.state == .changed: "\(time(event.at))  the configuration was read anew"
        case .room(let event): "\(time(event.at))  the room is \(event.state.rawValue)"
        case .teaching(let event):
            "\(time(event.at))  P\(event.player) teaches \(event.gesture): \(word(event))"
        case .shaping(let event):
            !isVerbose
                ? nil
                : event.candidates.first.map {
                    "\(time(event.at))  P\(event.player) may be making \($0.gesture) (likelihood \(format($0.likelihood)), \(format(event.progress)) of it done)"
                }
        case .sensor(let event): sensor(event).map { "\(time(event.at))  P\(event.player) \($0)" }
        case .local(let event):
            "\(time(event.at))  P\(event.player)'s controller found \(event.gesture) by itself"
                + (event.felt.map { String(format: ", felt after %.0f ms", $0) } ?? "")
                + (event.id.map { ": \($0)" } ?? ": the host saw none")
        case .battery(let event):
            "\(time(event.at))  P\(event.player)'s battery is at \(event.percent) %"
                + (event.charging == true
                    ? ", charging" : event.percent > 20 ? "" : ": plug it in, or give its player another")
        case .submersion(let event) where event.from == nil && !isVerbose: nil
        case .submersion(let event): "\(time(event.at))  P\(event.player) \(WaterLine.text(event))"
        case .omitted(let event):
            "\(time(event.at))  P\(event.player) and \(event.count) more of this that are not told: too many for a person"
        case .asking(let event):
            "\(time(event.at))  \(TerminalText.isolated(event.name)) asks to join: roomful accept \(event.controller.prefix(8))"
        case .queue(let event): "\(time(event.at))  \(TerminalText.isolated(event.name)) \(word(event))"
        }
    }

    /// ` 31.2 ± 6.1 ms after g1-4: sensor 10.0 ± 5.0 > network 3.1 ± 0.4 > fusion 0.1 > command 0.2 > played 17.8 ± 0.4`
    private static func way(_ latency: EventRecord.Haptic.Latency) -> String {
        func figure(_ span: EventRecord.Haptic.Span) -> String {
            String(format: "%.1f", span.ms) + (span.uncertainty > 0 ? String(format: " ± %.1f", span.uncertainty) : "")
        }
        let parts = [
            ("sensor", latency.sensor), ("network", latency.network), ("fusion", latency.fusion),
            ("command", latency.command), ("played", latency.played),
        ]
        let known = parts.compactMap { name, span in span.map { "\(name) \(figure($0))" } }
        let whole = latency.total.map { " \(figure($0)) ms after \(latency.gesture ?? "its command")" } ?? ""
        return whole + (known.isEmpty ? "" : ": " + known.joined(separator: " > "))
    }

    private static func outcome(_ event: EventRecord.Verdict) -> String {
        func name(_ player: Int) -> String { "P\(player)" }
        return VerdictWords.text(
            order: event.order, isReplayed: event.replay, ties: event.ties, winners: event.winners,
            unranked: event.unranked, missed: event.missed, placed: name, name: name)
    }

    private static func word(_ state: EventRecord.Player.State) -> String {
        switch state {
        case .joined: "joined"
        case .lost: "is lost; the seat is kept"
        case .back: "is back"
        case .left: "left"
        case .renamed: "is called so now"
        }
    }

    /// Of a link whose stream fell silent the rest may be well.
    private static func word(_ event: EventRecord.Link) -> String {
        guard let stream = event.stream else { return "link \(event.state.rawValue)" }
        let name = stream == 0 ? "" : " of stream \(stream)"
        return event.state == .silent ? "sends no samples\(name)" : "sends samples\(name) again"
    }

    private static func word(_ event: EventRecord.Queue) -> String {
        switch event.state {
        case .queued: "waits for a seat, place \(event.place): roomful accept \(event.controller.prefix(8)) calls it in"
        case .called: "is called in: the next free seat is its own"
        case .seated: "gets a seat from the queue"
        case .lost: "was not heard for 30 s, and has lost its place in the queue"
        case .left: "does not wait for a seat any more"
        }
    }

    /// A lone sensor comes and goes with its controller, which is told already.
    private static func sensor(_ event: EventRecord.Sensor) -> String? {
        let isLone = event.stream == 0 && event.location == "default"
        let name = event.location == "default" ? "sensor \(event.stream)" : "\(event.location) sensor"
        return switch event.state {
        case .connected: isLone ? nil : "\(name) is there"
        case .disconnected: isLone ? nil : "\(name) fell silent"
        case .tookOver: event.from == nil ? nil : "\(name) took over"
        case .problem: "\(name): \(event.explanation ?? "")"
        }
    }

    private static func word(_ event: EventRecord.Teaching) -> String {
        let near = event.alike.map { "; it is much like \($0)" } ?? ""
        return switch event.state {
        case .example: "\(event.shown) of \(event.times)\(near)"
        case .unlike: "unlike the one before, \(event.shown) of \(event.times)"
        case .finished: "it is recognised now\(near)"
        case .abandoned: "called off"
        }
    }

    /// What has none, such as a fall, is told without.
    private static func strength(_ value: Double) -> String { value >= 0.005 ? ", strength \(format(value))" : "" }

    private static func time(_ milliseconds: Double) -> String {
        let seconds = Figures.fixed(milliseconds / 1_000, decimals: 3)
        return String(repeating: " ", count: max(0, 9 - seconds.utf8.count)) + seconds + " s"
    }
    private static func format(_ value: Double) -> String { Figures.fixed(value, decimals: 2) }
}
