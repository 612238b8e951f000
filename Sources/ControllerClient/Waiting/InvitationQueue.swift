import Synchronization

/// Invitations on their way to whoever reads them, in order. What has ended meanwhile is let go: it is not handed out,
/// and takes nobody's place.
final class InvitationQueue: Sendable {
    private typealias Reader = CheckedContinuation<WaitingController.Invitation?, Never>

    private struct Contents {
        /// As many as can be open at once; ``CallBook`` sees to that.
        var unread: [WaitingController.Invitation] = []
        var readers: [Reader] = []
        var hasEnded = false
    }

    private let contents = Mutex(Contents())

    func put(_ invitation: WaitingController.Invitation) {
        let reader: Reader? = contents.withLock { contents in
            guard !contents.hasEnded else { return nil }
            guard contents.readers.isEmpty else { return contents.readers.removeFirst() }
            contents.unread.removeAll { !$0.isOpen }
            contents.unread.append(invitation)
            return nil
        }
        reader?.resume(returning: invitation)
    }

    /// The next that can be answered, as soon as there is one; `nil` after ``end()``.
    func next() async -> WaitingController.Invitation? {
        await withCheckedContinuation { (reader: Reader) in
            let (isAnswered, invitation) = contents.withLock { contents -> (Bool, WaitingController.Invitation?) in
                contents.unread.removeAll { !$0.isOpen }
                if contents.hasEnded { return (true, nil) }
                if !contents.unread.isEmpty { return (true, contents.unread.removeFirst()) }
                contents.readers.append(reader)
                return (false, nil)
            }
            if isAnswered { reader.resume(returning: invitation) }
        }
    }

    /// Nothing is handed out any more; those who read hear so.
    func end() {
        let readers = contents.withLock { contents in
            defer { contents = Contents(hasEnded: true) }
            return contents.readers
        }
        for reader in readers { reader.resume(returning: nil) }
    }
}
