import Dispatch
import Foundation
import PrivateFiles
import Synchronization
import WireProtocol

/// Standard output or error of a program that must not wait for its reader: a room goes on also when nobody reads what it
/// prints, and ends when it is told to.
///
/// A pipe takes a part of up to `PIPE_BUF` bytes without waiting once poll(2) says that it is ready. A reader of a pipe that
/// takes nothing for 30 s is let go, and at once one that is gone: it finds an end behind what was written, and from then
/// on nothing is printed. A terminal's is waited for: somebody stopped it.
///
/// Where output and error are one pipe (`2>&1`), its reader finds that end once both have been let go: they go together.
final class PatientOutput: Sendable {
    /// Where a host's words to its operator go.
    static let errors = PatientOutput(STDERR_FILENO)

    private static let slice: Int32 = 100
    private static let part = 4_096
    /// Lines that may wait which nobody waits for.
    private static let mostWaiting = 1_000

    private let descriptor: Int32
    /// The other of the two.
    private let twin: Int32
    private let patience: Duration
    /// What becomes of the program then, in words.
    private let otherwise: String
    private let queue: DispatchQueue
    private let isClosing = Atomic(false)
    private let isLetGo = Atomic(false)
    private let waiting = Atomic(0)
    private let leftOut = Atomic(0)

    init(
        _ descriptor: Int32 = STDOUT_FILENO, twin: Int32? = nil, patience: Duration = .seconds(30),
        withoutReader otherwise: String = "the room goes on without it; follow it with: roomful events"
    ) {
        self.descriptor = descriptor
        self.twin = twin ?? (descriptor == STDOUT_FILENO ? STDERR_FILENO : STDOUT_FILENO)
        self.patience = patience
        self.otherwise = otherwise
        queue = DispatchQueue(label: "roomful.output.\(descriptor)")
    }

    /// Prints a line and waits until it has left; does nothing once the reader was let go. Whoever wrote what stands in
    /// it moves no terminal.
    func print(_ line: String) async { await write(Terminal.still(line) + "\n") }

    /// The same for text as it is.
    func write(_ text: String) async {
        guard !isLetGo.load(ordering: .relaxed) else { return }
        await withCheckedContinuation { continuation in
            queue.async { [self] in
                put(text)
                continuation.resume()
            }
        }
    }

    /// Prints a line when its turn comes, and waits for nothing. Where too many wait it is left out, and how many were is
    /// said once there is room again.
    func post(_ line: String) {
        guard !isLetGo.load(ordering: .relaxed) else { return }
        guard waiting.add(1, ordering: .relaxed).newValue <= Self.mostWaiting else {
            waiting.subtract(1, ordering: .relaxed)
            leftOut.add(1, ordering: .relaxed)
            return
        }
        queue.async { [self] in
            put(Terminal.still(line) + "\n")
            waiting.subtract(1, ordering: .relaxed)
            let missing = leftOut.exchange(0, ordering: .relaxed)
            if missing > 0 {
                put("roomful: \(plural(missing, "line was", "lines were")) left out here, as nobody read on\n")
            }
        }
    }

    /// The program is about to end: nobody is waited for any more.
    func hurry() { isClosing.store(true, ordering: .relaxed) }

    /// Waits until what was posted has left, or half a second where nobody reads.
    func finish() async {
        hurry()
        await write("")
    }

    private func put(_ text: String) {
        guard !isLetGo.load(ordering: .relaxed) else { return }
        var left = Array(text.utf8)[...]
        let clock = ContinuousClock()
        var stalledAt = clock.now
        while !left.isEmpty {
            var watch = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            if poll(&watch, 1, Self.slice) > 0 {
                let count = left.prefix(Self.part).withUnsafeBytes {
                    Foundation.write(descriptor, $0.baseAddress, $0.count)
                }
                if count > 0 {
                    left = left.dropFirst(count)
                    stalledAt = clock.now
                } else if errno != EINTR, errno != EAGAIN {
                    let reason = errno
                    return letGo(
                        reason == EPIPE
                            ? "has no reader any more" : "cannot be written: \(String(cString: strerror(reason)))")
                }
            }
            let isEnding = isClosing.load(ordering: .relaxed)
            if clock.now - stalledAt > (isEnding ? .milliseconds(500) : patience), isEnding || !isTerminal {
                return letGo("has had no reader for \(patience.components.seconds) s")
            }
        }
    }

    private var isTerminal: Bool { isatty(descriptor) == 1 }

    /// A reader that has seen enough (`| head`) ends other commands; those who play are no part of what is read.
    private func letGo(_ reason: String) {
        isLetGo.store(true, ordering: .relaxed)
        let areOne = sharesPipe
        end(descriptor)
        if areOne { return end(twin) }
        guard descriptor == STDOUT_FILENO else { return }
        if !isClosing.load(ordering: .relaxed) {
            Self.errors.post("roomful: standard output \(reason): \(otherwise)")
        }
    }

    private var sharesPipe: Bool {
        guard let own = try? Descriptor.Facts(of: descriptor, path: "standard output"),
            let other = try? Descriptor.Facts(of: twin, path: "standard error")
        else { return false }
        return own.isSamePipe(as: other)
    }

    /// A reader that reads on after all must not wait for what never comes. The number stays taken: a socket that got it
    /// would be written to.
    private func end(_ descriptor: Int32) {
        let nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC)
        guard nowhere >= 0 else { return }
        _ = dup2(nowhere, descriptor)
        _ = close(nowhere)
    }
}
