/// What the machine itself brings along: clock, memory for datagrams, open files, libraries, a folder to write to.
package struct MachineFacts: Hashable, Sendable {
    /// Seats of the room that is to be hosted.
    package var seats = 21
    /// As the clock stands: `2026-11-21 13:50 UTC`.
    package var date = ""
    package var year = 0
    /// Whether a time service keeps the clock right; `nil` when the kernel does not say.
    package var isSynchronised: Bool?
    /// Bytes of receive buffer.
    package var bufferWanted = 0
    package var bufferGranted = 0
    /// `net.core.rmem_max`, in bytes.
    package var bufferLimit: Int?
    /// Descriptors that a process may have open, as far as it can raise that itself.
    package var descriptors = 0
    package var hasSodium = false
    /// The state folder, or what is wrong with it.
    package var state: State = .unusable("")

    package enum State: Hashable, Sendable {
        case usable(path: String, freeBytes: Int)
        case unusable(String)
    }

    package init() {}
}
