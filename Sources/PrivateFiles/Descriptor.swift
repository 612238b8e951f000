// The compiler takes `struct stat` for CoreFoundation's or Dispatch's: whichever module it was the first to read, by the
// order of this target's files.
import CDispatch
import CoreFoundation
import Foundation

/// An open file or folder of the system, closed when nobody holds it any more.
package struct Descriptor: ~Copyable {
    /// What the system says about a file: stat(2).
    package struct Facts {
        package let owner: UInt32
        package let mode: UInt32
        package let size: Int
        /// When it was written last, in seconds since 1970.
        package let written: Int
        /// Which file it is, and as of when: device, inode, size, times of writing and of change.
        package let stamp: [Int]

        private init(_ status: stat) {
            owner = status.st_uid
            mode = status.st_mode
            size = Int(status.st_size)
            written = status.st_mtim.tv_sec
            stamp = [
                Int(bitPattern: UInt(status.st_dev)), Int(bitPattern: UInt(status.st_ino)), size,
                status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec,
            ]
        }

        /// Of an open file.
        package init(of number: Int32, path: String) throws(StorageError) {
            var status = stat()
            guard fstat(number, &status) == 0 else { throw StorageError(refused: "read", path: path, number: errno) }
            self.init(status)
        }

        /// Of whatever stands at a path, be it a symbolic link; `nil` if nothing does.
        init?(at path: String) {
            var status = stat()
            guard lstat(path, &status) == 0 else { return nil }
            self.init(status)
        }

        /// Of what a path leads to, through symbolic links; `nil` if that is nothing.
        package init?(following path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            self.init(status)
        }

        var isLink: Bool { mode & S_IFMT == S_IFLNK }
        package var isFile: Bool { mode & S_IFMT == S_IFREG }
        var isFolder: Bool { mode & S_IFMT == S_IFDIR }
        var isSocket: Bool { mode & S_IFMT == S_IFSOCK }
        /// Whether both are ends of one and the same pipe.
        package func isSamePipe(as other: Facts) -> Bool {
            mode & S_IFMT == S_IFIFO && stamp.prefix(2) == other.stamp.prefix(2)
        }
        /// The permission bits.
        package var permissions: UInt32 { mode & 0o7777 }
    }

    package let number: Int32

    /// Takes what `open` or `openat` returned; throws what it left in `errno` if that was a failure.
    package init(_ number: Int32, attempt: String, path: String) throws(StorageError) {
        let reason = errno
        guard number >= 0 else { throw StorageError(refused: attempt, path: path, number: reason) }
        self.number = number
    }

    deinit { close(number) }

    package func facts(path: String) throws(StorageError) -> Facts { try Facts(of: number, path: path) }

    /// Where what is open lies, as the kernel knows it: a path without links. `nil` if it does not tell.
    package var place: String? {
        let room = Int(PATH_MAX) + 1
        let bytes = [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
            guard let start = buffer.baseAddress else { return }
            count = max(0, readlink("/proc/self/fd/\(number)", start, room))
        }
        return bytes.isEmpty || bytes.count == room ? nil : String(decoding: bytes, as: UTF8.self)
    }

    /// Whether what is open lies somewhere below a folder that is open, too.
    package func lies(below folder: borrowing Descriptor) -> Bool {
        guard let place, let inside = folder.place else { return false }
        return place.utf8.starts(with: (inside == "/" ? inside : inside + "/").utf8)
    }

    /// Everything up to the end, as long as that is at most `limit` bytes.
    package func readAll(limit: Int, path: String) throws(StorageError) -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let room = min(limit + 1 - bytes.count, 65_536)
            guard room > 0 else {
                throw StorageError(.tooLarge, path: path, "\(path) is longer than \(limit) bytes, so it is not ours")
            }
            var reason: Int32 = 0
            let chunk = [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
                var got = read(number, buffer.baseAddress, room)
                while got < 0 && errno == EINTR { got = read(number, buffer.baseAddress, room) }
                if got < 0 { reason = errno }
                count = max(0, got)
            }
            guard reason == 0 else { throw StorageError(refused: "read", path: path, number: reason) }
            if chunk.isEmpty { return bytes }
            bytes += chunk
        }
    }

    package func writeAll(_ bytes: [UInt8], path: String) throws(StorageError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { write(number, $0.baseAddress, $0.count) }
            if written < 0 {
                if errno == EINTR { continue }
                throw StorageError(refused: "write", path: path, number: errno)
            }
            rest = rest.dropFirst(written)
        }
    }

    /// Returns once what was written survives a power cut.
    func synchronize(path: String) throws(StorageError) {
        guard fsync(number) == 0 else { throw StorageError(refused: "write", path: path, number: errno) }
    }
}
