package import ControllerSession
import Identity
import Synchronization
package import WireProtocol

/// Turns what comes from the host into events for the controller's user, and answers for a user who need not.
package final class EventDesk: Sendable {
    /// Events kept for a slow reader; older ones give way.
    package static let capacity = 256

    package let events: AsyncStream<ControllerEvent>
    private let continuation: AsyncStream<ControllerEvent>.Continuation
    private let haptics: ControllerOptions.Haptics
    private let contents = Mutex(Contents())

    private struct Contents {
        var seat = Seat(seat: 0, player: 0, color: "#7f7f7f", name: "")
        var dropped = 0
    }

    init(haptics: ControllerOptions.Haptics) {
        self.haptics = haptics
        (events, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.capacity))
    }

    package var seat: Seat { contents.withLock { $0.seat } }
    /// Events that a slow reader lost.
    package var dropped: Int { contents.withLock { $0.dropped } }

    package func tell(_ event: ControllerEvent) {
        if case .dropped = continuation.yield(event) { contents.withLock { $0.dropped += 1 } }
    }

    func sit(_ seat: Seat) {
        contents.withLock { $0.seat = seat }
        tell(.seated(seat))
    }

    /// The host calls the controller otherwise.
    func rename(to name: String) {
        let seat: Seat? = contents.withLock { contents in
            guard contents.seat.name != name else { return nil }
            contents.seat.name = name
            return contents.seat
        }
        if let seat { tell(.seated(seat)) }
    }

    /// Nothing follows.
    package func finish() { continuation.finish() }

    /// Takes what the link brought; what it returns is sent back. Called on the link's thread.
    package func take(_ event: LinkEvent) -> LinkMessage? {
        switch event {
        case .message(.haptic(let haptic)): return take(haptic)
        case .message(.seat(let notice)):
            // A place counts from 1; what says otherwise is no place.
            guard notice.seat > 0, notice.player > 0 else { return nil }
            // In one go: at the same moment another thread may take in a new name.
            let seat = contents.withLock { contents in
                contents.seat.move(to: notice)
                return contents.seat
            }
            tell(.seated(seat))
        case .message(.identify): tell(.identify)
        case .message(.application(let bytes)): tell(.message(bytes))
        case .data(let channel, let bytes): tell(.data(channel: channel, bytes: bytes))
        case .message(.hapticReceipt), .message(.rezero), .message(.mark), .message(.detect), .message(.found),
            .message(.unknown), .goodbye:
            break
        }
        return nil
    }

    private func take(_ haptic: Haptic) -> LinkMessage? {
        switch haptics {
        case .none: return .hapticReceipt(HapticReceipt(id: haptic.id, outcome: .refused(.unsupported)))
        case .shown:
            tell(.haptic(haptic))
            return .hapticReceipt(HapticReceipt(id: haptic.id, outcome: .played(at: DeviceClock.now())))
        case .answered:
            tell(.haptic(haptic))
            return nil
        }
    }
}
