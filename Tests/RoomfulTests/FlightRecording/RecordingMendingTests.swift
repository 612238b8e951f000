import EveningFiles
import FlightRecorder
import Foundation
import RoomEngine
import RoomRecords
import SessionCoordinator
import Testing
import WireProtocol

@Suite("A recording that was cut is given its end, and nothing that somebody recorded goes")
struct RecordingMendingTests {
    private let folder = TemporaryFolder()

    /// What stands in a room's recording whose recorder was killed between two records.
    private func killed() throws -> Data {
        let path = folder.path + "/whole.mcap"
        let now = HostTime(nanoseconds: 1_000_000_000)
        let opening = Opening(
            configuration: EngineConfiguration(room: RoomConfiguration()), now: now, openedAt: now,
            wallClock: 1_800_000_000_000_000_000)
        try RecordingReel(RecordingOptions(path: path), opening: opening).turn(isLast: true)
        let whole = try Data(contentsOf: URL(filePath: path))
        let end = try #require(whole.range(of: Data([15, 4, 0, 0, 0, 0, 0, 0, 0]))?.lowerBound)
        return whole.prefix(end)
    }

    /// A chunk that could follow.
    private func chunk(_ compression: (name: String, compress: MCAPWriter.Compress)? = nil) throws -> Data {
        var writer = MCAPWriter(compression: compression)
        writer.add([UInt8](repeating: 7, count: 100), to: .events, logTime: 1)
        let chunk = writer.chunk()
        return Data(try #require(chunk))
    }

    private func plant(_ bytes: Data, mode: mode_t = 0o600) throws -> String {
        try folder.plant("evening.mcap", bytes: Array(bytes), mode: mode)
        return folder.path + "/evening.mcap"
    }

    /// Why a file of these bytes is left as it is, where it is, to the byte.
    private func refusal(_ bytes: Data, mode: mode_t = 0o600) throws -> String {
        let path = try plant(bytes, mode: mode)
        defer { unlink(path) }
        let mending = try RecordedEvening.mend(path)
        #expect(try Data(contentsOf: URL(filePath: path)) == bytes)
        if case .left(let reason) = mending { return reason }
        Issue.record("\(mending)")
        return ""
    }

    @Test("What its recorder had begun is cut off, and told; a second time it is whole")
    func cut() throws {
        let (killed, next) = (try killed(), try chunk())
        for begun in [0, 5, 20, 150] {
            let path = try plant(killed + next.prefix(begun))
            #expect(try RecordedEvening.mend(path) == .mended(cutOff: UInt64(begun)))
            #expect(RecordedEvening.hasEnd(path))
            #expect(try RecordedEvening.mend(path) == .whole)
        }
    }

    @Test("Zeros that a power cut left in place of the rest are cut off, too")
    func zeros() throws {
        let (killed, next) = (try killed(), try chunk())
        for begun in [0, 5, 20, 150] {
            for zeros in [3, 40, 8_192] {
                let path = try plant(killed + next.prefix(begun) + Data(count: zeros))
                #expect(try RecordedEvening.mend(path) == .mended(cutOff: UInt64(begun + zeros)))
                #expect(try RecordedEvening.mend(path) == .whole)
            }
        }
    }

    @Test("A file that another program records is that one's, though it was killed, too")
    func others() throws {
        var bytes = try killed()
        let name = try #require(bytes.range(of: Data("roomful".utf8)))
        bytes.replaceSubrange(name, with: Data("rosbag2".utf8))
        #expect(try refusal(bytes).contains("no room recorded it"))
        #expect(try refusal(Data(bytes.prefix(8))).contains("no room recorded it"))
        #expect(try refusal(Data()).contains("no room recorded it"))
    }

    @Test("What cannot be expanded or read by this version stays for one that can")
    func newer() throws {
        let killed = try killed()
        let packed = try chunk(("zstd", { Array($0.dropLast()) }))
        #expect(try refusal(killed + packed).contains("cannot be expanded"))
        let newer = try chunk(("lz9", { Array($0.dropLast()) }))
        #expect(try refusal(killed + newer).contains("a newer roomful"))
        // Behind it stands a record that was begun: that alone would go.
        #expect(try refusal(killed + packed + packed.prefix(30)).contains("cannot be expanded"))
        let record = Data([0x20, 1, 0, 0, 0, 0, 0, 0, 0, 7])
        #expect(try refusal(killed + record).contains("no record begins here"))
    }

    @Test("Nothing is made of a file in which nothing was recorded yet")
    func empty() throws {
        let begun = Data(try killed().prefix(60))
        let path = try plant(begun)
        #expect(try RecordedEvening.mend(path) == .empty)
        // Its recorder may have begun a moment ago.
        let writer = open(path, O_RDONLY | O_CLOEXEC)
        defer { close(writer) }
        #expect(flock(writer, LOCK_EX | LOCK_NB) == 0)
        #expect(try RecordedEvening.mend(path) == .left("it is being written right now, and may need no mending yet"))
        #expect(try Data(contentsOf: URL(filePath: path)) == begun)
    }

    @Test("A link, a file that may only be read, and one that is still written are left, and why is said")
    func protected() throws {
        let killed = try killed()
        #expect(try refusal(killed, mode: 0o400).contains(geteuid() == 0 ? "chmod u+w" : "Permission denied"))
        let path = try plant(killed)
        let link = folder.path + "/link.mcap"
        symlink(path, link)
        #expect(try RecordedEvening.mend(link) == .left("it is a link: name the file itself"))
        // By a recorder, which holds a lock, and by a program that does not know of it.
        for isRecorder in [true, false] {
            let writer = open(path, (isRecorder ? O_RDONLY : O_WRONLY) | O_CLOEXEC)
            if isRecorder { #expect(flock(writer, LOCK_EX | LOCK_NB) == 0) }
            let mending = try RecordedEvening.mend(path)
            #expect(mending == .left("it is being written right now, and may need no mending yet"))
            close(writer)
        }
        #expect(try Data(contentsOf: URL(filePath: path)) == killed)
    }
}
