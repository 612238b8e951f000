import Datagrams
package import EveningFiles
package import FlightRecorder
import Foundation
package import InputMerge
package import RoomEngine
package import RoomRecords
package import SessionCoordinator
package import WireProtocol

/// Plays a recorded evening again and says, as it goes, whether it comes to the same.
///
/// Each event that the engine makes anew is compared, byte for byte of its JSON, with the one that the recording holds;
/// the players' motion by its digests. What the tape does not lead to, as its beginning or a part of it is missing, is
/// told as it was kept.
package struct EveningPlayer {
    /// Something that happens in the replay.
    package enum Step {
        /// Made anew by the engine; kept with the recording, once the engine cannot know any more.
        case event(EventRecord)
        case mark(String, at: Double)
        /// What the other rules would have made of it.
        case passenger(GestureEvent)
        case passengerVerdict(EventRecord.Verdict)
        /// One sensor's samples, each once, where they were asked for, and who had it then.
        case motion(MotionBatch, of: PeerReport)
    }

    package private(set) var evening: RecordedEvening
    package private(set) var replay: Replay
    private let cipher: LinkCipher
    /// How many departures were told of by ``takeReports()``.
    private var departuresTold = 0
    private let encoder = RecordingCoding.encoder()
    private var made: [(json: [UInt8], number: Int)] = []
    private var kept: [[UInt8]] = []
    private var compared = 0
    /// Of the last event that the engine made, or that was told.
    private var lastNumber: Int
    private var nextBlock: UInt32 = 0
    private var isWhole = true
    /// It ended as it was meant to: everything that its tape leads to was told.
    package private(set) var isComplete = false
    /// Why it ended before its time, where it could still say so.
    package private(set) var failure: String?
    /// The first event that came out otherwise, both as JSON.
    package private(set) var difference: String?
    /// What is missing from the tape, in words.
    package private(set) var holes: [String] = []
    private var samplesOfNobody = 0
    package private(set) var events = 0
    package private(set) var marks = 0
    package private(set) var entries = 0
    package private(set) var datagrams = 0
    /// The time that the tape has come to.
    package private(set) var now: HostTime

    /// - Parameters:
    ///   - passenger: other rules, that change nothing.
    ///   - tellsMotion: every sample of every sensor is told too.
    package init(
        _ path: String, passenger: MergeConfiguration? = nil, tellsMotion: Bool = false
    ) throws(RecordingFileError) {
        evening = try RecordedEvening(path)
        let rules = passenger ?? (tellsMotion ? evening.opening.configuration.merge : nil)
        replay = Replay(evening.opening, passenger: rules, tellsMotion: tellsMotion)
        cipher = LinkCipher.preferred(for: evening.opening.configuration.room.suite)
        // A file may claim any number, and it is counted on from there.
        lastNumber = min(Int(clamping: evening.opening.eventNumber), .max / 2)
        now = evening.opening.now
        if !evening.opening.isFromTheStart {
            holes.append(
                "it was begun in the middle of the evening: what the room had learnt of anybody before is not in it")
        }
    }

    /// Whether every event until here came out as it was recorded, and nothing was missing.
    package var isVerified: Bool { difference == nil && holes.isEmpty && replay.motionDifference == nil }

    /// How everyone stood who has left since this was asked last, at their end, and how everyone stands who is here.
    package mutating func takeReports() -> (left: [PeerReport], here: [PeerReport]) {
        let engine = replay.engine
        let left = engine.departed.suffix(engine.departures - departuresTold).map(\.report)
        departuresTold = engine.departures
        return (left, engine.coordinator.reports(now: now))
    }

    /// What is wrong with the recording, or came out otherwise; to be asked after the last step.
    package var problems: [String] { evening.damage + holes + [missingEnd, difference].compactMap(\.self) }

    /// Why what came last may not be here; `nil` where it ended as it was meant to, or damage says as much. To be asked
    /// after the last step.
    package var missingEnd: String? {
        if let failure { return "its recorder ended before its time: \(failure)" }
        guard evening.isFinished else {
            return "its end is missing: it is recorded still, or its recorder was killed and up to a second is lost, "
                + "or it is a piece of a file, and nobody knows of how long a one"
        }
        guard !isComplete, evening.damage.isEmpty else { return nil }
        return "its end is missing: its recorder was killed (up to a second is lost), or files that follow are not here"
    }

    /// Events that were found to be the same.
    package var same: Int { compared }

    /// ms since the room opened.
    package func moment(_ time: HostTime) -> Double {
        RecordClock(openedAt: evening.opening.openedAt).milliseconds(time)
    }

    /// Everyone who has, or had, a seat, as it stands where the tape has come to.
    package var peers: [PeerState] {
        var replay = replay
        guard
            case .success(.status(let state)) = replay.answer(
                .status(minute: false), RequestID(rawValue: .max), at: now, cipher: cipher)
        else { return replay.engine.departed }
        return replay.engine.departed + state.peers
    }

    /// Plays the next message of the file; false at its end. `take` hears what happens, and when by the tape.
    package mutating func step(_ take: (Step, HostTime) throws -> Void) throws -> Bool {
        guard let message = evening.next() else {
            try tellKept(isOver: true, take)
            if replay.unowned > 0, !evening.opening.isFromTheStart {
                note(
                    "\(plural(replay.unowned, "datagram is", "datagrams are")) of links that had ended when it was begun, or that are "
                        + "not known here"
                )
            }
            if samplesOfNobody > 0 {
                holes.append("\(plural(samplesOfNobody, "sample is", "samples are")) of nobody: no account tells whose")
            }
            finish()
            return false
        }
        switch message.channel {
        case RecordingChannel.inputs.id: try play(message.data, take)
        case RecordingChannel.events.id:
            events += 1
            kept.append(Array(message.data))
            if holdsAll { compare() } else { try tellKept(take) }
        case RecordingChannel.marks.id:
            if let mark = try? JSONDecoder().decode(RecordingMark.self, from: Data(message.data)) {
                marks += 1
                try take(.mark(mark.text, at: mark.at), now)
            }
        case RecordingChannel.notes.id:
            guard let note = try? JSONDecoder().decode(RecordingNote.self, from: Data(message.data)) else { break }
            switch note.note {
            case .hole: self.note(note.text)
            case .failed: failure = note.text
            case .complete: isComplete = true
            case .about: break
            }
        default: break
        }
        return true
    }

    /// Plays to the end. Once a second, and in the end, `look` sees how everyone stands, before `take` hears what the last
    /// message led to.
    mutating func play(
        lookingEachSecond look: (inout EveningPlayer) throws -> Void, _ take: (Step) throws -> Void
    ) throws {
        var (steps, isOver, lookedAt): ([Step], Bool, HostTime) = ([], false, now)
        while !isOver {
            steps.removeAll(keepingCapacity: true)
            isOver = try !step { step, _ in steps.append(step) }
            if now - lookedAt >= .seconds(1) || isOver {
                lookedAt = now
                try look(&self)
            }
            for step in steps { try take(step) }
        }
    }

    private mutating func play(_ bytes: ArraySlice<UInt8>, _ take: (Step, HostTime) throws -> Void) throws {
        var block: TapeBlock
        do throws(TapeError) {
            block = try TapeBlock(bytes)
        } catch {
            return note("a block of the tape cannot be read: \(error)")
        }
        if block.number != nextBlock {
            note(
                "blocks \(nextBlock) to \(block.number &- 1) of the tape are missing before "
                    + String(format: "%.3f s", moment(block.begins) / 1e3))
        }
        nextBlock = block.number &+ 1
        while true {
            let next: (entry: TapeEntry, at: HostTime)?
            do throws(TapeError) {
                next = try block.next()
            } catch {
                return note(
                    "the tape cannot be read on after " + String(format: "%.3f s", moment(now) / 1e3) + ": \(error)")
            }
            guard let (entry, at) = next else { return }
            entries += 1
            now = at
            if case .datagram = entry { datagrams += 1 }
            if case .hole(let hole) = entry {
                note(
                    "from " + String(format: "%.3f to %.3f s", moment(hole.from) / 1e3, moment(hole.to) / 1e3)
                        + " \(plural(hole.entries, "entry was", "entries were")) not kept (\(plural(hole.bytes, "byte"))): memory or disk was too "
                        + "slow")
            }
            replay.play(entry, at: at, cipher: cipher)
            for case .event(let event) in replay.outputs { try tell(event, at, take) }
            guard entry.isTurn || !replay.left.isEmpty else { continue }
            for event in replay.takePassengerEvents() {
                switch event {
                case .gesture(let gesture): try take(.passenger(gesture), at)
                case .verdict(let verdict):
                    let clock = RecordClock(openedAt: evening.opening.openedAt)
                    try take(.passengerVerdict(EventRecord.Verdict(verdict, clock)), at)
                case .motions(let batch):
                    guard let owner = replay.owner(of: batch.sensor) else {
                        samplesOfNobody += batch.motions.count
                        continue
                    }
                    try take(.motion(batch, of: owner), at)
                case .team, .teaching, .shaping, .sensor, .submersion, .omitted: break
                }
            }
        }
    }

    /// Whether the tape, from the room's first moment, holds everything until here.
    private var holdsAll: Bool { isWhole && evening.opening.isFromTheStart }

    /// Tells the events that were kept, where the engine could not make them: as something is missing before, or as the
    /// tape was cut off before what led to them.
    private mutating func tellKept(isOver: Bool = false, _ take: (Step, HostTime) throws -> Void) throws {
        guard !holdsAll || isOver && !isComplete && difference == nil else { return }
        let records = kept.compactMap { try? JSONDecoder().decode(EventRecord.self, from: printableJSON(Data($0))) }
        kept = []
        for record in records where record.number.map({ $0 > lastNumber }) ?? false {
            lastNumber = record.number ?? lastNumber
            // A file may claim any moment: thirty years will do.
            let moment = Duration.milliseconds(min(1e12, max(0, record.moment)))
            try take(.event(record), evening.opening.openedAt + moment)
        }
    }

    private mutating func tell(_ event: RoomEvent, _ at: HostTime, _ take: (Step, HostTime) throws -> Void) throws {
        guard holdsAll else { return }
        var record = EventRecord(event, openedAt: evening.opening.openedAt)
        if record.isNumbered {
            lastNumber += 1
            record.number = lastNumber
            made.append((Array(try encoder.encode(record)), lastNumber))
            compare()
        }
        try take(.event(record), at)
    }

    /// What is missing makes all that follows incomparable.
    private mutating func note(_ hole: String) {
        isWhole = false
        if holes.count < 1_000 { holes.append(hole) }
    }

    private mutating func compare() {
        while let mine = made.first, let theirs = kept.first {
            made.removeFirst()
            kept.removeFirst()
            guard holdsAll, difference == nil else { continue }
            if mine.json == theirs {
                compared += 1
            } else {
                difference =
                    "event \(mine.number) was recorded as\n  \(String(decoding: theirs, as: UTF8.self))\nand comes out as\n  "
                    + String(decoding: mine.json, as: UTF8.self)
            }
        }
    }

    private mutating func finish() {
        // What was cut off may have held the cause of the last events, or they themselves.
        guard holdsAll, isComplete, difference == nil, evening.damage.isEmpty else { return }
        if let mine = made.first {
            difference =
                "event \(mine.number) comes out and was not recorded:\n  \(String(decoding: mine.json, as: UTF8.self))"
        } else if let theirs = kept.first {
            difference = "an event was recorded that does not come out:\n  \(String(decoding: theirs, as: UTF8.self))"
        }
    }
}
