import Foundation

/// Opens a file that somebody hands in, to read it.
///
/// - Throws: ``StorageError`` for what cannot be read, or is no plain file: a pipe without a writer would hold the program
///   up, so it is opened without waiting and refused.
package func openHandedIn(_ path: String) throws(StorageError) -> Descriptor {
    let file = try openNamed(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard try file.facts(path: path).isFile else {
        throw StorageError(.wrongKind, path: path, "\(path) is not a plain file")
    }
    return file
}

/// Opens what somebody names, whatever that is; with `O_CREAT` a file that is missing is made, for all to read.
package func openNamed(
    _ path: String, _ flags: Int32, to attempt: String = "read"
) throws(StorageError) -> Descriptor {
    do throws(StorageError) {
        return try Descriptor(open(path, flags, 0o644), attempt: attempt, path: path)
    } catch {
        throw error.ofNamedFile
    }
}

/// The text of a file that somebody hands in.
///
/// - Parameter limit: the longest that is read, in bytes.
/// - Throws: ``StorageError`` as ``openHandedIn(_:)`` does, and for what is longer, or no text.
package func handedInText(_ path: String, limit: Int) throws(StorageError) -> String {
    let bytes = try openHandedIn(path).readAll(limit: limit, path: path)
    guard let text = String(validating: bytes, as: UTF8.self) else {
        throw StorageError(.wrongKind, path: path, "\(path) is no text in UTF-8")
    }
    return text
}

/// Whether somebody has the file open for writing at this moment, as the kernel knows; `nil` where it does not tell: on some
/// file systems, and for another user's file.
///
/// A lease to read is given only while nobody may write: fcntl(2), F_SETLEASE.
package func isOpenForWriting(_ path: String) -> Bool? {
    guard let file = try? openHandedIn(path) else { return nil }
    // Who opens it while the lease is held would have this process told by SIGIO, which ends it; SIGURG is ignored.
    guard fcntl(file.number, setSignal, SIGURG) == 0 else { return nil }
    if fcntl(file.number, setLease, F_RDLCK) == 0 {
        _ = fcntl(file.number, setLease, F_UNLCK)
        return false
    }
    return errno == EAGAIN ? true : nil
}

// linux/fcntl.h; the module of the C library leaves them out.
private let setSignal: Int32 = 10
private let setLease: Int32 = 1_024
