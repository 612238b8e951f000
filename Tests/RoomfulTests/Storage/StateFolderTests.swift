import Foundation
import RoomEngine
import RoomRecords
import SessionCoordinator
import Testing
import WireProtocol

@testable import Identity
@testable import LeaseStorage
@testable import PrivateFiles
@testable import RoomServer
@testable import Roomful

@Suite("State folder")
struct StateFolderTests {
    let temporary = TemporaryFolder()

    @Test("An option outranks ROOMFUL_STATE, which outranks XDG_STATE_HOME, which outranks HOME")
    func places() throws {
        let base = temporary.path
        var environment = [
            "ROOMFUL_STATE": base + "/a", "XDG_STATE_HOME": base + "/b", "HOME": base + "/c",
        ]
        #expect(try StateFolder(base + "/o", environment: environment).path == base + "/o")
        #expect(try StateFolder(environment: environment).path == base + "/a")
        environment["ROOMFUL_STATE"] = ""
        #expect(try StateFolder(environment: environment).path == base + "/b/roomful")
        environment["XDG_STATE_HOME"] = "relative/is/ignored"
        #expect(try StateFolder(environment: environment).path == base + "/c/.local/state/roomful")
        #expect(failure(StorageError.self) { try StateFolder(environment: [:]) }?.code == .noPlace)
    }

    @Test("Folders that we make are 0700, a room's folder is named for people and for machines")
    func roomFolders() throws {
        let state = try StateFolder(temporary.path + "/state", environment: [:])
        let room = try state.room(named: "Bob's \"Wohnzimmer\" 🎉")
        #expect(room.path.hasPrefix(temporary.path + "/state/rooms/bob-s-wohnzimmer-"))
        #expect(try temporary.mode("state") == 0o700)
        #expect(try temporary.mode("state/rooms") == 0o700)
        #expect(try state.room(named: "a b").path != state.room(named: "a_b").path)
        #expect(try state.room(named: "../../etc").path.hasPrefix(temporary.path + "/state/rooms/etc-"))
        #expect(try state.room(named: "🎉").path.hasPrefix(temporary.path + "/state/rooms/room-"))
        let longest = try state.room(named: String(repeating: "x", count: 63)).path
        #expect(longest.utf8.count < temporary.path.utf8.count + 60)
    }

    @Test("A new room does not take the port to which another room's bookmarks lead, whether that is open or not")
    func keptPort() throws {
        let state = try StateFolder(temporary.path + "/state", environment: [:])
        let (hall, annex) = (try state.room(named: "Hall"), try state.room(named: "Annex"))
        #expect(!state.anotherRoom(than: annex, keeps: "8720", in: "http-port"))
        try hall.replace("http-port", with: Array("8720\n".utf8))
        #expect(state.anotherRoom(than: annex, keeps: "8720", in: "http-port"))
        #expect(!state.anotherRoom(than: hall, keeps: "8720", in: "http-port"), "its own")
        try annex.replace("http-port", with: Array("8721\n".utf8))
        #expect(!state.anotherRoom(than: hall, keeps: "8720", in: "http-port"))
    }

    @Test("A symbolic link planted as the folder is refused, also with a slash behind it")
    func plantedLink() throws {
        mkdir(temporary.path + "/elsewhere", 0o700)
        symlink(temporary.path + "/elsewhere", temporary.path + "/link")
        for name in ["/link", "/link/", "/link//", "/link/."] {
            let error = failure(StorageError.self) { try StateFolder(temporary.path + name, environment: [:]) }
            #expect(error?.code == .symbolicLink, "\(name)")
        }
    }

    @Test("A symbolic link planted as the folder of all rooms is refused")
    func plantedRoomsLink() throws {
        let state = try StateFolder(temporary.path + "/state", environment: [:])
        mkdir(temporary.path + "/elsewhere", 0o700)
        symlink(temporary.path + "/elsewhere", state.path + "/rooms")
        #expect(failure(StorageError.self) { try state.room(named: "Room") }?.code == .symbolicLink)
    }

    @Test("A file in the folder's place is refused")
    func plantedFile() throws {
        try temporary.plant("file", "")
        let error = failure(StorageError.self) { try StateFolder(temporary.path + "/file", environment: [:]) }
        #expect(error?.code == .wrongKind)
    }

    @Test("A folder in which others may write is refused with the command that closes it; one they may look at is not")
    func openFolder() throws {
        let path = temporary.path + "/state"
        mkdir(path, 0o700)
        chmod(path, 0o755)
        #expect(try StateFolder(path, environment: [:]).path == path)
        chmod(path, 0o777)
        let error = failure(StorageError.self) { try StateFolder(path, environment: [:]) }
        #expect(error?.code == .openToOthers)
        #expect(error?.description.contains("chmod 700 \(path)") == true)
    }

