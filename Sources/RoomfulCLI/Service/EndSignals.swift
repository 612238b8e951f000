import UnixSignals

/// Ctrl-C and SIGTERM, for commands whose end is to be said to others.
enum EndSignals {
    /// Returns at the first of them from now on, or when the task is cancelled.
    static func first() async {
        for await _ in await UnixSignalsSequence(trapping: .sigint, .sigterm) { return }
    }
}
