import Dispatch
import RoomRecords
import SiteBroker
import SiteContests
import Synchronization
import WireProtocol

/// What the library's threads put down for a referee, each with the moment at which it came.
final class RefereeMail: Sendable {
    enum Letter: Sendable {
        case event(BrokerMessage)
        case answer(Referee.Ask, Result<BrokerMessage, BrokerError>)
        /// The stream has the verdict, or why not.
        case stored(BrokerError?)
    }

    /// So many wait at most: what comes on top of them counts as never told.
    private static let most = 16_384

    private let letters = Mutex<[(letter: Letter, at: HostTime)]>([])
    /// Rings when there is something to take, or when it is time.
    let bell: AsyncStream<Void>
    private let ringing: AsyncStream<Void>.Continuation
    private let beginning: ContinuousClock.Instant

    /// - Parameter beginning: the zero of the referee's clock.
    init(beginning: ContinuousClock.Instant) {
        self.beginning = beginning
        (bell, ringing) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// The referee's clock.
    var now: HostTime { HostTime(nanoseconds: (ContinuousClock.now - beginning).wholeNanoseconds) }

    func put(_ letter: Letter) {
        let now = now
        letters.withLock { letters in
            if case .event = letter, letters.count >= Self.most { return }
            letters.append((letter, now))
        }
        ring()
    }

    func ring() { ringing.yield() }

    /// Rings later.
    func ring(in pause: Duration) {
        let nanoseconds = Int(clamping: max(.zero, min(pause, .seconds(60))).wholeNanoseconds)
        DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) { [self] in ring() }
    }

    func take() -> [(letter: Letter, at: HostTime)] {
        letters.withLock { letters in
            defer { letters = [] }
            return letters
        }
    }
}
