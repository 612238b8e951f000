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
        tellSeat { place in
            place = seat
            return true
        }
    }

    /// The host calls the controller otherwise.
    func rename(to name: String) {
        tellSeat { place in
            guard place.name != name else { return false }
            place.name = name
            return true
        }
    }

    /// The host records the room from now on, or not any more.
    func note(isRecorded: Bool) {
        tellSeat { place in
            guard place.isRecorded != isRecorded else { return false }
            place.isRecorded = isRecorded
            return true
        }
    }

    /// Tells what the change makes of the place, if it is one. In one go: at the same moment another thread may take in
    /// another change, and what is told last must be how it stands.
    private func tellSeat(after change: (inout Seat) -> Bool) {
        contents.withLock { contents in
            guard change(&contents.seat) else { return }
            if case .dropped = continuation.yield(.seated(contents.seat)) { contents.dropped += 1 }
        }
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
            tellSeat { place in
                place.move(to: notice)
                return true
            }
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
