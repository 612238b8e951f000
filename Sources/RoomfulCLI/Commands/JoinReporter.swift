import ControllerSession
import Foundation
import Roomful
import WireProtocol

/// Tells what happens to a controller in a room.
struct JoinReporter: Sendable {
    let json: Bool
    /// What is not the link's to count.
    let losses = FeedLosses()

    private struct Line: Encodable {
        var type: String
        var seat: Int?
        var player: Int?
        var color: String?
        var name: String?
        var recorded: Bool?
        var id: String?
        var intensity: Double?
        var sharpness: Double?
        var durationMs: Double?
        var text: String?
    }

    /// Prints each event; returns how the stay ended, or `nil` when the task was cancelled.
    func follow(_ controller: Controller) async throws -> Ending? {
        for await event in controller.events {
            try show(event)
            if case .ended(let ending) = event { return ending }
        }
        return nil
    }

    private func show(_ event: ControllerEvent) throws {
        switch event {
        case .seated(let seat):
            try tell(
                Line(
                    type: "seated", seat: seat.seat, player: seat.player, color: seat.color, name: seat.name,
                    recorded: seat.isRecorded),
                "\(TerminalText.isolated(seat.name)) has seat \(seat.seat), drives player P\(seat.player), color \(seat.color)"
                    + (seat.isRecorded ? "; the room is recorded" : ""))
        case .haptic(let haptic):
            try tell(
                Line(
                    type: "haptic", id: "h\(haptic.id)", intensity: haptic.intensity, sharpness: haptic.sharpness,
                    durationMs: haptic.duration.milliseconds),
                String(
                    format: "haptic h%u: intensity %.2f, sharpness %.2f, %.0f ms", haptic.id, haptic.intensity,
                    haptic.sharpness, haptic.duration.milliseconds))
        case .identify: try tell(Line(type: "identify"), "the operator asks: which one are you? (flash)")
        case .message(let bytes):
            let text = shown(bytes)
            try tell(Line(type: "message", text: text), "the game says: \(text)")
        case .data(let channel, let bytes):
            let text = shown(bytes)
            try tell(Line(type: "data", text: text), "the game's data on channel \(channel): \(text)")
        case .reconnecting(let reason): try tell(Line(type: "reconnecting", text: reason), "reconnecting: \(reason)")
        case .moving(let room):
            try tell(Line(type: "moving", text: room), "the host sends this controller to \"\(room)\"")
        case .stays(let reason): try tell(Line(type: "stays", text: reason), "stays where it is: \(reason)")
        case .recovered: try tell(Line(type: "recovered"), "the host is heard again")
        case .refused(let refusal):
            try tell(Line(type: "refused", text: refusal.message), "refused: \(refusal.message)")
        case .ended(let ending): if json { try tell(Line(type: "ended", text: "\(ending)"), "") }
        }
    }

    private func tell(_ line: Line, _ text: String) throws {
        Terminal.print(json ? try Terminal.json(line) : text)
    }

    private func shown(_ bytes: [UInt8]) -> String {
        String(
            String(decoding: bytes, as: UTF8.self).unicodeScalars.filter { $0.properties.generalCategory != .control }
                .map(Character.init))
    }

    private struct Summary: Encodable {
        var type = "summary"
        var datagramsSent: Int
        var bytesSent: Int
        var samples: Int
        var acknowledged: Int
        var unacknowledged: Int
        var abandoned: Int
        var refused: Int
        var refusals: [Refusal]
        var crowdedOut: Int
        var marksLeftOut: Int
        var repeats: Int
        var bytesPerSample: Double?
        var wakeUps: Int
        var processorMs: Double

        struct Refusal: Encodable {
            var samples: Int
            var why: String
        }

        /// What was not sent, a line each.
        var leftOut: [String] {
            var lines = refusals.map { "\(plural($0.samples, "sample")) left out: each \($0.why)" }
            if crowdedOut > 0 {
                lines.append("\(plural(crowdedOut, "sample")) left out: they came faster than they could be handed on")
            }
            if marksLeftOut > 0 { lines.append("\(plural(marksLeftOut, "mark")) left out") }
            return lines
        }
    }

    /// Prints what was sent in all and what became of it; the goodbye is in it once the seat was left.
    func tellSummary(of controller: Controller) async {
        let crowdedOut = await controller.losses().samplesCrowdedOut + losses.crowdedOut
        Terminal.print(summary(await controller.report(), crowdedOut: crowdedOut, controller.effort))
    }

    private func summary(
        _ report: ControllerReport, crowdedOut: Int, _ effort: (wakeUps: Int, processorTime: Duration)
    ) -> String {
        let samples = report.streams.reduce(0) { $0 + $1.appended }
        let summary = Summary(
            datagramsSent: report.sentDatagrams, bytesSent: report.sentBytes,
            samples: samples,
            acknowledged: report.streams.reduce(0) { $0 + $1.acknowledged },
            unacknowledged: report.streams.reduce(0) { $0 + $1.unacknowledged },
            abandoned: report.streams.reduce(0) { $0 + $1.abandoned },
            refused: report.streams.reduce(0) { $0 + $1.refused },
            refusals: report.streams.flatMap(\.refusals).map { .init(samples: $0.samples, why: "\($0.code)") },
            crowdedOut: crowdedOut, marksLeftOut: losses.marks,
            repeats: report.streams.reduce(0) { $0 + $1.resent },
            bytesPerSample: samples > 0 ? Double(report.sentBytes) / Double(samples) : nil, wakeUps: effort.wakeUps,
            processorMs: effort.processorTime.milliseconds)
        if json, let text = try? Terminal.json(summary) { return text }
        let sent: String =
            "\(plural(summary.samples, "sample")): \(summary.acknowledged) acknowledged, "
            + "\(summary.unacknowledged) not yet, \(summary.abandoned) abandoned; "
            + "\(plural(summary.datagramsSent, "datagram")), \(plural(summary.bytesSent, "byte")),"
            + " samples sent again, in case they were lost: \(summary.repeats)\n"
            + String(
                format: "%.0f bytes a sample; %d wake-ups, %.0f ms of processor time on the link",
                summary.bytesPerSample ?? 0,
                summary.wakeUps, summary.processorMs)
        return ([sent] + summary.leftOut).joined(separator: "\n")
    }
}
