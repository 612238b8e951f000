import Datagrams
import EveningFiles
import FlightRecorder
import Foundation
import RecordingExports
import RoomRecords
import Testing
import WireProtocol

@testable import RoomEngine
@testable import RoomServer
@testable import Roomful
@testable import SessionCoordinator

@Suite("A room that is recorded, over real sockets", .serialized, .timeLimit(.minutes(3)))
struct RecordedRoomTests {
    /// Plays a recording to its end.
    private func play(_ path: String) throws -> (player: EveningPlayer, events: [EventRecord], marks: [String]) {
        var player = try EveningPlayer(path)
        var (events, marks): ([EventRecord], [String]) = ([], [])
        while try player.step({ step, _ in
            if case .event(let event) = step, event.number != nil { events.append(event) }
            if case .mark(let text, _) = step { marks.append(text) }
        }) {}
        return (player, events, marks)
    }

    @Test("What was recorded of a controller, a teacher, an operator and a mark plays again to the same events")
    func sameEvents() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var options = try house.options()
        options.recording = RecordingOptions(path: folder + "/")
        let (told, path) = try await withRoom(options) { room in
            let events = await room.events(motion: true)
            let listening = Task { () -> [EventRecord] in
                var all: [EventRecord] = []
                for await event in events.records where event.number != nil { all.append(event) }
                return all
            }
            try await withController(house.controller("Blue"), joining: room.local) { controller in
                var jumper = Jumper()
                for step in 0..<200 {
                    let sample = jumper.next()
                    try await Task.sleep(for: max(.zero, sample.sampledAt - Controller.deviceTimeNow()))
                    controller.send(sample)
                    if step == 100 {
                        try room.mark("second trial")
                        try await room.rename("Blue", to: "Green")
                        try await room.play(on: "Green")
                        await room.lock()
                    }
                }
                #expect(await controller.settle(within: patience))
            }
            room.stop()
            return (await listening.value, try #require(room.recordingStatus.path))
        }
        let (player, events, marks) = try play(path)
        #expect(player.difference == nil)
        #expect(player.holes.isEmpty && player.evening.damage.isEmpty && player.evening.isFinished)
        #expect(player.replay.motionDifference == nil && player.replay.motions > 0)
        #expect(events == told)
        #expect(player.same == told.count)
        #expect(marks == ["second trial"])
        #expect(!FileManager.default.fileExists(atPath: path + ".reserve"))

        // Killed in its midst, the same file plays as far as it goes, and mended it is whole.
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        let cut = folder + "/cut.mcap"
        try bytes.prefix(bytes.count * 2 / 3).write(to: URL(fileURLWithPath: cut))
        let short = try play(cut)
        #expect(short.player.difference == nil && !short.player.evening.isFinished)
        #expect(short.events == Array(told.prefix(short.events.count)))
        guard case .mended = try RecordedEvening.mend(cut) else {
            Issue.record("it was not mended")
            return
        }
        #expect(try play(cut).player.evening.isFinished)

        for format in EveningExport.Format.allCases {
            let summary = try EveningExport.run(path, to: format, in: folder + "/\(format)", by: "tests 1")
            #expect(summary.samples > 150 && summary.events == told.count && summary.marks == 1)
            #expect(summary.problems.isEmpty)
        }
        let page = try EveningReport(path).html
        #expect(page.contains("second trial") && page.contains("Motion, and gestures"))
        #expect(page.contains("last stay's one way"))
    }

