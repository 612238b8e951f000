import Foundation
import Synchronization
import UnixSignals

/// Ctrl-C, SIGTERM and a terminal that is closed, for commands whose end is to be said to others.
enum EndSignals {
    /// Which of them end the program. Who was started by nohup outlives its terminal; looked at once, before one is taken.
    static let all: [UnixSignal] = {
        var before = sigaction()
        sigaction(SIGHUP, nil, &before)
        return before.isIgnored ? [.sigint, .sigterm] : [.sigint, .sigterm, .sighup]
    }()

    private static let firstOfHost = Mutex<UnixSignal?>(nil)
    /// Whether a host ends by SIGTERM, as machines and service managers end what they start again: who means the room
    /// presses Ctrl-C.
    static var isTermination: Bool { firstOfHost.withLock { $0 == .sigterm } }

    /// A host was sent this one. A login's end sends SIGHUP and SIGTERM together, in any order.
    static func note(_ signal: UnixSignal) {
        firstOfHost.withLock { if $0 == nil || $0 == .sighup { $0 = signal } }
    }

    private static let areAwaitedNow = Atomic(false)
    /// Whether somebody ends in order by them, who needs no terminal for that.
    static var areAwaited: Bool { areAwaitedNow.load(ordering: .relaxed) }

    /// Returns at the first of them from now on, or when the task is cancelled.
    static func first() async {
        let signals = await UnixSignalsSequence(trapping: all)
        areAwaitedNow.store(true, ordering: .relaxed)
        for await _ in signals { return }
    }

    private static let isRaised = Atomic(false)

    /// Ends whoever awaits them as one of them does, once: where one has come, the next is not trapped any more.
    static func raise() {
        if !isRaised.exchange(true, ordering: .relaxed) { kill(getpid(), SIGTERM) }
    }
}

extension sigaction {
    fileprivate var isIgnored: Bool {
        unsafeBitCast(__sigaction_handler.sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
