internal import CDatagrams

/// What the system knows of this process.
package enum ThisProcess {
    /// Lets every allocation of so many bytes and more lie in pages of its own: only those that are used cost memory, and
    /// those of what is let go are given back. Smaller ones lie close together, as they always do.
    package static func givesOwnPages(from bytes: Int) { process_memory_own_pages(Int32(clamping: bytes)) }

    /// What its linker made of all of the program's bytes (the build ID of ELF files), at most 32 bytes; empty where it
    /// made nothing.
    package static var build: [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 32) { bytes, count in
            count = Int(process_build(bytes.baseAddress, Int32(bytes.count)))
        }
    }
}