    @Test("A room's folder that others may read is refused")
    func openRoomFolder() throws {
        let state = try StateFolder(temporary.path + "/state", environment: [:])
        let room = try state.room(named: "Room")
        chmod(room.path, 0o750)
        #expect(failure(StorageError.self) { try state.room(named: "Room") }?.code == .openToOthers)
    }

    @Test(
        "A host's part in who owns a room is the same in its next life, whatever number it drew",
        arguments: ["1\n", "00fedcba98765432\n", "fedcba987654321\n", "ffffffffffffffff\n", "ab"])
    func hostNumbers(written: String) throws {
        var options = RoomOptions(name: "Room")
        options.state = try StateFolder(temporary.path + "/state", environment: [:])
        let folder = try #require(try options.state?.room(named: "Room"))
        try folder.replace("host-id", with: Array(written.utf8))
        let room = try RoomFolder(options)
        defer { room.release() }
        #expect(try String(room.hostNumber(), radix: 16) == written.drop { $0 == "0" }.filter { $0 != "\n" })
        try folder.remove("host-id")
        let drawn = try room.hostNumber()
        #expect(try room.hostNumber() == drawn)
    }

    @Test("What a player forgot on another machine is not known again when the room returns to this one")
    func forgottenElsewhere() async throws {
        var options = RoomOptions(name: "Room")
        options.state = try StateFolder(temporary.path + "/state", environment: [:])
        let folder = try #require(try options.state?.room(named: "Room"))
        let room = try RoomFolder(options)
        defer { room.release() }
        let blue = ControllerID(high: 7, low: 1)
        var heritage = RoomHeritage()
        heritage.leases[blue] = Lease(
            controller: blue, seat: 1, player: 1, name: "Blue", color: 0x33_66CC,
            secretHash: Array(repeating: 1, count: 32))
        for talents in [PlayerTalents(sensitivity: 0.7), nil] {
            heritage.talents[blue] = talents
            try await room.adopt(heritage)
            let store = try LeaseStore(folder: folder)
            #expect(try store.loadTalents()[blue] == talents)
            #expect(try store.load().map(\.controller) == [blue])
            try store.close()
        }
    }

    @Test("Seats wait a day for their room to open again, counted from when its host was alive last, and no longer")
    func formerEvening() async throws {
        var options = RoomOptions(name: "Room")
        options.state = try StateFolder(temporary.path + "/state", environment: [:])
        options.grace = .seconds(3_600)
        let folder = try #require(try options.state?.room(named: "Room"))
        let mark = folder.path + "/last-open"
        func age(hours: Double) throws {
            let past = Date().addingTimeInterval(-hours * 3_600)
            try FileManager.default.setAttributes([.modificationDate: past], ofItemAtPath: mark)
        }
        let store = try LeaseStore(folder: folder)
        try await store.save([.keep(lease(1))])
        store.keep(PlayerTalents(sensitivity: 0.7), of: lease(1).controller) { _ in }
        try await store.save([])
        try store.close()
        func checkSeats(kept isKept: Bool, isClockSure: Bool = true) throws {
            let foundation = try RoomFoundation(options, isClockSure: isClockSure)
            defer { foundation.release() }
            #expect(foundation.leases == (isKept ? [lease(1)] : []))
            #expect(foundation.talents.isEmpty == !isKept)
            // Of a host that lives for days, and is killed then, everybody has been here until then.
            try age(hours: 60)
            foundation.noteAlive()
            let written = try #require(folder.written("last-open"))
            #expect(abs(written - Int(Date().timeIntervalSince1970)) < 60)
            try foundation.store.close()
        }
        // An older program noted nothing.
        try checkSeats(kept: true)
        // The last is of a machine whose clock was not set when the room was open, the one before of one whose clock was
        // ahead.
        for (hours, isKept) in [(24.9, true), (-400_000, true), (400_000, true)] {
            try age(hours: hours)
            try checkSeats(kept: isKept)
        }
        // At this boot it may be the clock that is ahead.
        for isClockSure in [false, true] {
            try age(hours: 25.1)
            try checkSeats(kept: !isClockSure, isClockSure: isClockSure)
        }
    }

    @Test("An erasure says nothing of when the room was open, and that of everybody leaves nothing that holds them")
    func erasedAmongOld() async throws {
        var options = RoomOptions(name: "Room")
        options.state = try StateFolder(temporary.path + "/state", environment: [:])
        let folder = try #require(try options.state?.room(named: "Room"))
        let broken = "leases.sqlite.broken-20261121T090000Z"
        for file in ["last-open", "collecting-1.mcap", broken] { try folder.touch(file) }
        let past = Date(timeIntervalSince1970: 1_780_000_000)
        try FileManager.default.setAttributes([.modificationDate: past], ofItemAtPath: folder.path + "/last-open")
        let room = try RoomFolder(options)
        defer { room.release() }
        await #expect(throws: RoomError.self) { try await room.erase("Nobody") }
        #expect(folder.written("collecting-1.mcap") != nil)
        #expect(try await room.erase(nil).isEmpty)
        // Nor does anything else hold those who were here.
        #expect(folder.written("collecting-1.mcap") == nil)
        #expect(folder.written(broken) == nil)
        #expect(folder.written("last-open") == 1_780_000_000)
    }

