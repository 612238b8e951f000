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
        let found = try look(at: file)
        var told = found.told
        for (wanted, room, next) in found.elsewhere { told.append(settle(wanted, in: room, opening: next)) }
        for (wanted, room, change) in found.open { told.append(try await settle(wanted, in: room, making: change)) }
        return ReloadReport(file: path, rooms: told)
    }

    /// One of the rooms as it is written now.
    private struct Wanted {
        var place: Int
        var written: ConfigurationFile.Room
        /// Made once: what they name may be other files a moment later.
        var options: RoomOptions
    }

    /// What the file says, looked over: nothing has changed yet.
    private struct Findings {
        var open: [(wanted: Wanted, room: Room, change: Room.Change)] = []
        var elsewhere: [(wanted: Wanted, room: SharedRoom, next: RoomOptions)] = []
        /// Of rooms of which nothing is taken over.
        var told: [ReloadReport.Room] = []
    }

    private func look(at file: ConfigurationFile) throws -> Findings {
        var found = Findings()
        var isWritten = Set<String>()
        for written in file.rooms {
            guard let place = place(of: written.host.name, in: file) else {
                found.told.append(.init(name: written.host.name, note: "is new: it is opened at the next start"))
                continue
            }
            let name = current[place].host.name
            isWritten.insert(name)
            if let room = rooms[name] {
                let wanted = Wanted(place: place, written: written, options: try written.host.options())
                found.open.append((wanted, room, try room.prepare(wanted.options)))
            } else if let room = shared[name] {
                // While the file was read its turn may have come: it has taken its options already.
                guard !room.isOpen else {
                    throw RoomError(.full, "the rooms of \(path) are being opened: reload once they are")
                }
                let wanted = Wanted(place: place, written: written, options: try written.host.options())
                found.elsewhere.append((wanted, room, try room.prepare(wanted.options)))
            } else {
                found.told.append(
                    .init(name: written.host.name, note: "was stopped: it is opened again at the next start"))
            }
        }
        for before in current where !isWritten.contains(before.host.name) && rooms[before.host.name] != nil {
            let way = "roomful stop --room \(shellWord(before.host.name))"
            found.told.append(
                .init(name: before.host.name, note: "is not written down any more, and stays open until: \(way)"))
        }
        return found
    }

    /// Of a room that another host has, or nobody.
    private func settle(
        _ wanted: Wanted, in room: SharedRoom, opening next: RoomOptions
    ) -> ReloadReport.Room {
        let before = room.nextOptions
        guard !isSame(wanted, before) else { return .init(name: before.name) }
        room.open(next: next)
        let comparison = compare(wanted, before, now: next)
        settle(comparison, wanted)
        let note = comparison.keys.isEmpty ? nil : "is not open here now: what is taken over holds when it is"
        return .init(name: before.name, keys: comparison.keys, note: note)
    }

    private func settle(
        _ wanted: Wanted, in room: Room, making change: Room.Change
    ) async throws -> ReloadReport.Room {
        let before = room.options
        guard !isSame(wanted, before) else { return .init(name: room.name) }
        let now = try await room.make(change)
        var comparison = compare(wanted, before, now: now)
        if let problem = writeTicket(of: room, wanted.written.host.codeFile) { comparison.note("code-file", problem) }
        settle(comparison, wanted)
        if let shared = shared[current[wanted.place].host.name] {
            var next = try shared.prepare(wanted.options)
            next.seats = now.seats
            shared.open(next: next)
        }
        return .init(name: room.name, keys: comparison.keys)
    }

    /// Whether nothing is written otherwise, nor in the file of gestures.
    private func isSame(_ wanted: Wanted, _ before: RoomOptions) -> Bool {
        wanted.written.values == current[wanted.place].values
            && wanted.options.watchesFor(theSameAs: before)
    }

    private func compare(_ wanted: Wanted, _ before: RoomOptions, now: RoomOptions) -> KeyComparison {
        KeyComparison(
            from: current[wanted.place].values, to: wanted.written.values, before: before, wanted: wanted.options,
            now: now)
    }

    /// What was not taken over is told again when the file is read next.
    private func settle(_ comparison: KeyComparison, _ wanted: Wanted) {
        for key in comparison.keys where key.isTaken {
            current[wanted.place].values[key.key] = wanted.written.values[key.key]
            if key.key == "code-file" { current[wanted.place].host.codeFile = wanted.written.host.codeFile }
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
