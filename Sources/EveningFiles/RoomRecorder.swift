import Datagrams
import Dispatch
package import FlightRecorder
import Identity
import Logging
import RoomEngine
package import RoomRecords
import SessionCoordinator
import Synchronization
package import WireProtocol

/// A room's flight recorder: takes what the room's thread tapes and tells, and writes it from a thread of its own.
///
/// The room's thread leaves blocks in a ring and events in a list; it neither waits for a disk nor hears of one. A disk
/// that fails ends the recording, once, in words; the room plays on.
package final class RoomRecorder: Sendable {
    /// What the other threads leave for the recorder's.
    private struct Desk {
        var events: [NumberedEvent] = []
        var marks: [RecordingMark] = []
        /// Events that found no room since the last look.
        var overflow = 0
        var isEnding = false
        var status: RecordingStatus
    }

    /// Events that may wait for the recorder's thread.
    private static let mostEvents = 16_384

    package let blocks = RecorderBlocks()
    let opening: Opening
    private let options: RecordingOptions
    private let logger: Logger
    /// Where people are labels.
    private let labels: TapedIdentities?
    private let desk: Mutex<Desk>
    private let onFailure: @Sendable () -> Void
    private let hasEnded = Mutex(false)

    /// Makes the first file and starts the thread.
    ///
    /// - Parameter onFailure: called once, on that thread, when the recording ended by itself.
    /// - Throws: ``RecordingFileError`` when nothing can be recorded there at all.
    package init(
        _ options: RecordingOptions, opening: Opening, onFailure: @escaping @Sendable () -> Void
    ) throws(RecordingFileError) {
        self.options = options
        self.opening = opening
        self.onFailure = onFailure
        logger = Logger("roomful.recorder", ofRoom: opening.room)
        var status = RecordingStatus(.recording)
        status.isExact = opening.isFromTheStart
        let labels = options.pseudonymKey.map { TapedIdentities(key: $0) }
        self.labels = labels
        let remarks = labels == nil ? [] : [("people", "labels by a key that is not in this file (HMAC-SHA-256)")]
        let reel = try RecordingReel(options, opening: labels?.opening(opening) ?? opening, remarks: remarks)
        status.path = reel.path
        desk = Mutex(Desk(status: status))
        do throws(ThreadError) {
            try startThread(named: "roomful-record") { [self] in
                run(reel, labels.map { RewrittenTape(opening, identities: $0) })
                blocks.ended.signal()
            }
        } catch {
            reel.remove()
            throw RecordingFileError("cannot record to \(reel.path): \(error)")
        }
    }

    /// Whether the recording begins with the room.
    package var isFromTheStart: Bool { opening.isFromTheStart }

    package var status: RecordingStatus { desk.withLock { $0.status } }

    /// An event as it was told; never waits.
    package func note(_ event: NumberedEvent) {
        desk.withLock { desk in
            guard desk.status.state == .recording else { return }
            guard desk.events.count < Self.mostEvents else {
                desk.overflow += 1
                desk.status.lostEvents = (desk.status.lostEvents ?? 0) + 1
                desk.status.isExact = false
                return
            }
            desk.events.append(event)
        }
    }

    /// Somebody points at this moment; `false` where nothing is written any more.
    package func mark(_ text: String, at time: HostTime) -> Bool {
        add(RecordingMark(text: text, at: RecordClock(openedAt: opening.openedAt).milliseconds(time)))
    }

    /// A controller's own program points at this moment: `P2: lap 3`. Where people are labels, their words are left out.
    package func mark(_ words: String, at time: HostTime, by controller: ControllerID, of player: PlayerNumber) {
        let said = labels == nil ? printable(words) : ""
        let text = "P\(player)" + (said.isEmpty ? "" : ": \(said)")
        let by = (labels?.controller(controller) ?? controller).description
        let at = RecordClock(openedAt: opening.openedAt).milliseconds(time)
        _ = add(RecordingMark(text: text, at: at, controller: by))
    }

    private func add(_ mark: RecordingMark) -> Bool {
        desk.withLock { desk in
            guard desk.status.state == .recording, desk.marks.count < Self.mostEvents else { return false }
            desk.marks.append(mark)
            return true
        }
    }

    /// What the tape has lost so far.
    package func note(lostEntries: UInt64) {
        desk.withLock {
            $0.status.lostEntries = Int(clamping: lostEntries)
            $0.status.isExact = false
        }
    }

    /// Writes what is there and the file's end; returns when that is done. A disk that hangs is waited for 5 s.
    package func end() {
        desk.withLock { $0.isEnding = true }
        blocks.news.signal()
        let isFirst = hasEnded.withLock { isOver in
            defer { isOver = true }
            return !isOver
        }
        if isFirst, blocks.ended.wait(timeout: .now() + 5) == .timedOut {
            logger.error("the disk does not answer: what was recorded last may be missing")
        }
    }

    // MARK: The recorder's thread

    private func run(_ reel: RecordingReel, _ rewritten: RewrittenTape?) {
        var tape = rewritten
        while true {
            _ = blocks.news.wait(timeout: .now() + .milliseconds(100))
            // What these blocks led to was told before they were handed on: no event is written after its cause's chunk.
            let full = blocks.full
            let (events, overflow, marks, isEnding) = desk.withLock { desk in
                defer {
                    desk.events.removeAll(keepingCapacity: true)
                    desk.overflow = 0
                    desk.marks = []
                }
                return (desk.events, desk.overflow, desk.marks, desk.isEnding)
            }
            for _ in 0..<(isEnding ? blocks.full : full) {
                _ = blocks.drainOne { bytes in
                    if tape == nil { reel.add(block: Array(bytes)) } else { tape?.add(Array(bytes), to: reel) }
                }
            }
            if tape == nil {
                for event in events { reel.add(EventRecord(event, openedAt: opening.openedAt)) }
            } else {
                tape?.keepBlocks(in: reel, isLast: isEnding)
            }
            for mark in marks { reel.add(mark) }
            if overflow > 0 { reel.addHole(events: overflow) }
            do throws(RecordingFileError) {
                try reel.turn(isLast: isEnding)
            } catch {
                fail(reel, error)
                return
            }
            tell(reel, isEnding: isEnding)
            if isEnding { return }
        }
    }

    private func tell(_ reel: RecordingReel, isEnding: Bool) {
        let (path, seconds, bytes, counts) = (reel.path, reel.seconds, reel.bytes, reel.counts)
        desk.withLock { desk in
            desk.status.path = path
            desk.status.seconds = seconds
            desk.status.bytes = Int(clamping: bytes)
            desk.status.events = counts.events
            desk.status.marks = counts.marks
            if isEnding { desk.status.state = .off }
        }
    }

    /// The recording is over; what stands in its file is made whole, if the disk lets us.
    private func fail(_ reel: RecordingReel, _ error: RecordingFileError) {
        let isWhole = reel.finish(because: error.description)
        let path = reel.path
        var problem = "recording has ended: \(error.description). The room plays on."
        if reel.isInPlace {
            problem +=
                isWhole
                ? " What was recorded until then is whole in \(path)"
                : " What was recorded until then may lack its end; mend it with: roomful recordings --mend \(shellWord(path))"
        }
        logger.error("\(problem)")
        desk.withLock {
            $0.status.state = .failed
            $0.status.problem = problem
        }
        onFailure()
        // What the room still tapes finds no free block, and costs next to nothing.
    }
}

extension RewrittenTape {
    /// What the room taped is kept as the evening that is told of it. Nothing of the room's own words reaches the disk.
    fileprivate mutating func add(_ block: [UInt8], to reel: RecordingReel) {
        do throws(TapeError) {
            try take(block[...]) { event, told in reel.add(event, at: told) }
        } catch {
            reel.addHole("a block could not be told with labels: \(error)")
        }
    }

    fileprivate mutating func keepBlocks(in reel: RecordingReel, isLast: Bool) {
        for block in takeBlocks(isLast: isLast) { reel.add(block: block) }
    }
}
