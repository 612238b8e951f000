import Datagrams
import Dispatch
package import FlightRecorder
package import Foundation
import RoomEngine
package import RoomRecords
package import WireProtocol

/// The files of one evening as they are written, one after the other: chunks of half a second, each whole by itself.
///
/// Unchecked: whoever makes it hands it to the recorder's thread, and from then on that thread alone touches it.
package final class RecordingReel: @unchecked Sendable {
    /// A chunk is written when its first message is so old: with the block before it, less than a second is ever lost.
    private static let longestChunk: Double = 0.5
    private static let syncEvery: Double = 5

    private let options: RecordingOptions
    private let opening: Opening
    /// What else is said of the recording at the beginning of each file.
    private let remarks: [(String, String)]
    private let names: RecordingNames
    private var part = 1
    private var file: RecordingFile
    private var writer: MCAPWriter
    private let encoder = RecordingCoding.encoder()
    private let began = RecordingReel.clock()
    private var fileBegan = RecordingReel.clock()
    private var chunkBegan: Double?
    private var synced = RecordingReel.clock()
    private var bytesBefore: UInt64 = 0
    package private(set) var counts = (events: 0, marks: 0)

    package var path: String { file.path }
    var isInPlace: Bool { file.isInPlace }
    var seconds: Double { Self.clock() - began }
    var bytes: UInt64 { bytesBefore + file.size }

    private static func clock() -> Double { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }

    package init(
        _ options: RecordingOptions, opening: Opening, remarks: [(String, String)] = []
    ) throws(RecordingFileError) {
        self.options = options
        self.remarks = remarks
        self.opening = opening
        names = try RecordingNames(options.path, room: opening.room, wallClock: opening.wallClockAtStart)
        // Evenings that are shorter than a file would else be one more each time. On a disk that they have filled, the new
        // one cannot begin before there is room.
        if names.isFolder, let budget = options.budget { names.removeOldest(over: budget) }
        file = try RecordingFile(creating: names.path(part: 1))
        writer = MCAPWriter(compression: Zstandard.writer)
        try begin()
        if names.isFolder, let budget = options.budget { names.removeOldest(over: budget) }
    }

    /// The beginning of a file: what it is, and what the engine began with.
    private func begin() throws(RecordingFileError) {
        var about: [(String, String)] = [
            ("room", opening.room), ("part", String(part)), ("evening", names.evening),
            ("program", opening.program), ("compiler", opening.compiler), ("architecture", opening.architecture),
            ("tape", String(Opening.version)), ("exact", opening.isFromTheStart ? "yes" : "no: begun in the middle"),
            (
                "times",
                "log_time: the wall clock as it went when this began, plus what the host's monotonic clock counted since; "
                    + "at in events: ms since the room opened; publish_time: when it happened"
            ),
        ]
        if let description = options.description { about.append(("description", description)) }
        if let consent = options.consent { about.append(("consent", consent)) }
        about += remarks
        var bytes = writer.opening(library: "roomful \(opening.program)")
        bytes += writer.metadata("roomful", about)
        writer.add(opening.bytes, to: .opening, logTime: logTime(opening.now))
        let told = RecordingNote(about: about, at: RecordClock(openedAt: opening.openedAt).milliseconds(opening.now))
        if let json = try? encoder.encode(told) { writer.add(Array(json), to: .notes, logTime: logTime(opening.now)) }
        bytes += writer.chunk() ?? []
        do {
            try file.append(bytes)
        } catch {
            remove()
            throw RecordingFileError("cannot record to \(path): \(error.description)")
        }
    }

    /// Takes away the file that was made last, where nothing can be recorded.
    func remove() {
        unlink(path)
        file.freeReserve()
    }

    private func logTime(_ time: HostTime) -> UInt64 {
        UInt64(
            clamping: opening.wallClock.addingReportingOverflow((time - opening.openedAt).wholeNanoseconds).partialValue
        )
    }

    /// Since the room opened.
    private var millisecondsOpen: Double { RecordClock(openedAt: opening.openedAt).milliseconds(HostClock.now()) }

    private func logTime(_ milliseconds: Double) -> UInt64 {
        // A controller may claim any time at all.
        let nanoseconds = max(-9e18, min(9e18, milliseconds.isFinite ? milliseconds * 1e6 : 0))
        return UInt64(clamping: opening.wallClock.addingReportingOverflow(Int64(nanoseconds)).partialValue)
    }

    // MARK: What is added

    package func add(block bytes: [UInt8]) {
        let began =
            bytes.count >= 12 ? bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 4, as: Int64.self) } : 0
        add(bytes, to: .inputs, logTime: logTime(HostTime(nanoseconds: Int64(littleEndian: began))))
    }

    package func add(_ event: EventRecord, at told: HostTime = HostClock.now()) {
        guard let json = try? encoder.encode(event) else { return }
        counts.events += 1
        add(Array(json), to: .events, logTime: logTime(told), at: logTime(event.moment))
    }

    package func add(_ mark: RecordingMark, at told: HostTime = HostClock.now()) {
        guard let json = try? encoder.encode(mark) else { return }
        counts.marks += 1
        add(Array(json), to: .marks, logTime: logTime(told), at: logTime(mark.at))
    }

    /// What a recorder said of a recording, this one or the one of which this is made.
    package func add(_ note: RecordingNote) {
        guard let json = try? encoder.encode(note) else { return }
        add(Array(json), to: .notes, logTime: logTime(note.at))
    }

    /// Something is missing here, in words.
    package func addHole(_ text: String, at told: HostTime = HostClock.now()) {
        let at = RecordClock(openedAt: opening.openedAt).milliseconds(told)
        add(RecordingNote(note: .hole, text: text, at: at))
    }

    /// So many events were not kept, as the disk was too slow for them.
    func addHole(events: Int) {
        addHole("\(plural(events, "event was", "events were")) not kept here: the disk was too slow for them")
    }

    /// - Parameter moment: when it happened, where that is not when it was written down.
    private func add(_ bytes: [UInt8], to channel: RecordingChannel, logTime: UInt64, at moment: UInt64? = nil) {
        if chunkBegan == nil { chunkBegan = Self.clock() }
        writer.add(bytes, to: channel, logTime: logTime, publishTime: moment)
    }

    // MARK: What is written

    /// Writes what is due; with `isLast` also that the recording ended as it was meant to, and the file's end.
    package func turn(isLast: Bool) throws(RecordingFileError) {
        if isLast {
            add(RecordingNote(note: .complete, text: "the recording ended as it was meant to", at: millisecondsOpen))
            return try close()
        }
        let now = Self.clock()
        if let began = chunkBegan, now - began >= Self.longestChunk || writer.chunkSize >= MCAPWriter.fullChunk {
            try writeChunk()
        }
        if now - synced >= Self.syncEvery {
            synced = now
            file.synchronize()
        }
        // What is removed for the budget is whole files: a small budget has small ones.
        let fileSize = min(options.fileSize, options.budget.map { max($0 / 8, 64 << 10) } ?? .max)
        if names.isFolder, file.size >= fileSize || now - fileBegan >= options.fileTime / .seconds(1) {
            try nextFile(now)
        }
    }

    /// Writes what there is, and the file's end. How the recording ended is for the notes to say, which were added.
    package func close() throws(RecordingFileError) {
        try writeChunk()
        try file.append(writer.closing())
        file.freeReserve()
        file.synchronize()
    }

    private func writeChunk() throws(RecordingFileError) {
        chunkBegan = nil
        if let chunk = writer.chunk() { try file.append(chunk) }
        guard isInPlace else { throw RecordingFileError("\(path) was removed, or its disk is gone") }
    }

    private func nextFile(_ now: Double) throws(RecordingFileError) {
        // First what takes long; then the next one: where it cannot be made, this one is still open, and can say so.
        if let chunk = writer.chunk() { try file.append(chunk) }
        chunkBegan = nil
        file.synchronize()
        let next = try RecordingFile(creating: names.path(part: part + 1))
        do throws(RecordingFileError) {
            try file.append(writer.closing())
        } catch {
            next.freeReserve()
            unlink(next.path)
            throw error
        }
        file.freeReserve()
        file.synchronize()
        bytesBefore += file.size
        part += 1
        fileBegan = now
        if let budget = options.budget { names.removeOldest(over: budget) }
        file = next
        writer = MCAPWriter(compression: Zstandard.writer)
        try begin()
    }

    /// Makes the file whole on a disk that takes no more: whether that went well.
    package func finish(because reason: String) -> Bool {
        file.freeReserve()
        // What stood in the chunk that the disk refused goes with it.
        var writer = writer.afterLoss(at: file.size)
        let note = RecordingNote(note: .failed, text: reason, at: millisecondsOpen)
        if let json = try? encoder.encode(note) { writer.add(Array(json), to: .notes, logTime: logTime(note.at)) }
        do {
            try file.append((writer.chunk() ?? []) + writer.closing())
            file.synchronize()
            return true
        } catch {
            return false
        }
    }
}

/// JSON as recordings hold it: the same value is the same bytes.
package enum RecordingCoding {
    package static func encoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // A figure that is none must not cost the event.
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return encoder
    }
}
