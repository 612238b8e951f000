import EveningFiles
import FlightRecorder
import Foundation
import InputMerge
import RoomEngine
import RoomRecords
import SessionCoordinator
import WireProtocol

/// Makes tables of a recorded evening, by playing it again.
package struct EveningExport {
    /// What can be written.
    package enum Format: String, CaseIterable, Sendable { case csv, xdf, sqlite }

    /// What was written, for whoever asked.
    package struct Summary: Codable, Sendable {
        package var samples = 0
        package var events = 0
        package var marks = 0
        package var files: [String] = []
        /// What is wrong with the recording.
        package var problems: [String] = []
    }

    /// Writes the evening into a folder, which is made if it is missing; files that are there already are not touched.
    ///
    /// - Parameter program: what writes them: its rules make motion of the samples.
    package static func run(
        _ path: String, to format: Format, in folder: String, by program: String
    ) throws -> Summary {
        var player = try EveningPlayer(path, tellsMotion: true)
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        } catch {
            throw RecordingFileError("cannot write into \(folder): name a folder, which is made if it is missing")
        }
        let folder = folder.count > 1 && folder.hasSuffix("/") ? String(folder.dropLast()) : folder
        var export = EveningExport(player.evening, program)
        switch format {
        case .csv:
            var sink = try CSVSink(folder)
            try export.write(&player, into: &sink)
        case .sqlite:
            var sink = try SQLiteSink(folder + "/evening.sqlite")
            try export.write(&player, into: &sink)
        case .xdf:
            var sink = try XDFSink(folder + "/evening.xdf", player.evening.opening)
            try export.write(&player, into: &sink)
        }
        return export.summary
    }

    private let opening: Opening
    private let about: [(String, String)]
    private var summary = Summary()

    private init(_ evening: RecordedEvening, _ program: String) {
        opening = evening.opening
        about =
            evening.about + [
                // To the nanosecond, as it is added to clocks that began years ago.
                ("opened_at_s", "\(Decimal(evening.opening.openedAt.nanoseconds) / 1_000_000_000)"),
                ("exported by", program),
            ]
    }

    private mutating func write(_ player: inout EveningPlayer, into sink: inout some ExportSink) throws {
        do {
            try play(&player, into: &sink)
        } catch {
            ExportFile.remove(sink.paths)
            throw error
        }
        summary.files = sink.paths
    }

    private mutating func play(_ player: inout EveningPlayer, into sink: inout some ExportSink) throws {
        let encoder = RecordingCoding.encoder()
        try player.play(lookingEachSecond: { try survey(&$0, into: &sink) }) { step in
            switch step {
            case .event(let event) where event.isNumbered:
                summary.events += 1
                let json = String(decoding: try encoder.encode(event), as: UTF8.self)
                try sink.add(
                    [
                        .real(event.moment), .real(unix(event.moment)), .integer(Int64(event.number ?? 0)),
                        .text(event.type), event.player.map { .integer(Int64($0)) } ?? .nothing, .json(json),
                    ], to: .events)
                if case .submersion(let water) = event { try add(water, into: &sink) }
            case .mark(let text, let at):
                summary.marks += 1
                try sink.add([.real(at), .real(unix(at)), .text(text)], to: .marks)
            case .motion(let batch, let owner): try add(batch, of: owner, into: &sink)
            case .event, .passenger, .passengerVerdict: break
            }
        }
        summary.problems = player.problems
        for (key, value) in about { try sink.add([.text(key), .text(value)], to: .about) }
        for problem in summary.problems { try sink.add([.text("problem"), .text(problem)], to: .about) }
        for table in ExportTable.all {
            for column in table.columns {
                try sink.add(
                    [.text(table.name), .text(column.name), .text(column.unit), .text(column.meaning)], to: .dictionary)
            }
        }
        try sink.finish()
    }

    private func unix(_ milliseconds: Double) -> Double { Double(opening.wallClock) / 1e9 + milliseconds / 1e3 }

    private mutating func add(_ batch: MotionBatch, of report: PeerReport, into sink: inout some ExportSink) throws {
        let (number, id) = (ExportValue.integer(Int64(report.player)), ExportValue.text(report.controller.description))
        for (motion, stamp) in zip(batch.motions, batch.stamps) {
            summary.samples += 1
            let at = Double((motion.occurredAt - opening.openedAt).wholeNanoseconds) / 1e6
            let q = motion.attitude
            // What no sensor measured is unknown, and no zero.
            let (hasForce, hasRate) = (motion.source != .rotation, motion.source != .acceleration)
            func axes(_ vector: SIMD3<Double>, _ isKnown: Bool) -> [ExportValue] {
                [vector.x, vector.y, vector.z].map { isKnown ? .real($0) : .nothing }
            }
            var row: [ExportValue] = [
                .real(at), .real(unix(at)), .real(Double(motion.sampledAt.nanoseconds) / 1e9), number, id,
                .integer(Int64(batch.sensor.stream)),
            ]
            row += axes(motion.userAcceleration, hasForce && motion.gravity != .zero)
            row += axes(motion.gravity, motion.gravity != .zero)
            row += axes(motion.rotationRate, hasRate)
            row += [
                .real(q.w), .real(q.x), .real(q.y), .real(q.z), .integer(motion.isDegraded ? 1 : 0),
                .text(motion.source.rawValue),
            ]
            let uncertainty = stamp.uncertaintyNanoseconds.map { Double($0) / 1e6 }
            let index = report.transport.numbersSamples ? stamp.index : nil
            row += [.real(uncertainty), .integer(Int64(stamp.rezeroes)), .count(index)]
            try sink.add(row, to: .motion)
        }
    }

    private func add(_ water: EventRecord.Submersion, into sink: inout some ExportSink) throws {
        try sink.add(
            [
                .real(water.at), .real(unix(water.at)), .integer(Int64(water.player)), .text(water.controller),
                .integer(Int64(water.stream)), .text(water.state), water.from.map { .text($0) } ?? .nothing,
                .real(water.depth), .real(water.depthUncertainty), .real(water.pressure), .real(water.surfacePressure),
                .real(water.temperature), .real(water.temperatureUncertainty),
            ], to: .submersion)
    }

    /// How every link stands, once a second, and how those stood at their end that ended since.
    private mutating func survey(_ player: inout EveningPlayer, into sink: inout some ExportSink) throws {
        let at = Double((player.now - opening.openedAt).wholeNanoseconds) / 1e6
        let (left, here) = player.takeReports()
        for report in left + here {
            let (clock, isCounted) = (report.clock, report.transport.countsLosses)
            let uncertainty = clock?.uncertaintyNanoseconds(at: player.now)
            try sink.add(
                [
                    .real(at), .real(unix(at)), .integer(Int64(report.player)), .text(report.controller.description),
                    .text(report.transport.rawValue), .count(report.datagrams.unique),
                    isCounted ? .count(report.datagrams.missing) : .nothing, .count(report.samples.delivered),
                    .count(report.samples.late),
                    report.transport.numbersSamples ? .count(report.samples.missing) : .nothing,
                    report.transport.numbersSamples ? .count(report.samples.abandoned) : .nothing,
                    .real(report.roundTrip.map { Double($0) / 1e6 }), .real(Double(report.queueing) / 1e6),
                    .real(clock.map { $0.offset(at: player.now) }),
                    .real(uncertainty.map { Double($0) / 1e6 }), .real(clock?.rateInMillionths),
                    .count(report.samples.beforeSeat),
                ], to: .links)
        }
    }
}
