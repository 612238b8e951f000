import Foundation

/// A file that the user asked for, wherever they want it, with a secret in it: 0600.
package enum PrivateFile {
    /// Writes the text at once or not at all; a symbolic link at `path` is replaced, not followed.
    ///
    /// - Throws: ``StorageError`` naming what refused.
    package static func write(_ text: String, to path: String) throws(StorageError) {
        let slash = path.lastIndex(of: "/")
        let name = slash.map { String(path[path.index(after: $0)...]) } ?? path
        let parent = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        guard !name.isEmpty, name != ".", name != ".." else {
            throw StorageError(.wrongKind, path: path, "“\(path)” names a folder, not a file")
        }
        let folder = try Descriptor(open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC), attempt: "write", path: path)
        try replaceFile(name, in: folder, with: Array(text.utf8), path: path)
    }
}
