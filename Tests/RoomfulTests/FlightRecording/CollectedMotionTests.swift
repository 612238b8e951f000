import Foundation
import Testing

@testable import PrivateFiles
@testable import RecordingExports

@Suite("Where motion is collected")
struct CollectedMotionTests {
    private func refusal(_ folder: TemporaryFolder) -> String {
        do {
            try CollectedMotion.check(.everyday, in: URL(fileURLWithPath: folder.path, isDirectory: true))
            return ""
        } catch { return "\(error)" }
    }

    @Test("A folder that others may write in is refused, and one that others may read is not")
    func othersMayWrite() throws {
        for (mode, words) in [(0o777, "open to other users"), (0o775, "chmod 700"), (0o755, ""), (0o700, "")] {
            let folder = TemporaryFolder()
            chmod(folder.path, mode_t(mode))
            #expect(words.isEmpty ? refusal(folder).isEmpty : refusal(folder).contains(words), "\(mode)")
        }
        let folder = TemporaryFolder()
        mkdir(folder.path + "/events", 0o700)
        chmod(folder.path + "/events", 0o777)
        #expect(refusal(folder).contains("open to other users"))
    }

    @Test("Where one of the folder's files cannot be changed, nobody is taken out of any")
    func forgottenWhole() throws {
        let folder = TemporaryFolder()
        let rows = "gid,label,subject,t_ms\np1-leap-1,leap,p1,0\n"
        let note = #"{"subject":"p1"}"# + "\n"
        mkdir(folder.path + "/gestures", 0o700)
        try folder.plant("gestures/collected.csv", rows)
        try folder.plant("collected.jsonl", note)
        chmod(folder.path, 0o775)
        let place = URL(fileURLWithPath: folder.path, isDirectory: true)
        #expect(throws: StorageError.self) { try CollectedMotion.forget("p1", in: place) }
        #expect(folder.content("gestures/collected.csv") == rows && folder.content("collected.jsonl") == note)
        chmod(folder.path, 0o700)
        // What cannot be read is found after the others were written anew.
        unlink(folder.path + "/collected.jsonl")
        mkfifo(folder.path + "/collected.jsonl", 0o600)
        #expect(throws: StorageError.self) { try CollectedMotion.forget("p1", in: place) }
        #expect(folder.content("gestures/collected.csv") == rows)
        let beside = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/gestures")
        #expect(beside == ["collected.csv"])
        unlink(folder.path + "/collected.jsonl")
        try folder.plant("collected.jsonl", note)
        let forgotten = try CollectedMotion.forget("p1", in: place)
        #expect(forgotten.rows == 2 && folder.content("collected.jsonl") == "")
    }

    @Test("Another user's folder is refused", .enabled(if: geteuid() == 0))
    func othersOwn() throws {
        let folder = TemporaryFolder()
        #expect(chown(folder.path, 65_534, 65_534) == 0)
        #expect(refusal(folder).contains("name a folder of your own"))
    }

    @Test("A link in a file's place is not followed, and nobody waits for a pipe")
    func planted() throws {
        let folder = TemporaryFolder()
        try folder.plant("own", "mine\n")
        mkdir(folder.path + "/events", 0o755)
        let place = folder.path + "/events/everyday.csv"
        #expect(symlink(folder.path + "/own", place) == 0)
        #expect(refusal(folder).contains("symbolic link") && folder.content("own") == "mine\n")
        unlink(place)
        mkfifo(place, 0o600)
        #expect(refusal(folder).contains("not a plain file"))
        unlink(place)
        try folder.plant("events/everyday.csv", "other,columns\n1,2\n")
        #expect(refusal(folder).contains("other columns"))
        try folder.plant("events/everyday.csv", CollectedMotion.Kind.everyday.head + "\n")
        #expect(refusal(folder).isEmpty)
    }
}
