import EveningFiles
import Foundation

/// Comma-separated values (RFC 4180), a file for each table. Texts are ``csvText(_:)``, so that no
/// spreadsheet takes one for a formula.
struct CSVSink: ExportSink {
    private var files: [String: (handle: FileHandle, path: String, text: String)] = [:]
    private(set) var paths: [String] = []

    init(_ folder: String) throws {
        do {
            for table in ExportTable.all {
                let path = "\(folder)/\(table.name).csv"
                let handle = try ExportFile.make(path)
                paths.append(path)
                files[table.name] = (handle, path, table.columns.map(\.name).joined(separator: ",") + "\r\n")
            }
        } catch {
            ExportFile.remove(paths)
            throw error
        }
    }

    mutating func add(_ row: [ExportValue], to table: ExportTable) throws {
        guard var file = files[table.name] else { return }
        // The entry is taken out while its text grows: else each row would copy it.
        files[table.name] = nil
        file.text += row.map(Self.cell).joined(separator: ",") + "\r\n"
        if file.text.utf8.count > 1 << 16 {
            try ExportFile.write(Array(file.text.utf8), to: file.handle, at: file.path)
            file.text = ""
        }
        files[table.name] = file
    }

    private static func cell(_ value: ExportValue) -> String {
        switch value {
        case .number(let number): "\(number)"
        case .integer(let number): "\(number)"
        case .nothing: ""
        case .text(let text): csvText(text)
        }
    }

    mutating func finish() throws {
        for file in files.values {
            try ExportFile.write(Array(file.text.utf8), to: file.handle, at: file.path)
            try file.handle.close()
        }
    }
}

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
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(handle.fileDescriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                let reason = errno
                if reason == EINTR { continue }
                throw failure(path, String(cString: strerror(reason)))
            }
            rest = rest.dropFirst(count)
        }
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
