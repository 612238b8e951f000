import Foundation
import PrivateFiles
import Testing

@testable import RoomfulCLI

@Suite("The folder of a replay that is served")
struct ReplayFolderTests {
    @Test("A folder whose replay was killed before it got its name is removed an hour later; a stranger's stays")
    func drafts() throws {
        let house = try TestHouse()
        defer { house.remove() }
        let (place, files) = (house.folder, FileManager.default)
        let mode: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
        for name in ["new-replay-empty", "new-replay-fresh", "new-replay-locked", "new-replay-others"] {
            try files.createDirectory(atPath: "\(place)/\(name)", withIntermediateDirectories: false, attributes: mode)
        }
        for name in ["new-replay-fresh/replay.lock", "new-replay-locked/replay.lock", "new-replay-others/letter"] {
            try Data().write(to: URL(filePath: "\(place)/\(name)"))
        }
        for name in ["new-replay-empty", "new-replay-locked", "new-replay-others"] {
            let past = Date(timeIntervalSinceNow: -7_200)
            try files.setAttributes([.modificationDate: past], ofItemAtPath: "\(place)/\(name)")
        }
        let next = try ReplayFolder(in: place)
        next.remove()
        let left = try files.contentsOfDirectory(atPath: place).sorted()
        #expect(left == ["new-replay-fresh", "new-replay-others"])
    }

    @Test("What a killed replay left is removed by the next one; what another replay, or anybody else, has there stays")
    func leftovers() throws {
        let house = try TestHouse()
        defer { house.remove() }
        let place = house.folder
        func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }
        let living = try ReplayFolder(in: place)
        let files = FileManager.default
        let mode: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
        for name in ["replay-killed/rooms", "replay-others", "target"] {
            try files.createDirectory(atPath: "\(place)/\(name)", withIntermediateDirectories: true, attributes: mode)
        }
        for name in ["replay-killed/replay.lock", "replay-killed/rooms/seat", "target/replay.lock"] {
            try Data().write(to: URL(filePath: "\(place)/\(name)"))
        }
        try files.setAttributes(mode, ofItemAtPath: "\(place)/replay-killed")
        try files.createSymbolicLink(atPath: "\(place)/replay-link", withDestinationPath: "\(place)/target")
        let next = try ReplayFolder(in: place)
        #expect(!exists("\(place)/replay-killed"))
        #expect(exists(living.path) && exists(next.path) && living.path != next.path)
        #expect(exists("\(place)/replay-others") && exists("\(place)/target/replay.lock"))
        next.remove()
        #expect(!exists(next.path) && exists(living.path))
        living.remove()
        let left = try files.contentsOfDirectory(atPath: place).sorted()
        #expect(left == ["replay-link", "replay-others", "target"])
    }
}
