/// What the machine itself brings along: clock, memory for datagrams, open files, libraries, a folder to write to.
struct MachineFacts: Hashable, Sendable {
    /// Seats of the room that is to be hosted.
    var seats = 21
    /// As the clock stands: `2026-11-21 13:50 UTC`.
    var date = ""
    var year = 0
    /// Whether a time service keeps the clock right; `nil` when the kernel does not say.
    var isSynchronised: Bool?
    /// Bytes of receive buffer.
    var bufferWanted = 0
    var bufferGranted = 0
    /// `net.core.rmem_max`, in bytes.
    var bufferLimit: Int?
    /// Descriptors that a process may have open, as far as it can raise that itself.
    var descriptors = 0
    var hasSodium = false
    /// The state folder, or what is wrong with it.
    var state: State = .unusable("")

    enum State: Hashable, Sendable {
        case usable(path: String, freeBytes: Int)
        case unusable(String)
    }

    init() {}
}
