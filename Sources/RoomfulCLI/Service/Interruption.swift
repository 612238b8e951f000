import Dispatch
import Foundation
import Synchronization
import UnixSignals

/// SIGTERM, Ctrl-C and a terminal that is closed as a wish to end early, and in order; as long as this lives.
final class Interruption {
    private final class Wish: Sendable {
        let action = Mutex<(@Sendable () -> Void)?>(nil)
    }

    private let wish = Wish()
    private let sources: [any DispatchSourceSignal]

    init() {
        sources = EndSignals.all.map { end in
            signal(end.rawValue, SIG_IGN)
            return DispatchSource.makeSignalSource(signal: end.rawValue, queue: .global())
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
