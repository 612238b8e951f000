import EveningFiles
import FlightRecorder
import Foundation
import RecordingExports
import RoomRecords
import Roomful
import WireProtocol

/// A recorded evening as a room: games hear it at the same paths, by the same link, as they hear an evening that is.
struct ServedReplay {
    var file: String
    /// ms since the room opened: everything before it is played at once.
    var start: Double
    var speed: Double
    var player: Int?
    var game: String?
    var serve: String?
    var http: RoomOptions.HTTP

    /// Plays to the evening's end, and stays open until its operator closes it.
    func run() async throws {
        var evening = try RecordedEvening(file)
        let folder = try ReplayFolder()
        defer { folder.remove() }
        let options = try options(evening.opening, state: folder.path)
        let interruption = Interruption()
        try await withRoom(options) { room in
            interruption.onInterrupt { room.stop() }
            Terminal.print("\"\(room.name)\" as it was, in a room that nobody can join")
            Terminal.print("game: \(room.gamePage ?? room.gameLink)")
            let pace = ReplayPace(speed: speed)
            var group: [(entry: TapeEntry, at: HostTime)] = []
            while room.isOpen, let message = evening.next() {
                guard message.channel == RecordingChannel.inputs.id else { continue }
                var block = try TapeBlock(message.data)
                while let (entry, at) = try block.next() {
                    group.append((entry, at))
                    guard entry.isTurn else { continue }
                    try await play(&group, in: room, pace, at: (at - evening.opening.openedAt).milliseconds)
                }
            }
            for problem in evening.damage { Failure.say(problem) }
            Terminal.print("the recording ends here; the room stays open until ctrl-C")
            await room.untilClosed()
        }
    }

    /// - Parameter at: of the group's last entry, in ms since the room opened.
    private func play(
        _ group: inout [(entry: TapeEntry, at: HostTime)], in room: Room, _ pace: ReplayPace, at: Double
    ) async throws {
        if at >= start { try await pace.wait(until: at) }
        while !room.play(group), room.isOpen { try await Task.sleep(for: .milliseconds(2)) }
        group.removeAll(keepingCapacity: true)
    }

    private func options(_ opening: Opening, state: String) throws -> RoomOptions {
        var options = RoomOptions(name: opening.room, seats: opening.seats, policy: .open)
        options.discovery = .none
        options.http = http
        options.play = game
        options.serve = serve
        // Its operator's socket lies there too: a room of the same name that lives is not in its way.
        options.state = try StateFolder(state, environment: [:])
        options.replay = RoomReplay(opening, player: player)
        return options
    }
}
