package import Connections
import Datagrams
package import NIOCore
import WireProtocol

extension WaitingController {
    /// Tells the host what becomes of its offer, until that is known, or the host is gone.
    package func tell(
        _ call: IncomingCall, to outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>,
        hearing talk: inout CallTalk, on channel: any Channel
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                var told: IncomingCall.State?
                while let state = await call.next(after: told), !Task.isCancelled {
                    try await outbound.write(call.message(for: state).line)
                    told = state
                    if state == .joined { break }
                    if case .ended = state { break }
                }
                try? await channel.close()
            }
            defer { group.cancelAll() }
            while let message = try await talk.next() {
                if case .withdrawn(let refusal) = message { call.decline(refusal.spokenSafely) }
            }
        }
    }
}

extension IncomingCall {
    /// The state as soon as it is another than the one told last; one that is asked for too long has expired.
    fileprivate func next(after told: State?) async -> State? {
        guard told == .asked else { return await state.first { $0 != told } }
        if let answer = await state.first(within: expiresAt - .now, where: { $0 != told }) { return answer }
        guard !Task.isCancelled else { return nil }
        decline(.expired)
        return state.value
    }

    fileprivate func message(for state: State) -> CallMessage {
        switch state {
        case .asked: .waiting(Waiting(timeout: max(1, Int((expiresAt - .now).milliseconds))))
        case .accepted: .accepted
        case .joined: .joined
        case .ended(let refusal): .refused(refusal)
        }
    }
}
