import Foundation
import Synchronization

/// Keeps a second host out of a room's folder for as long as the first one lives.
///
/// The lock is the kernel's (`flock`): a host that is killed leaves none behind. The file tells who holds it.
package final class RoomLock: Sendable {
    /// Of its file, as long as it is held.
    private let number: Mutex<Int32?>

    /// Takes the room's folder for this process.
    ///
    /// - Parameter file: another one is another lock.
    /// - Throws: ``StorageError`` with `roomInUse`, naming the other host's process, if there is one.
    package init(in folder: PrivateFolder, file: String = RoomFile.hostLock) throws(StorageError) {
        let path = folder.path(of: file)
        let lock = try folder.openedLock(file)
        guard flock(lock.number, LOCK_EX | LOCK_NB) == 0 else {
            guard errno == EWOULDBLOCK else { throw StorageError(refused: "lock", path: path, number: errno) }
            let holder = (try? lock.readAll(limit: 32, path: path)).flatMap { RoomLock.holder(in: $0) }
            let who = holder.map { "another host (pid \($0))" } ?? "another host"
            throw StorageError(.roomInUse, path: path, "\(who) runs this room; use --state or stop it")
        }
        guard ftruncate(lock.number, 0) == 0 else {
            throw StorageError(refused: "write", path: path, number: errno)
        }
        try lock.writeAll(Array("\(getpid())\n".utf8), path: path)
        // Held beyond this scope, so the number is doubled: `lock` closes its own.
        let number = fcntl(lock.number, F_DUPFD_CLOEXEC, 0)
        guard number >= 0 else { throw StorageError(refused: "lock", path: path, number: errno) }
        self.number = Mutex(number)
    }

    deinit { release() }

    /// The process number that a lock's file says; `nil` where nobody holds it.
    static func holder(in file: some Sequence<UInt8>) -> Int32? {
        Int32(String(decoding: Array(file), as: UTF8.self).filter { !$0.isWhitespace })
    }

    /// Gives the folder back, whoever still holds this; once.
    package func release() {
        let held = number.withLock { number in
            defer { number = nil }
            return number
        }
        guard let held else { return }
        // Whoever reads who holds it shall find nobody.
        _ = ftruncate(held, 0)
        close(held)
    }
}
