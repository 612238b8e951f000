// The compiler takes `struct stat` for CoreFoundation's or Dispatch's: whichever module it was the first to read.
import CDispatch
import CoreFoundation
import Foundation

/// Tells whether a certificate's files are those of last time, without reading them.
///
/// By inode, size and time of change, of what symbolic links lead to: certbot renews by pointing its links elsewhere.
struct FileStamps: Hashable, Sendable {
    private struct Stamp: Hashable {
        var device: UInt64
        var inode: UInt64
        var size: Int64
        var seconds: Int
        var nanoseconds: Int
    }

    private let stamps: [Stamp?]

    init(_ files: CertificateFiles) {
        stamps = [files.certificate, files.key].map { path in
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            return Stamp(
                device: UInt64(status.st_dev), inode: UInt64(status.st_ino), size: Int64(status.st_size),
                seconds: status.st_ctim.tv_sec, nanoseconds: status.st_ctim.tv_nsec)
        }
    }
}
