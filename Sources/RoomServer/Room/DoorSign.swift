import Synchronization

/// What is advertised of a room as its seats fill and its door is locked: the newest word wins.
final class DoorSign: Sendable {
    struct Word: Hashable, Sendable {
        var freeSeats: Int
        var isLocked = false
    }

    /// The newest that was not read yet.
    let words: AsyncStream<Word>
    private let continuation: AsyncStream<Word>.Continuation
    private let word: Mutex<Word>

    init(freeSeats: Int) {
        word = Mutex(Word(freeSeats: freeSeats))
        (words, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func note(freeSeats: Int) {
        word.withLock { word in
            word.freeSeats = freeSeats
            _ = continuation.yield(word)
        }
    }

    func note(isLocked: Bool) {
        word.withLock { word in
            word.isLocked = isLocked
            _ = continuation.yield(word)
        }
    }

    /// The room closes.
    func end() { continuation.finish() }
}
