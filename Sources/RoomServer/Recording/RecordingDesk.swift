import Datagrams
import Dispatch
import EveningFiles
import FlightRecorder
import Foundation
import Identity
import RoomEngine
public import RoomRecords
import SessionCoordinator
import Synchronization
import WireProtocol

/// The room's recorder of the moment, if there is one: every thread may ask.
final class RecordingDesk: Sendable {
    private let current = Mutex<RoomRecorder?>(nil)
    private let last = Mutex(RecordingStatus(.off))

    var recorder: RoomRecorder? { current.withLock { $0 } }

    var status: RecordingStatus { current.withLock { $0 }?.status ?? last.withLock { $0 } }

    /// Puts a recorder in the place of the one before, which is returned.
    func change(to recorder: RoomRecorder?) -> RoomRecorder? {
        current.withLock { current in
            defer { current = recorder }
            return current
        }
    }

    /// Ends a recorder that has no place any more, and remembers how it stood.
    func end(_ recorder: RoomRecorder) async {
        await Self.besideTasks { recorder.end() }
        last.withLock { $0 = recorder.status }
    }

    /// Does what may wait for a disk on a thread that nobody else waits for.
    static func besideTasks<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: work()) }
        }
    }
}

extension Room {
    /// Begins to record into a file or a folder; a recording that runs already is ended once the new one has begun, and
    /// goes on where it cannot.
    ///
    /// What is begun in the middle of an evening begins with how everyone stood: accounts, motion and clocks go on from
    /// there, and its events are told as they were kept. What recognizers had seen before is not in it, so nothing is
    /// compared when it is played again. Recordings that shall be exact begin with the room: ``RoomOptions/recording``.
    public func startRecording(_ options: RecordingOptions) async throws -> RecordingStatus {
        var options = options
        // Where people are recorded as labels, no other recording names them.
        let (host, evening) = (self.options, self.options.recording)
        options.pseudonymKey = evening?.pseudonymKey ?? options.pseudonymKey
        // What was said of the evening, and who agreed to what, is said in each of its recordings.
        options.description = options.description ?? evening?.description
        options.consent = options.consent ?? evening?.consent
        if options.program == RecordingOptions(path: options.path).program {
            options.program = host.program ?? evening?.program ?? options.program
        }
        let opening = opening(now: HostClock.now(), isFromTheStart: false, program: options.program)
        let made = await RecordingDesk.besideTasks { [options] in
            Result { () throws(RecordingFileError) in try RoomRecorder(options, opening: opening) }
        }
        do {
            let recorder = try made.get()
            try await hand(recorder)
            return recorder.status
        } catch let error as RecordingFileError {
            throw RoomError(.badOption, error.description)
        }
    }

    /// Ends the recording, if there is one: its file is whole when this returns.
    @discardableResult
    public func stopRecording() async -> RecordingStatus {
        guard let old = recording.recorder else { return recording.status }
        await withCheckedContinuation { continuation in
            if !loop.post(.record(nil, { continuation.resume() })) { continuation.resume() }
        }
        _ = recording.change(to: nil)
        await recording.end(old)
        return recording.status
    }

    /// How the recording stands.
    public var recordingStatus: RecordingStatus { recording.status }

    /// Points at this moment: the recording shows it, replays can begin there.
    ///
    /// - Throws: ``RoomError`` when nothing is recorded, or the text is empty, longer than 200 bytes, or holds control
    ///   characters.
    public func mark(_ text: String) throws {
        guard (1...200).contains(text.utf8.count), text.unicodeScalars.allSatisfy(isPrintable) else {
            throw RoomError(.badOption, "a mark has 1 to 200 bytes, and none that moves a terminal")
        }
        guard let recorder = recording.recorder else {
            throw RoomError(.badOption, "nothing is recorded; begin with: roomful record start FILE")
        }
        recorder.mark(text, at: HostClock.now())
    }

    private func hand(_ recorder: RoomRecorder) async throws {
        let old = recording.change(to: recorder)
        let isTaken = await withCheckedContinuation { continuation in
            if !loop.post(.record(recorder, { continuation.resume(returning: true) })) {
                continuation.resume(returning: false)
            }
        }
        if let old { await recording.end(old) }
        guard !isTaken else { return }
        _ = recording.change(to: nil)
        await recording.end(recorder)
        throw RoomError(.closed, "the room is closed, or has too much to do: try again")
    }

    /// What a recording holds of the room itself.
    func opening(now: HostTime, isFromTheStart: Bool, program: String) -> Opening {
        let talents = foundation.talents
        let kept = talents.keys.sorted().compactMap { id in
            talents[id].map { Opening.Talent(controller: id, talents: $0) }
        }
        let wall = (openedAtDate.timeIntervalSince1970 * 1e9).rounded()
        return Opening(
            configuration: standing.withLock { $0.engine },
            // Amid an evening the tape says who sits there, and what they bring along.
            leases: isFromTheStart ? foundation.leases : [], talents: isFromTheStart ? kept : [], now: now,
            openedAt: openedAt,
            wallClock: Int64(wall), room: name, program: program,
            compiler: RecordingVersions.compiler, architecture: RecordingVersions.architecture,
            eventNumber: isFromTheStart ? 0 : UInt64(loop.journal.last), isFromTheStart: isFromTheStart)
    }
}

/// By what a recording was made: another compiler or processor may differ in the last bit of a motion.
enum RecordingVersions {
    static var compiler: String {
        #if compiler(>=6.4)
        "swift 6.4 or newer"
        #elseif compiler(>=6.3)
        "swift 6.3"
        #elseif compiler(>=6.2)
        "swift 6.2"
        #else
        "swift before 6.2"
        #endif
    }

    static var architecture: String {
        #if arch(x86_64)
        "x86_64"
        #elseif arch(arm64)
        "arm64"
        #else
        "other"
        #endif
    }
}
