import Foundation
import Testing

@testable import PrivateFiles

@Suite("Files with a secret in them, wherever somebody wants them")
struct PrivateFileTests {
    private let temporary = TemporaryFolder()

    @Test("A pipe, a socket or a device stays what it is, and says so; a file is replaced, a link put away")
    func kinds() throws {
        let base = temporary.path as String
        #expect(mkfifo(base + "/pipe", 0o600) == 0)
        // As /dev/null is one; elsewhere, so that nobody's is lost where this goes wrong.
        if geteuid() == 0 { #expect(mknod(base + "/null", S_IFCHR | 0o666, 0x103) == 0) }
        for name in ["pipe", "null"] where Descriptor.Facts(at: base + "/" + name) != nil {
            let before = try #require(Descriptor.Facts(at: base + "/" + name))
            let error = failure(StorageError.self) { try PrivateFile.write("secret", to: base + "/" + name) }
            #expect(error?.code == .wrongKind)
            #expect(Descriptor.Facts(at: base + "/" + name)?.mode == before.mode)
        }
        try PrivateFile.write("one", to: base + "/file")
        try PrivateFile.write("two", to: base + "/file")
        #expect(symlink("file", base + "/link") == 0)
        try PrivateFile.write("three", to: base + "/link")
        #expect(try String(contentsOfFile: base + "/file", encoding: .utf8) == "two")
        #expect(try String(contentsOfFile: base + "/link", encoding: .utf8) == "three")
        #expect(Descriptor.Facts(at: base + "/link")?.permissions == 0o600)
    }

    @Test("Where somebody named the file, another state folder is not what helps: the words say another file")
    func remedies() throws {
        let full = failure(StorageError.self) { try PrivateFile.write("secret", to: "/dev/full") }
        #expect(full?.code == .diskFull)
        #expect(full?.description.hasSuffix("No space left on device; make room there or name another file") == true)
        for number in [EACCES, EPERM, EROFS] {
            let ours = StorageError(refused: "write", path: "/x/y", number: number)
            #expect(ours.description.contains("use --state") && ours.ofNamedFile.code == ours.code)
            #expect(ours.ofNamedFile.description.hasSuffix("; name another file"))
            #expect(ours.complaint.hasPrefix("cannot write /x/y: ") && !ours.complaint.contains(";"))
        }
        let other = StorageError(refused: "read", path: "/x/y", number: ENOENT)
        #expect(other.ofNamedFile == other && other.complaint == other.description)
    }
}
