internal import CDatagrams

/// How this process asks the system for memory.
package enum ProcessMemory {
    /// Lets every allocation of so many bytes and more lie in pages of its own: only those that are used cost memory, and
    /// those of what is let go are given back. Smaller ones lie close together, as they always do.
    package static func givesOwnPages(from bytes: Int) { process_memory_own_pages(Int32(clamping: bytes)) }
}
