import Datagrams
import Dispatch
import EveningFiles
import FlightRecorder
import Foundation
import Identity
public import RoomRecords
import SessionCoordinator
import Synchronization
import WireProtocol

/// The room's recorder of the moment, if there is one: every thread may ask.
final class RecordingDesk: Sendable {
    /// Whether somebody changes the recorder, and who wants to next.
    private struct Turns {
        var isTaken = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let current = Mutex<RoomRecorder?>(nil)
    private let last = Mutex(RecordingStatus(.off))
    private let turns = Mutex(Turns())

    var recorder: RoomRecorder? { current.withLock { $0 } }

    var status: RecordingStatus { current.withLock { $0 }?.status ?? last.withLock { $0 } }

    /// Whether what happens is kept: not any more where a disk ended that, whoever ends the recorder.
    var isRecording: Bool { recorder?.status.state == .recording }

    /// Puts a recorder in the place of the one before, which is returned.
    func change(to recorder: RoomRecorder?) -> RoomRecorder? {
        current.withLock { current in
            defer { current = recorder }
            return current
        }
    }

    /// Does what changes the recorder once nobody else does, in the order of the calls: between the desk and the room's
    /// thread another's recorder could get lost, which would record on and be nobody's to end.
    func inTurn<Value>(_ work: () async throws -> Value) async rethrows -> Value {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let isFree = turns.withLock { turns in
                defer { turns.isTaken = true }
                if turns.isTaken { turns.waiting.append(continuation) }
                return !turns.isTaken
            }
            if isFree { continuation.resume() }
        }
        defer { passOn() }
        return try await work()
    }

    private func passOn() {
        let next: CheckedContinuation<Void, Never>? = turns.withLock { turns in
            turns.isTaken = !turns.waiting.isEmpty
            return turns.waiting.isEmpty ? nil : turns.waiting.removeFirst()
        }
        next?.resume()
    }

    /// Ends a recorder that has no place any more, and remembers how it stood.
    func end(_ recorder: RoomRecorder) async {
        await Self.besideTasks { recorder.end() }
        last.withLock { $0 = recorder.status }
    }

    /// Ends a recorder that never had a place, and removes the file that it made.
    func drop(_ recorder: RoomRecorder) async {
        await Self.besideTasks {
            recorder.end()
            if let path = recorder.status.path { unlink(path) }
        }
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
        try await startRecording(options) {}
    }

    /// - Parameter check: throws where this recording must not begin. Asked before its file is made, and again in its
    ///   turn, as another may have begun meanwhile.
    func startRecording(_ options: RecordingOptions, check: () throws -> Void) async throws -> RecordingStatus {
        try check()
        var options = options
        // Where people are recorded as labels, no other recording names them.
        let (host, evening) = (self.options, self.options.recording)
        options.pseudonymKey = evening?.pseudonymKey ?? host.pseudonymKey ?? options.pseudonymKey
        // What was said of the evening, and who agreed to what, is said in each of its recordings.
        options.description = options.description ?? evening?.description
        options.consent = options.consent ?? evening?.consent
        if options.program == RecordingOptions(path: options.path).program {
            options.program = host.program ?? evening?.program ?? options.program
        }
        let opening = opening(now: HostClock.now(), isFromTheStart: false, program: options.program)
        let made = await RecordingDesk.besideTasks { [options, outbox] in
            Result { () throws(RecordingFileError) in
                try RoomRecorder(options, opening: opening) { outbox.post(.recorded) }
            }
        }
        let recorder = try made.mapError { RoomError(.badOption, $0.description) }.get()
        do {
            try await recording.inTurn {
                try check()
                try await hand(recorder)
            }
        } catch {
            await recording.drop(recorder)
            throw error
        }
        return recorder.status
    }

    /// Ends the recording, if there is one: its file is whole when this returns.
    @discardableResult
    public func stopRecording() async -> RecordingStatus { await recording.inTurn { await endRecording() } }

    /// Removes what was recorded of a room that has closed before anybody could come: it would keep the next start from
    /// recording to the same file.
    package func dropRecording() {
        if let path = recording.status.path { unlink(path) }
    }

    /// Takes the recorder from the room's thread, in its turn.
    private func endRecording() async -> RecordingStatus {
        guard let old = recording.recorder else { return recording.status }
        await withCheckedContinuation { continuation in
            if !loop.post(.record(nil, { continuation.resume() })) { continuation.resume() }
        }
        _ = changeRecorder(to: nil)
        await recording.end(old)
        return recording.status
    }

    /// Puts a recorder in the place of the one before, which is returned; everyone with a seat is told what that changes.
    func changeRecorder(to recorder: RoomRecorder?) -> RoomRecorder? {
        defer { outbox.post(.recorded) }
        return recording.change(to: recorder)
    }

    /// How the recording stands.
    public var recordingStatus: RecordingStatus { recording.status }

    /// Points at this moment: the recording shows it, replays can begin there.
    ///
    /// - Throws: ``RoomError`` when nothing is recorded, or not any more, or the text is empty, longer than 200 bytes, or
    ///   holds control characters.
    public func mark(_ text: String) throws {
        guard (1...200).contains(text.utf8.count), text.unicodeScalars.allSatisfy(isPrintable) else {
            throw RoomError(.badOption, "a mark has 1 to 200 bytes, and none that moves a terminal")
        }
        guard let recorder = recording.recorder else {
            throw RoomError(.badOption, "nothing is recorded; begin with: roomful record start FILE")
        }
        guard recorder.mark(text, at: HostClock.now()) else {
            let status = recorder.status
            throw RoomError(
                .badOption,
                "nothing is recorded any more: \(status.problem ?? "the recording has ended"); "
                    + "begin anew with: roomful record start FILE")
        }
    }

    /// Gives the recorder to the room's thread, in its turn.
    private func hand(_ recorder: RoomRecorder) async throws {
        let old = changeRecorder(to: recorder)
        let isTaken = await withCheckedContinuation { continuation in
            if !loop.post(.record(recorder, { continuation.resume(returning: true) })) {
                continuation.resume(returning: false)
            }
        }
        guard isTaken else {
            // The one before goes on.
            _ = changeRecorder(to: old)
            throw RoomError(.closed, "the room is closed, or has too much to do: try again")
        }
        if let old { await recording.end(old) }
    }

    /// When the room opened, by the wall clock as it goes now, in ns since 1970: it may have been put right since, and goes
    /// on while the machine sleeps, which the host's clock does not.
    private var wallClockAtOpening: Int64 {
        if let replayed = options.replay { return replayed.opening.wallClock }
        let (date, open) = (Date(), HostClock.now() - openedAt)
        return Int64((date.timeIntervalSince1970 * 1e9).rounded()) - open.wholeNanoseconds
    }

    /// What a recording holds of the room itself.
    func opening(now: HostTime, isFromTheStart: Bool, program: String) -> Opening {
        let talents = foundation.talents
        let kept = talents.keys.sorted().compactMap { id in
            talents[id].map { Opening.Talent(controller: id, talents: $0) }
        }
        return Opening(
            configuration: standing.withLock { $0.engine },
            // Amid an evening the tape says who sits there, and what they bring along.
            leases: isFromTheStart ? foundation.leases : [], talents: isFromTheStart ? kept : [], now: now,
            openedAt: openedAt,
            wallClock: wallClockAtOpening, room: name, program: program,
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
