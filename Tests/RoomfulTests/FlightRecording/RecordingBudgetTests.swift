import Foundation
import Testing

@testable import EveningFiles

/// A folder of recordings, and what is removed there for the budget.
@Suite("A budget of recordings counts what this user recorded, by the room that it takes on the disk")
struct RecordingBudgetTests {
    private let folder: URL
    private let names: RecordingNames

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "budget-\(UUID().uuidString)")
        names = try RecordingNames(folder.path + "/", room: "Tonight", wallClock: 1_800_000_000_000_000_000)
        // This evening's own first file stays, whatever it takes.
        try write(URL(filePath: names.path(part: 1)), kilobytes: 100, age: 0)
    }

    /// The beginning by which a room's recording is known, and so many bytes that are written.
    private func write(_ file: URL, kilobytes: Int, age: Double) throws {
        let magic = Data("\u{89}MCAP0\r\n".unicodeScalars.map { UInt8($0.value) })
        let header = magic + Data(count: 13) + Data("roomful".utf8)
        let noise = (0..<kilobytes * 128).reduce(into: Data()) { data, number in
            withUnsafeBytes(of: UInt64(number) &* 0x9E37_79B9_7F4A_7C15) { data.append(contentsOf: $0) }
        }
        try (header + noise).write(to: file)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -age)], ofItemAtPath: file.path)
    }

    private func recording(_ name: String, kilobytes: Int, age: Double) throws -> URL {
        let file = folder.appending(path: name + ".mcap")
        try write(file, kilobytes: kilobytes, age: age)
        return file
    }

    private func isThere(_ file: URL) -> Bool { FileManager.default.fileExists(atPath: file.path) }

    @Test("The oldest goes first, and no more than is needed")
    func oldest() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = try (1...4).map { try recording("evening-\($0)", kilobytes: 100, age: Double(5 - $0) * 60) }
        names.removeOldest(over: 350_000)
        #expect(files.map(isThere) == [false, false, true, true])
    }

    @Test("A file that says to be 10 GB and takes nothing removes no evening")
    func sparse() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let evening = try recording("evening", kilobytes: 100, age: 60)
        let sparse = try recording("sparse", kilobytes: 1, age: 30)
        let handle = try FileHandle(forWritingTo: sparse)
        try handle.truncate(atOffset: 10_000_000_000)
        try handle.close()
        names.removeOldest(over: 350_000)
        #expect(isThere(evening) && isThere(sparse))
    }

    @Test(
        "Another user's file is neither counted nor removed; the same file of one's own is",
        .enabled(if: geteuid() == 0))
    func othersFiles() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let evening = try recording("evening", kilobytes: 100, age: 60)
        let theirs = try recording("theirs", kilobytes: 400, age: 120)
        #expect(chown(theirs.path, 65_534, 65_534) == 0)
        names.removeOldest(over: 350_000)
        #expect(isThere(evening) && isThere(theirs))
        #expect(chown(theirs.path, geteuid(), getegid()) == 0)
        names.removeOldest(over: 350_000)
        #expect(isThere(evening) && !isThere(theirs))
    }

    @Test("What a killed recorder left beside its file goes, also where the file has gone; who records keeps theirs")
    func reserves() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let reserve = Data(count: 256 << 10)
        let files = try ["killed", "recorded", "gone"].map { try recording($0, kilobytes: 1, age: 60) }
        let beside = files.map { URL(filePath: $0.path + ".reserve") }
        for file in beside { try reserve.write(to: file) }
        // Of another size: somebody else's.
        let other = folder.appending(path: "other.mcap.reserve")
        try Data(count: 7).write(to: other)
        try FileManager.default.removeItem(at: files[2])
        let recorder = open(files[1].path, O_RDWR | O_CLOEXEC)
        defer { close(recorder) }
        #expect(flock(recorder, LOCK_EX | LOCK_NB) == 0)
        names.removeOldest(over: 10_000_000)
        #expect(beside.map(isThere) == [false, true, false])
        #expect(isThere(files[0]) && isThere(files[1]) && isThere(other))
    }

    @Test("Another room's evening that is still recorded keeps its first file, without which the others are nothing")
    func anothersEvening() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = try ["other", "other.part2", "other.part3"].enumerated().map { place, name in
            try recording(name, kilobytes: 100, age: Double(10 - place) * 60)
        }
        let last = open(files[2].path, O_RDWR | O_CLOEXEC)
        defer { close(last) }
        #expect(flock(last, LOCK_EX | LOCK_NB) == 0)
        names.removeOldest(over: 350_000)
        #expect(files.map(isThere) == [true, false, true])
        // Once nobody writes it any more, the oldest goes first.
        #expect(flock(last, LOCK_UN) == 0)
        names.removeOldest(over: 250_000)
        #expect(files.map(isThere) == [false, false, true])
    }
}
