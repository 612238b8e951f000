import Foundation
import WireProtocol

/// A folder that belongs to one user, and the only way by which our files get into it and out of it.
///
/// Each operation opens the folder anew, never follows a symbolic link in its place or in a file's, and checks whose
/// it is and who else may enter. So whatever another user plants there is refused by name instead of used.
package struct PrivateFolder: Hashable, Sendable {
    /// How much others may see of a folder.
    package enum Privacy: Sendable {
        /// Nobody else may enter: 0700.
        case ownerOnly
        /// Others may look, but only the owner may write, as with a folder that a person made by hand.
        case ownerWrites

        /// The permission bits that must not be set.
        var forbidden: mode_t { self == .ownerOnly ? 0o077 : 0o022 }
    }

    /// Absolute, without a slash at the end.
    package let path: String
    let privacy: Privacy

    /// Opens the folder at the absolute `path`, and makes it and its parents (0700) where they are missing.
    package init(path: String, privacy: Privacy = .ownerOnly) throws(StorageError) {
        precondition(path.hasPrefix("/"), "a private folder is named by an absolute path")
        var trimmed = path[...]
        while trimmed.count > 1, trimmed.last == "/" { trimmed.removeLast() }
        self.path = String(trimmed)
        self.privacy = privacy
        try makeMissing(self.path)
        _ = try opened()
    }

    /// A folder that somebody names for something to be kept in: theirs alone to write in, whoever may look.
    package static func named(_ path: String) throws(StorageError) -> PrivateFolder {
        do {
            return try PrivateFolder(path: path, privacy: .ownerWrites)
        } catch {
            switch error.code {
            case .openToOthers, .symbolicLink: throw error
            case .notOwned:
                throw StorageError(
                    .notOwned, path: path, "\(path) belongs to another user: name a folder of your own")
            default: throw StorageError(error.code, path: path, "\(path) cannot be written to: name another folder")
            }
        }
    }

    /// A folder in this one (0700), made if it is missing.
    package func subfolder(_ name: String) throws(StorageError) -> PrivateFolder {
        try PrivateFolder(path: self.path(of: name))
    }

    package func path(of name: String) -> String {
        precondition(!name.isEmpty && !name.contains("/") && name != "..", "a file's name is one component of a path")
        return path + "/" + name
    }

    /// The folder itself, open for `openat`, after everything that must hold was checked.
    package func opened() throws(StorageError) -> Descriptor {
        let number = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        if number < 0, errno == ENOTDIR || errno == ELOOP { throw refusal(of: path) }
        let folder = try Descriptor(number, attempt: "read", path: path)
        let facts = try folder.facts(path: path)
        guard facts.owner == geteuid() else {
            throw StorageError(
                .notOwned, path: path, "\(path) belongs to user \(facts.owner), not to you; use --state or remove it")
        }
        guard facts.permissions & privacy.forbidden == 0 else {
            throw StorageError(
                .openToOthers, path: path, "\(path) is open to other users; run: chmod 700 \(shellWord(path))")
        }
        return folder
    }
}

/// Makes a folder and whatever is missing above it; one that exists is left as it is.
private func makeMissing(_ path: String) throws(StorageError) {
    if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
    guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex else {
        throw StorageError(refused: "make", path: path, number: errno)
    }
    try makeMissing(String(path[..<slash]))
    if mkdir(path, 0o700) != 0, errno != EEXIST { throw StorageError(refused: "make", path: path, number: errno) }
}

/// What stands where a folder belongs.
private func refusal(of path: String) -> StorageError {
    if let facts = Descriptor.Facts(at: path), facts.isLink {
        return StorageError(refused: "read", path: path, number: ELOOP)
    }
    return StorageError(.wrongKind, path: path, "\(path) is not a folder; remove it or use --state")
}
