/// The most bytes that the path of a Unix socket can have: `sun_path` holds 108 with the final zero (unix(7)).
let longestSocketPath = 107

extension PrivateFolder {
    /// The path of a Unix socket in this folder.
    ///
    /// - Throws: ``StorageError`` with `pathTooLong` if the system could not bind it.
    package func socketPath(_ name: String) throws(StorageError) -> String {
        let path = self.path(of: name)
        guard path.utf8.count <= longestSocketPath else {
            throw StorageError(
                .pathTooLong, path: path,
                "the socket \(path) has a path of \(path.utf8.count) bytes and \(longestSocketPath) is the most; "
                    + "set XDG_RUNTIME_DIR or --state to a shorter one")
        }
        return path
    }
}
