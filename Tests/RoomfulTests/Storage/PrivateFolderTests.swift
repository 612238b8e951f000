import Foundation
import Testing

@testable import ControllerClient
@testable import Identity
@testable import LeaseStorage
@testable import PrivateFiles
@testable import RoomServer
@testable import Roomful

@Suite("Private folder")
struct PrivateFolderTests {
    let temporary = TemporaryFolder()

    @Test("What is written is read again, 0600, and no draft stays behind")
    func roundTrip() throws {
        let folder = try temporary.folder
        #expect(try folder.read("secret") == nil)
        try folder.replace("secret", with: [1, 2, 3])
        try folder.replace("secret", with: [4])
        #expect(try folder.read("secret") == [4])
        #expect(try temporary.mode("secret") == 0o600)
        #expect(temporary.files == ["secret"])
    }

    @Test("A secret that others may read is refused with the command that closes it", arguments: [0o644, 0o640, 0o602])
    func openSecret(mode: Int) throws {
        try temporary.plant("secret", "x", mode: mode_t(mode))
        let error = failure(StorageError.self) { try temporary.folder.read("secret") }
        #expect(error?.code == .openToOthers)
        #expect(error?.description.contains("chmod 600 \(temporary.path)/secret") == true)
        #expect(try temporary.folder.read("secret", isSecret: false) == [0x78])
    }

    @Test("Of leftovers those go that nobody has written to for a day, and nothing that is called otherwise")
    func leftovers() throws {
        for name in ["collecting-1.mcap", "evening.mcap"] { try temporary.plant(name, "x") }
        let folder = try temporary.folder
        folder.removeLeftovers("collecting-", now: Date() + 86_000)
        #expect(temporary.files.count == 2)
        folder.removeLeftovers("collecting-", now: Date() + 86_500)
        #expect(temporary.files == ["evening.mcap"])
    }

    @Test("A symbolic link is never read, and is replaced instead of written through")
    func plantedLink() throws {
        try temporary.plant("target", "untouched")
        symlink(temporary.path + "/target", temporary.path + "/file")
        let folder = try temporary.folder
        #expect(failure(StorageError.self) { try folder.read("file") }?.code == .symbolicLink)
        try folder.replace("file", with: Array("new".utf8))
        #expect(temporary.content("target") == "untouched")
        #expect(temporary.content("file") == "new")
    }

    @Test("A pipe or a folder in a file's place is refused without waiting for it")
    func wrongKinds() throws {
        mkfifo(temporary.path + "/pipe", 0o600)
        mkdir(temporary.path + "/folder", 0o700)
        let folder = try temporary.folder
        #expect(failure(StorageError.self) { try folder.read("pipe") }?.code == .wrongKind)
        #expect(failure(StorageError.self) { try folder.read("folder") }?.code == .wrongKind)
    }

    @Test("A file is read up to the limit and refused one byte beyond")
    func limit() throws {
        try temporary.plant("file", bytes: Array(repeating: 7, count: 100_000))
        let folder = try temporary.folder
        #expect(try folder.read("file", limit: 100_000)?.count == 100_000)
        #expect(failure(StorageError.self) { try folder.read("file", limit: 99_999) }?.code == .tooLarge)
    }

    @Test("When the disk is full the old content stays, no draft is left, and the error says so")
    func fullDisk() async {
        let temporary = TemporaryFolder()
        await #expect(processExitsWith: .success) { [path = temporary.path as String] in
            guard let folder = try? PrivateFolder(path: path), (try? folder.replace("file", with: [1])) != nil else {
                exit(2)
            }
            signal(SIGXFSZ, SIG_IGN)
            // A limit on the size of files stands for the disk: the write fails half-way in the same place.
            var limit = rlimit(rlim_cur: 4_096, rlim_max: 4_096)
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            let bytes = [UInt8](repeating: 2, count: 10_000)
            let error = failure(StorageError.self) { try folder.replace("file", with: bytes) }
            exit(error?.code == .diskFull && (try? folder.read("file")) == [1] ? 0 : 3)
        }
        #expect(temporary.files == ["file"])
    }
}

@Suite("Room lock")
struct RoomLockTests {
    let temporary = TemporaryFolder()

    @Test("A second host on the same folder is refused and told who runs the room; the first is unharmed")
    func second() throws {
        let folder = try temporary.folder
        let first = try RoomLock(in: folder)
        let error = failure(StorageError.self) { try RoomLock(in: folder) }
        #expect(error?.code == .roomInUse)
        #expect(error?.description == "another host (pid \(getpid())) runs this room; use --state or stop it")
        withExtendedLifetime(first) {}
        #expect(temporary.content("host.lock") == "\(getpid())\n")
    }

    @Test("The lock goes with its holder, whatever the file still says")
    func released() throws {
        let folder = try temporary.folder
        do { _ = try RoomLock(in: folder) }
        #expect(temporary.content("host.lock") != nil)
        #expect(failure(StorageError.self) { try RoomLock(in: folder) } == nil)
    }

    @Test("A room that has ended gives its folder back, whoever still holds the lock")
    func givenBack() throws {
        let folder = try temporary.folder
        let first = try RoomLock(in: folder)
        first.release()
        #expect(temporary.content("host.lock") == "", "whoever reads who holds it finds nobody")
        let second = try RoomLock(in: folder)
        #expect(temporary.content("host.lock") == "\(getpid())\n")
        // Once: another's number is not closed.
        first.release()
        #expect(failure(StorageError.self) { try RoomLock(in: folder) }?.code == .roomInUse)
        withExtendedLifetime((first, second)) {}
    }

    @Test("A host that was killed leaves no lock behind")
    func killed() async throws {
        let temporary = TemporaryFolder()
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = temporary.path as String] in
            guard let lock = try? RoomLock(in: PrivateFolder(path: path)) else { exit(2) }
            withExtendedLifetime(lock) { _ = kill(getpid(), SIGKILL) }
        }
        #expect(temporary.content("host.lock") != nil)
        _ = try RoomLock(in: temporary.folder)
    }

    @Test("Garbage in the lock file, or a link in its place, changes nothing")
    func garbage() throws {
        let folder = try temporary.folder
        try temporary.plant("host.lock", String(repeating: "\u{1B}[31m", count: 100))
        let lock = try RoomLock(in: folder)
        withExtendedLifetime(lock) {}
        unlink(temporary.path + "/host.lock")
        symlink("/etc/hostname", temporary.path + "/host.lock")
        #expect(failure(StorageError.self) { try RoomLock(in: folder) }?.code == .symbolicLink)
    }
}
