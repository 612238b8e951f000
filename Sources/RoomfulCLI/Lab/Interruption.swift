import Dispatch
import Foundation
import Synchronization

/// SIGTERM, Ctrl-C and a terminal that is closed as a wish to end early, and in order; as long as this lives.
final class Interruption {
    private final class Wish: Sendable {
        let action = Mutex<(@Sendable () -> Void)?>(nil)
    }

    private let wish = Wish()
    private let sources: [any DispatchSourceSignal]

    init() {
        sources = [SIGINT, SIGTERM, SIGHUP].compactMap { number in
            var before = sigaction()
            sigaction(number, nil, &before)
            // Who was started by nohup outlives its terminal.
            if number == SIGHUP, before.isIgnored { return nil }
            signal(number, SIG_IGN)
            return DispatchSource.makeSignalSource(signal: number, queue: .global())
        }
        for source in sources {
            let wish = wish
            source.setEventHandler { wish.action.withLock { $0 }?() }
            source.resume()
        }
    }

    deinit { for source in sources { source.cancel() } }

    /// Carries out the wish; before, there is nothing to end.
    func onInterrupt(_ body: @escaping @Sendable () -> Void) { wish.action.withLock { $0 = body } }
}

extension sigaction {
    var isIgnored: Bool {
        unsafeBitCast(__sigaction_handler.sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