    @Test(
        "Of a room that was closed for good no recording of a collector is left, nor a database that was put aside",
        arguments: [true, false])
    func closedForGood(isForGood: Bool) async throws {
        let house = try TestHouse()
        defer { house.remove() }
        let left = ["collecting-1.mcap", "leases.sqlite.broken-20261121T090000Z"]
        let folder = try await withRoom(house.options()) { room in
            for file in left { try room.foundation.folder.touch(file) }
            if isForGood { room.closeForGood() } else { room.stop() }
            await room.untilClosed()
            return room.foundation.folder
        }
        for file in left { #expect((folder.written(file) == nil) == isForGood, "\(file)") }
    }

    @Test(
        "The recording of a collector that was killed with its host goes a day later: as the room opens, and while it is open"
    )
    func leftRecordings() throws {
        var options = RoomOptions(name: "Room")
        options.state = try StateFolder(temporary.path + "/state", environment: [:])
        let folder = try #require(try options.state?.room(named: "Room"))
        func leave(_ name: String, hours: Double) throws {
            try folder.touch(name)
            let past = Date().addingTimeInterval(-hours * 3_600)
            try FileManager.default.setAttributes([.modificationDate: past], ofItemAtPath: folder.path + "/" + name)
        }
        for (name, hours) in [("collecting-1.mcap", 25.0), ("collecting-2.mcap", 23)] { try leave(name, hours: hours) }
        let foundation = try RoomFoundation(options)
        defer { foundation.release() }
        #expect(folder.written("collecting-1.mcap") == nil)
        #expect(folder.written("collecting-2.mcap") != nil)
        try leave("collecting-2.mcap", hours: 25)
        foundation.noteAlive()
        #expect(folder.written("collecting-2.mcap") == nil)
        try foundation.store.close()
    }

    @Test("Another user's folder is refused", .enabled(if: geteuid() == 0, "only root can give a folder away"))
    func foreignFolder() throws {
        let path = temporary.path + "/state"
        mkdir(path, 0o700)
        chown(path, 65534, 65534)
        #expect(failure(StorageError.self) { try StateFolder(path, environment: [:]) }?.code == .notOwned)
    }

    @Test("A folder that the system lets nobody write to gives one line that names it and says what to do")
    func readOnly() async {
        let temporary = TemporaryFolder()
        chmod(temporary.path, 0o555)
        await #expect(processExitsWith: .success) { [path = temporary.path as String] in
            // Root may write everywhere, so the child stops being root first.
            guard geteuid() != 0 || (setgid(65534) == 0 && setuid(65534) == 0) else { exit(2) }
            let error = failure(StorageError.self) { try StateFolder(path + "/state", environment: [:]) }
            guard let error else { exit(3) }
            exit(error.code == .unwritable && error.description.contains("use --state") ? 0 : 4)
        }
    }

    @Test("The operator's sockets lie in XDG_RUNTIME_DIR if there is one, else in the state folder")
    func runtimeFolder() throws {
        mkdir(temporary.path + "/run", 0o700)
        let state = temporary.path + "/state"
        let environment = ["XDG_RUNTIME_DIR": temporary.path + "/run"]
        let present = try StateFolder(state, environment: environment).runtimeFolder()
        #expect(present.path == temporary.path + "/run/roomful")
        let missing = ["XDG_RUNTIME_DIR": temporary.path + "/missing"]
        #expect(try StateFolder(state, environment: missing).runtimeFolder().path == state + "/run")
        #expect(try StateFolder(state, environment: [:]).runtimeFolder().path == state + "/run")
    }

    @Test("A symbolic link planted as the sockets' folder is refused, and so is one that others may enter")
    func plantedRuntimeFolder() throws {
        let state = try StateFolder(temporary.path + "/state", environment: [:])
        symlink(temporary.path, state.path + "/run")
        #expect(failure(StorageError.self) { try state.runtimeFolder() }?.code == .symbolicLink)
        unlink(state.path + "/run")
        mkdir(state.path + "/run", 0o700)
        chmod(state.path + "/run", 0o711)
        #expect(failure(StorageError.self) { try state.runtimeFolder() }?.code == .openToOthers)
    }

    @Test("A socket's path has at most 107 bytes; a longer one is refused with the number")
    func socketPath() throws {
        let folder = try temporary.folder
        let fitting = String(repeating: "s", count: 107 - temporary.path.utf8.count - 1)
        #expect(try folder.socketPath(fitting).utf8.count == 107)
        let error = failure(StorageError.self) { try folder.socketPath(fitting + "s") }
        #expect(error?.code == .pathTooLong)
        #expect(error?.description.contains("108 bytes") == true)
    }
}
