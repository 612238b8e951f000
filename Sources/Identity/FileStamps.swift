import PrivateFiles

/// Tells whether a certificate's files are those of last time, without reading them.
///
/// By inode, size and times of change, of what symbolic links lead to: certbot renews by pointing its links elsewhere.
struct FileStamps: Hashable, Sendable {
    private let stamps: [[Int]?]

    init(_ files: CertificateFiles) {
        stamps = [files.certificate, files.key].map { Descriptor.Facts(following: $0)?.stamp }
    }
}
