import Dispatch
import Foundation
import InputMerge
import RoomRecords
import Roomful
import WireProtocol

/// Takes over, while people play, what has changed in the file that a program's rooms were opened from.
///
/// The whole file is looked over first, for all rooms: where one thing is wrong nothing changes anywhere.
actor ConfigurationReloader {
    private let path: String
    private let manager: ServiceManager?
    /// As the rooms go by it; what waits for a restart is here as it was at the start.
    private var current: [ConfigurationFile.Room]
    /// By the name that they were opened under.
    private var rooms: [String: Room] = [:]
    /// Rooms that several hosts could own, open here or not.
    private var shared: [String: SharedRoom] = [:]
    /// For good, as far as this program goes.
    private var closed: Set<String> = []
    private var isBusy = false
    private let allClosed = AsyncStream.makeStream(of: Void.self)

    init(path: String, rooms: [ConfigurationFile.Room], manager: ServiceManager?) {
        self.path = path
        current = rooms
        self.manager = manager
    }

    /// The room is open, and asks to be told of changes.
    func opened(_ room: Room) {
        rooms[room.name] = room
        room.reload { [self] in try await reload() }
    }

    /// This host takes part in a room of this name that several hosts could own.
    func takesPart(_ room: SharedRoom, _ name: String) { shared[name] = room }

    /// Such a room is not open here any more; it may be again.
    func left(_ name: String) { rooms[name] = nil }

    /// Where the ticket of a room goes, as the file has it now.
    func codeFile(of name: String) -> String? { current.first { $0.host.name == name }?.host.codeFile }

    /// Returns when the last of the rooms has closed: the program ends then.
    nonisolated func untilAllClosed() async { for await _ in allClosed.stream {} }

    func closed(_ name: String) {
        (rooms[name], shared[name]) = (nil, nil)
        closed.insert(name)
        if closed.count >= current.count { allClosed.continuation.finish() }
    }

    /// Reads the file, and takes over what can be.
    ///
    /// - Returns: what became of each key that is another now.
    /// - Throws: ``RoomError`` for what is wrong, with file and line: then nothing has changed.
    func reload() async throws -> ReloadReport {
        guard !isBusy else {
            throw RoomError(.full, "\(path) is being read already: wait for what comes of it, then reload again")
        }
        guard current.allSatisfy({ isSettled($0.host.name) }) else {
            throw RoomError(.full, "the rooms of \(path) are being opened: reload once they are")
        }
        isBusy = true
        defer { isBusy = false }
        let microseconds = DispatchTime.now().uptimeNanoseconds / 1_000
        manager?.tell("RELOADING=1\nMONOTONIC_USEC=\(microseconds)")
        do {
            let report = try await takeOver(
                try ConfigurationFile(text: await ConfigurationFile.settled(path), path: path))
            manager?.tell("READY=1\nSTATUS=\(report.summary)")
            PatientOutput.errors.post("roomful: " + report.lines.joined(separator: "\nroomful: "))
            return report
        } catch {
            manager?.tell("READY=1\nSTATUS=the configuration was not taken over: see the log")
            throw error
        }
    }

    /// Whether the room is open, closed for good, or another host's.
    private func isSettled(_ name: String) -> Bool {
        rooms[name] != nil || closed.contains(name) || shared[name].map { !$0.isOpen } == true
    }

    private func takeOver(_ file: ConfigurationFile) async throws -> ReloadReport {
        var pairs: [(place: Int, written: ConfigurationFile.Room, room: Room, change: Room.Change)] = []
        var elsewhere: [(place: Int, written: ConfigurationFile.Room, room: SharedRoom, now: RoomOptions)] = []
        var told: [ReloadReport.Room] = []
        var isOpen = Set<String>()
        for written in file.rooms {
            guard let place = place(of: written.host.name, in: file) else {
                told.append(.init(name: written.host.name, note: "is new: it is opened at the next start"))
                continue
            }
            let name = current[place].host.name
            isOpen.insert(name)
            if rooms[name] == nil, let room = shared[name] {
                // While the file was read its turn may have come: it has taken its options already.
                guard !room.isOpen else {
                    throw RoomError(.full, "the rooms of \(path) are being opened: reload once they are")
                }
                elsewhere.append((place, written, room, try room.prepare(try written.host.options())))
                continue
            }
            guard let room = rooms[name] else {
                told.append(.init(name: written.host.name, note: "was stopped: it is opened again at the next start"))
                continue
            }
            pairs.append((place, written, room, try room.prepare(try written.host.options())))
        }
        for before in current where !isOpen.contains(before.host.name) && rooms[before.host.name] != nil {
            let way = "roomful stop --room \(shellWord(before.host.name))"
            told.append(
                .init(name: before.host.name, note: "is not written down any more, and stays open until: \(way)"))
        }
        for (place, written, room, now) in elsewhere {
            let (before, wanted) = (room.nextOptions, try written.host.options())
            guard written.values != current[place].values || wanted.merge.gestures != before.merge.gestures else {
                told.append(.init(name: before.name))
                continue
            }
            room.open(next: now)
            let comparison = KeyComparison(
                from: current[place].values, to: written.values, before: before, wanted: wanted, now: now)
            let note = comparison.keys.isEmpty ? nil : "is not open here now: what is taken over holds when it is"
            told.append(.init(name: before.name, keys: comparison.keys, note: note))
            settle(comparison, written, at: place)
        }
        for (place, written, room, change) in pairs {
            let (before, wanted) = (room.options, try written.host.options())
            guard written.values != current[place].values || wanted.merge.gestures != before.merge.gestures else {
                told.append(.init(name: room.name))
                continue
            }
            let now = try await room.make(change)
            var comparison = KeyComparison(
                from: current[place].values, to: written.values, before: before, wanted: wanted, now: now)
            if let problem = writeTicket(of: room, written.host.codeFile) { comparison.note("code-file", problem) }
            told.append(.init(name: room.name, keys: comparison.keys))
            settle(comparison, written, at: place)
            if let shared = shared[current[place].host.name] {
                var next = try shared.prepare(wanted)
                next.seats = now.seats
                shared.open(next: next)
            }
        }
        return ReloadReport(file: path, rooms: told)
    }

    /// What was not taken over is told again when the file is read next.
    private func settle(_ comparison: KeyComparison, _ written: ConfigurationFile.Room, at place: Int) {
        for key in comparison.keys where key.isTaken {
            current[place].values[key.key] = written.values[key.key]
            if key.key == "code-file" { current[place].host.codeFile = written.host.codeFile }
        }
    }

    /// The open room that is meant: the one of that name; where there is one alone on both sides, that one.
    private func place(of name: String, in file: ConfigurationFile) -> Int? {
        current.firstIndex { $0.host.name == name }
            ?? (current.count == 1 && file.rooms.count == 1 ? 0 : nil)
    }

    /// What a ticket holds may be another now.
    ///
    /// - Returns: why it cannot be written.
    private func writeTicket(of room: Room, _ file: String?) -> String? {
        guard let file else { return nil }
        do {
            try room.ticket.write(to: file)
            return nil
        } catch {
            return "the ticket is not written: \(error)"
        }
    }
}
