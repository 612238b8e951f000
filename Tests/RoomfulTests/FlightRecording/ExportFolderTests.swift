import Foundation
import Testing

@testable import PrivateFiles
@testable import RecordingExports

@Suite("Where an evening is exported to")
struct ExportFolderTests {
    private func refusal(_ path: String) -> String {
        do {
            _ = try SQLiteSink(path)
            return ""
        } catch { return "\(error)" }
    }

    @Test("Of what is no recording nothing is left, nor a folder that was made for it")
    func noRecording() throws {
        let folder = TemporaryFolder()
        try folder.plant("evening.mcap", "broken")
        for format in EveningExport.Format.allCases {
            #expect(throws: (any Error).self) {
                _ = try EveningExport.run(
                    folder.path + "/evening.mcap", to: format, in: folder.path + "/results", by: "tests 1")
            }
        }
        #expect(folder.files == ["evening.mcap"])
    }

    @Test("No folder in which, or above which, others may put another file in the new one's place")
    func othersMayChange() throws {
        for (mode, isTaken) in [(0o777, false), (0o775, false), (0o1777, true), (0o755, true), (0o700, true)] {
            let folder = TemporaryFolder()
            mkdir(folder.path + "/inner", 0o700)
            chmod(folder.path, mode_t(mode))
            for path in [folder.path + "/evening.sqlite", folder.path + "/inner/evening.sqlite"] {
                #expect(refusal(path).contains("a folder of your own") == !isTaken, "\(mode) \(path)")
                #expect(FileManager.default.fileExists(atPath: path) == isTaken)
            }
        }
    }

    @Test("No folder of another user, also by a link", .enabled(if: geteuid() == 0))
    func othersOwn() throws {
        let folder = TemporaryFolder()
        mkdir(folder.path + "/theirs", 0o755)
        #expect(chown(folder.path + "/theirs", 65_534, 65_534) == 0)
        symlink(folder.path + "/theirs", folder.path + "/link")
        for name in ["theirs", "link"] {
            #expect(refusal("\(folder.path)/\(name)/evening.sqlite").contains("a folder of your own"), "\(name)")
        }
    }
}
