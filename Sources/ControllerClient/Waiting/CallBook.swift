import Connections
import Datagrams
import WireProtocol

/// The calls that a waiting controller has had: a few that are open, and the last that have ended, for hosts that ask
/// again what was answered.
struct CallBook: Sendable {
    static let mostOpen = 4
    static let mostEnded = 16

    private var calls: [IncomingCall] = []

    /// Takes in a call.
    ///
    /// - Returns: the call to follow, and whether it is new; or why there is no place for it.
    mutating func admit(_ call: IncomingCall) -> Result<(call: IncomingCall, isNew: Bool), RefusedCall> {
        if let same = calls.first(where: { $0.key == call.key }) { return .success((same, false)) }
        if calls.contains(where: { $0.state.value.isTaken }) {
            return .failure(RefusedCall(.busy, "It plays in another room.", retryAfter: 30_000))
        }
        let open = calls.filter(\.state.value.isOpen)
        if open.count >= Self.mostOpen {
            let busy = RefusedCall(.busy, "It has other invitations to answer first.", retryAfter: 10_000)
            // Rooms that were never joined stand in no known room's way.
            guard call.standing == .known, let stranger = open.first(where: { $0.standing != .known }) else {
                return .failure(busy)
            }
            stranger.decline(busy.refusal)
        }
        calls.append(call)
        let ended = calls.indices.filter { !calls[$0].state.value.isOpen }
        if ended.count > Self.mostEnded { calls.remove(at: ended[0]) }
        return .success((call, true))
    }

    /// The controller follows one of them: the others hear that it does.
    func turnAway(allBut taken: IncomingCall) {
        let refusal = Refusal(.busy, message: "It follows another invitation.", retryAfter: 30_000)
        for call in calls where call !== taken { call.decline(refusal) }
    }

    /// The controller's stay is over: it can be called again, and the same invitation is over.
    mutating func forget(_ call: IncomingCall) { calls.removeAll { $0 === call } }

    /// Nobody waits any more.
    func close() {
        for call in calls { call.decline(Refusal(.declined, message: "It does not wait any more.")) }
    }
}
