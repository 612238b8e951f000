// The compiler takes `struct stat` for CoreFoundation's or Dispatch's: see PrivateFiles/Descriptor.swift.
import CDispatch
import CoreFoundation
import EveningFiles
import Foundation

/// The files of an export.
enum ExportFile {
    /// Whether nobody else can put another file in this one's place: each folder above it is its user's own or root's, and
    /// where others write in one, they remove only what is theirs (the sticky bit).
    static func checkFolder(of path: String) throws {
        var folder = URL(fileURLWithPath: path).deletingLastPathComponent().resolvingSymlinksInPath()
        while true {
            var facts = stat()
            guard stat(folder.path, &facts) == 0 else {
                throw RecordingFileError("cannot write \(path): \(String(cString: strerror(errno)))")
            }
            guard facts.st_uid == 0 || facts.st_uid == geteuid(),
                facts.st_mode & 0o022 == 0 || facts.st_mode & S_ISVTX != 0
            else {
                throw RecordingFileError(
                    "others could put another file in the place of \(path), as \(folder.path) is theirs to change: name a "
                        + "folder of your own")
            }
            guard folder.path != "/" else { return }
            folder.deleteLastPathComponent()
        }
    }

    /// A new file; one that is there is never written over.
    static func make(_ path: String) throws -> FileHandle {
        let number = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard number >= 0 else {
            throw RecordingFileError(
                errno == EEXIST
                    ? "\(path) is there already: name another folder"
                    : "cannot write \(path): \(String(cString: strerror(errno)))")
        }
        return FileHandle(fileDescriptor: number, closeOnDealloc: true)
    }

    /// Writes all of it.
    static func write(_ bytes: [UInt8], to handle: FileHandle, at path: String) throws {
        let reason = writeAll(bytes, to: handle.fileDescriptor)
        guard reason == 0 else { throw failure(path, String(cString: strerror(reason))) }
    }

    static func failure(_ path: String, _ reason: String) -> RecordingFileError {
        RecordingFileError("cannot write \(path): \(reason); make room there or name another folder")
    }

    /// Half an export would stand in the way of the next try.
    static func remove(_ paths: [String]) {
        for path in paths {
            unlink(path)
            // SQLite leaves its journal where it could not go back by it.
            if path.hasSuffix(".sqlite") { unlink(path + "-journal") }
        }
    }
}
