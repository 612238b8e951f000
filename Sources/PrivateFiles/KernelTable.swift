import Glibc

/// A table of the kernel's, whole: what proc(5) describes has no size that one could ask for, and gives itself a page at a
/// time. Foundation takes the end of the first page for the end of the file.
///
/// - Parameter path: below `/proc`, or anything like it.
/// - Returns: `nil` for what is not there, cannot be read or is longer than 16 MiB; what is no UTF-8 is replaced.
package func kernelTable(_ path: String) -> String? {
    guard let file = try? Descriptor(open(path, O_RDONLY | O_CLOEXEC), attempt: "read", path: path),
        let bytes = try? file.readAll(limit: 1 << 24, path: path)
    else { return nil }
    return String(decoding: bytes, as: UTF8.self)
}
