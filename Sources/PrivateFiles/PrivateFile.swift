import Foundation

/// A file that the user asked for, wherever they want it, with a secret in it: 0600.
package enum PrivateFile {
    /// Writes the text at once or not at all; a symbolic link at `path` is replaced, not followed. What stands in /dev, such as
    /// /dev/stdout, is written to and stays what it is; a pipe, a socket or a device elsewhere is refused.
    ///
    /// - Throws: ``StorageError`` naming what refused.
    package static func write(_ text: String, to path: String) throws(StorageError) {
        do throws(StorageError) {
            try put(text, at: path)
        } catch {
            throw error.ofNamedFile
        }
    }

    /// Throws what ``write(_:to:)`` would, as far as that shows without writing.
    package static func check(_ path: String) throws(StorageError) {
        guard !isOfSystem(path) else { return }
        do throws(StorageError) {
            _ = try openedFolder(of: path)
        } catch {
            throw error.ofNamedFile
        }
    }

    private static func put(_ text: String, at path: String) throws(StorageError) {
        if isOfSystem(path) {
            let device = try Descriptor(open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY), attempt: "write", path: path)
            return try device.writeAll(Array(text.utf8), path: path)
        }
        try replaceFile(name(of: path), in: try openedFolder(of: path), with: Array(text.utf8), path: path)
    }

    private static func isOfSystem(_ path: String) -> Bool {
        // Anybody may put anything into /dev/shm: that is a folder like any other.
        path.hasPrefix("/dev/") && !path.hasPrefix("/dev/shm/") || path.hasPrefix("/proc/")
    }

    private static func name(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
    }

    /// Where the file stands, or is to stand, once the path names one and what is there can be replaced.
    private static func openedFolder(of path: String) throws(StorageError) -> Descriptor {
        if let facts = Descriptor.Facts(at: path), !facts.isFile, !facts.isLink {
            throw StorageError(.wrongKind, path: path, "“\(path)” is no file that can be replaced")
        }
        let name = name(of: path)
        guard !name.isEmpty, name != ".", name != ".." else {
            throw StorageError(.wrongKind, path: path, "“\(path)” names a folder, not a file")
        }
        let slash = path.lastIndex(of: "/")
        let parent = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        return try Descriptor(open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC), attempt: "write", path: path)
    }
}
