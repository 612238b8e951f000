// The compiler takes `struct stat` for CoreFoundation's or Dispatch's: see PrivateFiles/Descriptor.swift.
import CoreFoundation
import CDispatch
import FlightRecorder
import Foundation
import PrivateFiles

/// Why a recording cannot be begun, go on or be read: one line that says what to do next.
package struct RecordingFileError: Error, Hashable, Sendable, CustomStringConvertible {
    package var description: String
    package init(_ description: String) { self.description = description }
}

/// Writes all of it to an open file: 0, or why not, as `errno` says it.
package func writeAll(_ bytes: [UInt8], to number: Int32) -> Int32 {
    var rest = bytes[...]
    while !rest.isEmpty {
        let written = rest.withUnsafeBytes { write(number, $0.baseAddress, $0.count) }
        if written > 0 {
            rest = rest.dropFirst(written)
        } else if written == 0 {
            return EIO
        } else if errno != EINTR {
            return errno
        }
    }
    return 0
}

/// The file that a recorder appends to: whatever happens to its disk, what stands in it is whole records.
///
/// Beside it lies a reserve of 256 KiB while it is written: when the disk is full it is let go, and the file gets its end.
final class RecordingFile {
    let path: String
    private let number: Int32
    /// What stands before this is whole.
    private(set) var size: UInt64 = 0
    private var hasReserve = false

    private static let reserve = 256 << 10

    /// Makes a new file; one that exists is never written over.
    init(creating path: String) throws(RecordingFileError) {
        self.path = path
        number = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard number >= 0 else {
            throw RecordingFileError(
                errno == EEXIST
                    ? "\(path) is there already, and nothing is recorded over it: name another file, or a folder"
                    : "cannot record to \(path): \(String(cString: strerror(errno)))")
        }
        _ = flock(number, LOCK_EX | LOCK_NB)
        keepReserve()
    }

    deinit { close(number) }

    private var reservePath: String { path + Self.reserveSuffix }
    private static let reserveSuffix = ".reserve"

    /// Removes what a killed recorder left beside its file; another file of that name is left alone.
    static func removeReserve(of path: String) {
        var about = stat()
        guard lstat(path + reserveSuffix, &about) == 0, about.st_mode & S_IFMT == S_IFREG, about.st_size == reserve
        else {
            return
        }
        unlink(path + reserveSuffix)
    }

    private func keepReserve() {
        let reserve = open(reservePath, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard reserve >= 0 else { return }
        hasReserve = posix_fallocate(reserve, 0, off_t(Self.reserve)) == 0
        close(reserve)
        if !hasReserve { unlink(reservePath) }
    }

    /// Gives the reserve back to the disk.
    func freeReserve() {
        guard hasReserve else { return }
        unlink(reservePath)
        hasReserve = false
    }

    /// Appends all of it, or nothing.
    func append(_ bytes: [UInt8]) throws(RecordingFileError) {
        let reason = writeAll(bytes, to: number)
        guard reason == 0 else {
            _ = ftruncate(number, off_t(size))
            _ = lseek(number, off_t(size), SEEK_SET)
            throw RecordingFileError(String(cString: strerror(reason)))
        }
        size += UInt64(bytes.count)
    }

    /// Its name still leads to it; else it was removed, or its disk is gone.
    var isInPlace: Bool {
        var (own, named) = (stat(), stat())
        return fstat(number, &own) == 0 && lstat(path, &named) == 0 && own.st_ino == named.st_ino
            && own.st_dev == named.st_dev
    }

    /// What was written survives a power cut, as far as the disk tells the truth.
    func synchronize() { _ = fdatasync(number) }
}

/// A recording that is read: at any place, while it may still be written.
final class RecordedFile: ByteSource, Sendable {
    let path: String
    private let number: Int32
    let size: UInt64

    init(_ path: String) throws(RecordingFileError) {
        self.path = path
        // A pipe of that name must not be waited for.
        number = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard number >= 0 else {
            throw RecordingFileError("cannot read \(path): \(String(cString: strerror(errno)))")
        }
        var status = stat()
        guard fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(number)
            throw RecordingFileError("\(path) is no file: name the recording itself")
        }
        size = UInt64(max(0, status.st_size))
    }

    deinit { close(number) }

    /// Somebody records to it now.
    var isBeingWritten: Bool {
        guard flock(number, LOCK_SH | LOCK_NB) == 0 else { return errno == EWOULDBLOCK }
        _ = flock(number, LOCK_UN)
        return false
    }

    /// Somebody writes it now: its recorder, which holds a lock, or whoever else, such as a copy that is under way.
    var isOpenElsewhere: Bool { isBeingWritten || isOpenForWriting(path) == true }

    static let busy = "it is being written right now, and may need no mending yet"

    /// Whether a room recorded it: its header names us.
    var isOurs: Bool { read(at: 0, count: 28)?.suffix(7).elementsEqual("roomful".utf8) ?? false }

    func read(at offset: UInt64, count: Int) -> [UInt8]? {
        guard count >= 0, offset <= size, size - offset >= UInt64(count) else { return nil }
        var isWhole = true
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, done in
            while done < count {
                let got = pread(number, buffer.baseAddress.map { $0 + done }, count - done, off_t(offset) + off_t(done))
                if got < 0, errno == EINTR { continue }
                guard got > 0 else {
                    isWhole = false
                    return
                }
                done += got
            }
        }
        return isWhole ? bytes : nil
    }

    /// Gives a file that was cut its end, in place of what follows its sound part: why not, or `nil` when that is done.
    ///
    /// It appends to whole records: wherever it is ended itself, these are there, and the file can be mended again.
    func mend(keeping keep: UInt64, appending end: [UInt8]) -> String? {
        guard !isOpenElsewhere else { return Self.busy }
        let file = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else {
            return errno == ELOOP ? "it is a link: name the file itself" : String(cString: strerror(errno))
        }
        defer { close(file) }
        var (was, now) = (stat(), stat())
        guard flock(file, LOCK_EX | LOCK_NB) == 0, fstat(number, &was) == 0, fstat(file, &now) == 0,
            (was.st_ino, was.st_dev) == (now.st_ino, now.st_dev), UInt64(max(0, now.st_size)) == size
        else { return Self.busy }
        // Root may write this, too.
        guard now.st_mode & 0o222 != 0 else { return "it may only be read: chmod u+w first" }
        guard let rest = read(at: keep, count: Int(size - keep)) else { return "its end cannot be read" }
        // On a full disk its end may need this room.
        RecordingFile.removeReserve(of: path)
        let reason = Self.put(end, at: keep, in: file)
        guard reason != 0 else { return nil }
        let isAsBefore = Self.put(rest, at: keep, in: file) == 0
        return String(cString: strerror(reason)) + (isAsBefore ? "" : "; its whole records are left: mend it again")
    }

    /// Puts these bytes in the place of everything from there on: 0, or why not, as `errno` says it.
    private static func put(_ bytes: [UInt8], at place: UInt64, in file: Int32) -> Int32 {
        guard ftruncate(file, off_t(place)) == 0, lseek(file, off_t(place), SEEK_SET) >= 0 else { return errno }
        let reason = writeAll(bytes, to: file)
        return reason == 0 && fdatasync(file) != 0 ? errno : reason
    }
}
