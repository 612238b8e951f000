package import FlightRecorder
package import InputMerge
package import RoomEngine
import WireProtocol

/// Plays what an evening's recorder kept, as a stranger would find it: from its bytes alone.
extension EveningTape {
    /// - Returns: what came of it, and where that is not what the room told.
    package func play(
        passenger: MergeConfiguration? = nil
    ) throws(TapeError) -> (replay: Replay, events: [RoomEvent], difference: String?) {
        var replay = Replay(try Opening(reading: opening.bytes), passenger: passenger)
        var told: [RoomEvent] = []
        for bytes in blocks {
            var block = try TapeBlock(bytes[...])
            while let (entry, at) = try block.next() {
                replay.play(entry, at: at, cipher: ToyCipher())
                told += replay.outputs.compactMap(\.toldEvent)
            }
        }
        return (replay, told, difference(told, replay))
    }

    private func difference(_ told: [RoomEvent], _ replay: Replay) -> String? {
        for (place, (mine, theirs)) in zip(told, events).enumerated() where mine != theirs {
            return "event \(place) of \(events.count) was \(theirs), and comes out as \(mine)"
        }
        if told.count != events.count { return "\(events.count) events come out as \(told.count)" }
        if let at = replay.motionDifference { return "motion differs at \(at.nanoseconds) ns" }
        return replay.isExact ? nil : "something is missing on the tape"
    }
}

extension Evening {
    /// Records an evening and plays it again, each life of its host: the first difference, if there is one.
    public static func replayDifference(seed: UInt64, size: EveningSize = EveningSize()) -> String? {
        let (report, tapes) = record(seed: seed, size: size)
        if report != play(seed: seed, size: size) { return "the recorder changes the evening" }
        for (life, tape) in tapes.enumerated() {
            do throws(TapeError) {
                if let difference = try tape.play().difference { return "life \(life): \(difference)" }
            } catch {
                return "life \(life): \(error)"
            }
        }
        return nil
    }
}