    @Test("A room that cannot open leaves no recording: once that is mended, it records to the same file")
    func failedStart() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        let path = house.folder + "/evening.mcap"
        var options = try house.options()
        options.recording = RecordingOptions(path: path)
        options.serve = house.folder + "/none"
        let hopeless = options
        await #expect(throws: (any Error).self) { try await withRoom(hopeless) { _ in } }
        let left = try FileManager.default.contentsOfDirectory(atPath: house.folder)
        #expect(!left.contains { $0.hasPrefix("evening") }, "\(left)")
        options.serve = nil
        try await withRoom(options) { _ in }
        #expect(FileManager.default.fileExists(atPath: path))
        // What was there before is not the failed start's to remove.
        options.serve = hopeless.serve
        let refused = options
        await #expect(throws: (any Error).self) { try await withRoom(refused) { _ in } }
        #expect(FileManager.default.fileExists(atPath: path))
    }

    @Test("An evening that begins makes room for itself: short ones stay within the budget, too")
    func budget() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        var options = try house.options()
        options.recording = RecordingOptions(path: house.folder + "/evenings/")
        let first = try await withRoom(options) { room in try #require(room.recordingStatus.path) }
        // By the day it is older than all others, and larger than the budget.
        let handle = try FileHandle(forWritingTo: URL(filePath: first))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }))
        try handle.close()
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -86_400)], ofItemAtPath: first)
        options.recording?.budget = 200_000
        let second = try await withRoom(options) { room -> String in
            #expect(!FileManager.default.fileExists(atPath: first))
            return try #require(room.recordingStatus.path)
        }
        #expect(FileManager.default.fileExists(atPath: second))
    }

    @Test("Who waits in a recorded evening waits by the clock of that evening, not by this machine's")
    func replayedNewcomer() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        var options = try house.options()
        let now = HostTime(nanoseconds: 10_000_000_000)
        let opening = Opening(
            configuration: EngineConfiguration(room: RoomConfiguration()), now: now, openedAt: now,
            wallClock: 1_800_000_000_000_000_000)
        options.replay = RoomReplay(opening)
        let blue = Newcomer(
            controller: ControllerID(high: 7, low: 1), name: "Blue", since: HostTime(nanoseconds: 7_000_000_000),
            source: nil, transport: .udp, place: nil, isPresent: true)
        let state = RoomState(
            freeSeats: 4, isLocked: false, peers: [], newcomers: [blue], strangers: StrangerCounts(), classified: 0)
        try await withRoom(options) { room in
            #expect(room.roomStatus(state).newcomers.map(\.waitingMs) == [3_000])
        }
    }

    @Test("What cannot be recorded is refused in words, and what is begun in the middle says so itself")
    func refused() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        var options = try house.options()
        options.recording = RecordingOptions(path: "/dev/full/evening.mcap")
        await #expect(throws: RoomError.self) { try await withRoom(options) { _ in } }
        options.recording = nil
        try await withRoom(options) { room in
            #expect(throws: RoomError.self) { try room.mark("nothing is recorded") }
            await #expect(throws: RoomError.self) {
                try await room.startRecording(RecordingOptions(path: "/nowhere/at/all/evening.mcap"))
            }
            let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString + ".mcap").path
            defer { try? FileManager.default.removeItem(atPath: path) }
            #expect(try await room.startRecording(RecordingOptions(path: path)).isExact == false)
            // Two recorders on one file, and one that cannot begin: the recording that runs goes on.
            for place in [path, "/nowhere/at/all/evening.mcap"] {
                await #expect(throws: RoomError.self) { try await room.startRecording(RecordingOptions(path: place)) }
                #expect(room.recordingStatus.state == .recording && room.recordingStatus.path == path)
            }
            #expect(throws: RoomError.self) { try room.mark("\u{1B}[2J") }
            await room.lock()
            await room.stopRecording()
            await room.unlock()
            let (player, events, _) = try play(path)
            #expect(events.map(\.type) == ["room"] && player.holes.count == 1 && !player.isVerified)
        }
    }

    @Test("A recording that is begun while another is being stopped is the room's, and can be stopped, too")
    func begunWhileStopping() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        try await withRoom(house.options()) { room in
            let (first, second) = (house.folder + "/first.mcap", house.folder + "/second.mcap")
            _ = try await room.startRecording(RecordingOptions(path: first))
            // The room's thread is held up, so that both are under way at once.
            let (gate, held) = (DispatchSemaphore(value: 0), Heard<Bool>())
            defer { gate.signal() }
            room.loop.post(
                .command(
                    .alive,
                    { _ in
                        held.note(true)
                        gate.wait()
                    }))
            try await until("the room's thread") { !held.all.isEmpty }
            let stopping = Task { await room.stopRecording() }
            try await until("the stop") { room.loop.mailbox.hasMail }
            let beginning = Task { try await room.startRecording(RecordingOptions(path: second)) }
            try await until("the second file") { FileManager.default.fileExists(atPath: second) }
            try await Task.sleep(for: .milliseconds(200))
            gate.signal()
            _ = await stopping.value
            _ = try await beginning.value
            #expect(room.recordingStatus.state == .recording && room.recordingStatus.path == second)
            #expect(await room.stopRecording().state == .off)
            for path in [first, second] { #expect(try play(path).player.evening.isFinished) }
        }
    }

    @Test("Of a collection and another's recording that begin at once one is refused, and leaves no file")
    func begunAtOnce() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        try await withRoom(house.options()) { room in
            func films() throws -> [String] {
                let names = try [house.folder, room.foundation.folder.path].flatMap {
                    try FileManager.default.contentsOfDirectory(atPath: $0)
                }
                return names.filter { $0.hasSuffix(".mcap") }
            }
            var (collection, evening) = (OperatorRequest(.recordStart), OperatorRequest(.recordStart))
            collection.tied = true
            evening.path = house.folder + "/evening.mcap"
            let requests = [collection, evening]
            // Both have been let through before either has its turn.
            let asked = try await room.recording.inTurn {
                let asked = requests.map { request in Task { try await room.answer(request) } }
                try await until("both files") { try films().count == 2 }
                return asked
            }
            var begun: [String] = []
            for answer in asked {
                guard let path = try? await answer.value.recording?.path else { continue }
                begun.append(URL(fileURLWithPath: path).lastPathComponent)
            }
            let left = try films()
            #expect(begun.count == 1 && left == begun)
            #expect(room.recordingStatus.state == .recording)
        }
    }

    @Test("What was said of an evening, who agreed to it, and the program: also in recordings that are begun later")
    func saidOfTheEvening() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        func said(_ path: String) throws -> [String?] {
            let about = try RecordedEvening(path).about
            return ["description", "consent", "program"].map { key in about.first { $0.0 == key }?.1 }
        }
        var options = try house.options()
        options.program = "host 1.2"
        try await withRoom(options) { room in
            let path = house.folder + "/begun.mcap"
            _ = try await room.startRecording(RecordingOptions(path: path))
            await room.stopRecording()
            let about = try said(path)
            #expect(about == [nil, nil, "host 1.2"])
        }
        options.program = nil
        options.recording = RecordingOptions(
            path: house.folder + "/first.mcap", description: "a study", consent: "all, in writing")
        options.recording?.program = "game 3"
        try await withRoom(options) { room in
            let (path, own) = (house.folder + "/second.mcap", house.folder + "/own.mcap")
            _ = try await room.startRecording(RecordingOptions(path: path))
            var other = RecordingOptions(path: own, description: "the break", consent: "all, by word")
            other.program = "tool 4"
            _ = try await room.startRecording(other)
            await room.stopRecording()
            let (inherited, itsOwn) = (try said(path), try said(own))
            #expect(inherited == ["a study", "all, in writing", "game 3"])
            #expect(itsOwn == ["the break", "all, by word", "tool 4"])
            // As `roomful record start` asks it, with and without a consent of its own.
            for (name, consent) in [("third", "whoever stayed"), ("fourth", nil)] as [(String, String?)] {
                var request = OperatorRequest(.recordStart)
                request.path = house.folder + "/\(name).mcap"
                request.consent = consent
                _ = try await room.answer(request)
                await room.stopRecording()
                let begun = try said(house.folder + "/\(name).mcap")
                #expect(begun == ["a study", consent ?? "all, in writing", "game 3"])
            }
        }
    }

    @Test("What was said of an evening is as it was written, or is named: in a whole file, and in one that was cut")
    func changedWords() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString + ".mcap").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let now = HostTime(nanoseconds: 1_000_000_000)
        let opening = Opening(
            configuration: EngineConfiguration(room: RoomConfiguration()), now: now, openedAt: now,
            wallClock: 1_800_000_000_000_000_000)
        let options = RecordingOptions(path: path, description: "a study", consent: "all agreed")
        try RecordingReel(options, opening: opening).turn(isLast: true)
        let whole = try Data(contentsOf: URL(fileURLWithPath: path))
        func read(_ bytes: Data) throws -> (damage: [String], isCut: Bool) {
            try bytes.write(to: URL(fileURLWithPath: path))
            var evening = try RecordedEvening(path)
            while evening.next() != nil {}
            return (evening.damage, evening.isCut)
        }
        let end = try #require(whole.range(of: Data([15, 4, 0, 0, 0, 0, 0, 0, 0]))?.lowerBound)
        let sound = (whole: try read(whole), cut: try read(whole.prefix(end)))
        #expect(sound.whole.damage.isEmpty && sound.cut.isCut)
        var bytes = whole
        let place = try #require(whole.range(of: Data("all agreed".utf8))?.lowerBound)
        bytes[place] ^= 0x20
        for changed in [bytes, bytes.prefix(end)] {
            let (damage, isCut) = try read(changed)
            #expect(damage.first?.contains("what was said of the recording") == true && !isCut)
        }
        // A whole file has a checksum of everything besides.
        #expect(try read(bytes).damage.last?.contains("bytes 0 to \(end)") == true)
    }

    @Test("What a stranger's file says of a mark moves no terminal")
    func strangersMark() throws {
        let json = Data(#"{"text":"a\u001b[2J\u202eb","at":1}"#.utf8)
        #expect(try JSONDecoder().decode(RecordingMark.self, from: json).text == "a[2Jb")
    }

    @Test("What a stranger's file says in an event that was kept moves no terminal, and its figures stay")
    func strangersEvent() throws {
        let json = Data(#"{"at":0.1,"name":"a\u001b[2J\u202eb","of":["\u009bc",{"d":"\u0000"},1e300,true,null]}"#.utf8)
        let clean = try JSONDecoder().decode(AnyEvent.self, from: printableJSON(json))
        #expect(clean.at == 0.1 && clean.name == "a[2Jb")
        let text = String(decoding: try printableJSON(json), as: UTF8.self)
        #expect(!text.contains("\\u0") && text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value < 0x80 })
    }

    private struct AnyEvent: Decodable {
        let at: Double
        let name: String
    }
}
