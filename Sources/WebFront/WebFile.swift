import Crypto
import Foundation
package import NIOCore
import PrivateFiles

/// A file on its way to a browser: opened once, known by its tag, and read in regions, never whole.
///
/// Everything here waits for the disk: only threads of files call it, never a loop that carries phones.
package final class WebFile: Sendable {
    /// As much as is read, sealed and on its way at once.
    static let region = 32_768

    let size: Int
    /// By inode, size and times of change: a file need not be read to be known.
    let tag: String
    private let descriptor: Descriptor

    /// A plain file below a folder, wherever links lead; `nil` for anything else.
    init?(_ path: String, below root: String) {
        // A link may lead out of the folder: what counts is where it ends. Whoever may write in the folder can exchange a
        // part of the path at any time, so it is walked once, and what it led to is judged and then read: no path.
        guard let folder = try? Descriptor(open(root, O_PATH | O_DIRECTORY | O_CLOEXEC), attempt: "read", path: root),
            let found = try? Descriptor(open(path, O_PATH | O_CLOEXEC), attempt: "read", path: path),
            found.lies(below: folder), (try? found.facts(path: path))?.isFile == true,
            let file = try? Descriptor(
                open("/proc/self/fd/\(found.number)", O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK), attempt: "read",
                path: path)
        else { return nil }
        guard let facts = try? file.facts(path: path), facts.isFile else { return nil }
        size = facts.size
        tag = entityTag(facts.stamp.map(String.init).joined(separator: " ").utf8)
        descriptor = file
    }

    /// The next region from there; empty when the file ends earlier than it did.
    package func read(from offset: Int) -> ByteBuffer {
        var buffer = ByteBufferAllocator().buffer(capacity: Self.region)
        _ = buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: Self.region) { room in
            var count = pread(descriptor.number, room.baseAddress, min(Self.region, size - offset), off_t(offset))
            while count < 0 && errno == EINTR {
                count = pread(descriptor.number, room.baseAddress, min(Self.region, size - offset), off_t(offset))
            }
            return max(0, count)
        }
        return buffer
    }
}

/// Opens nothing for reading or writing, so that pipes and devices notice nothing: open(2), O_PATH.
private let O_PATH: Int32 = 0o10_000_000

/// A strong entity tag (RFC 9110, 8.8.3) of whatever these bytes tell apart.
func entityTag(_ bytes: some Sequence<UInt8>) -> String {
    "\"" + SHA256.hash(data: Array(bytes)).prefix(12).map { String(format: "%02x", $0) }.joined() + "\""
}
