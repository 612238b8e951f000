import FlightRecorder
import Glibc

/// zstd's frames (RFC 8878) by the library that most systems have; without it recordings are written uncompressed.
enum Zstandard {
    private typealias Compress =
        @convention(c) (UnsafeMutableRawPointer?, Int, UnsafeRawPointer?, Int, Int32) -> Int
    private typealias Expand = @convention(c) (UnsafeMutableRawPointer?, Int, UnsafeRawPointer?, Int) -> Int
    private typealias Bound = @convention(c) (Int) -> Int
    private typealias IsError = @convention(c) (Int) -> UInt32

    private struct Library: Sendable {
        let compress: Compress
        let expand: Expand
        let bound: Bound
        let isError: IsError

        init?() {
            guard let handle = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL),
                let compress = dlsym(handle, "ZSTD_compress"),
                let expand = dlsym(handle, "ZSTD_decompress"), let bound = dlsym(handle, "ZSTD_compressBound"),
                let isError = dlsym(handle, "ZSTD_isError")
            else { return nil }
            // The four signatures are of zstd's stable interface since 1.0.
            self.compress = unsafeBitCast(compress, to: Compress.self)
            self.expand = unsafeBitCast(expand, to: Expand.self)
            self.bound = unsafeBitCast(bound, to: Bound.self)
            self.isError = unsafeBitCast(isError, to: IsError.self)
        }
    }

    private static let library = Library()

    static var isThere: Bool { library != nil }

    /// Level 3: 2 ms of the recorder's thread for a second of 20 controllers.
    static func compress(_ bytes: [UInt8]) -> [UInt8]? {
        guard let library else { return nil }
        var isWhole = true
        let packed = [UInt8](unsafeUninitializedCapacity: library.bound(bytes.count)) { buffer, count in
            let size = bytes.withUnsafeBytes {
                library.compress(buffer.baseAddress, buffer.count, $0.baseAddress, $0.count, 3)
            }
            isWhole = library.isError(size) == 0
            count = isWhole ? size : 0
        }
        return isWhole ? packed : nil
    }

    /// What a frame holds, if it is exactly `size` bytes.
    static func expand(_ bytes: ArraySlice<UInt8>, _ name: String, _ size: Int) -> [UInt8]? {
        guard name == "zstd", let library, size >= 0 else { return nil }
        var isWhole = true
        let records = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            let got = bytes.withUnsafeBytes { library.expand(buffer.baseAddress, size, $0.baseAddress, $0.count) }
            isWhole = library.isError(got) == 0 && got == size
            count = isWhole ? got : 0
        }
        return isWhole ? records : nil
    }

    static var writer: (name: String, compress: MCAPWriter.Compress)? { isThere ? ("zstd", { compress($0) }) : nil }
}
