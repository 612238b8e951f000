import CNATS
import Synchronization

/// What libnats holds of one connection: used under a lock, and given back once the library itself is done with it.
///
/// A subscription outlives its connection's end. Before 3.6 the library's reading thread takes one up that another thread
/// has just freed (nats.c, issue 637), and the program aborts on a lock that is no more; Debian's is 3.4.1. When the library
/// says that a connection is closed, that thread takes up none any more.
final class BrokerHandle: Sendable {
    private struct Hearing: @unchecked Sendable {
        let number: UInt
        let pointer: OpaquePointer
    }
    private struct State: @unchecked Sendable {
        // The library locks its connections and subscriptions itself.
        var pointer: OpaquePointer?
        var hearings: [Hearing] = []
        /// Nobody asks for it any more.
        var isLetGo = false
        /// Whoever let it go has had the library close it.
        var hasLeft = false
        /// The library is done with it.
        var isClosed = false
    }
    private let state = Mutex(State())
    private let ended: @Sendable () -> Void

    /// - Parameter ended: called once, when the connection ends by itself.
    init(ended: @escaping @Sendable () -> Void) { self.ended = ended }

    /// Takes a connection that was just opened.
    func take(_ pointer: OpaquePointer) { state.withLock { $0.pointer = pointer } }

    /// - Returns: `nil` when the connection was let go.
    func use<Value: Sendable>(_ body: (OpaquePointer) -> Value) -> Value? {
        state.withLock { state in state.isLetGo ? nil : state.pointer.map(body) }
    }

    /// Hears a subject until the connection is let go.
    ///
    /// - Returns: whether the library does.
    func hear(
        _ subject: String, atMost most: Int, _ receive: @escaping @Sendable (BrokerMessage) -> Void
    ) -> Bool {
        let number = BrokerCallbacks.add(.message(receive))
        let hears = state.withLock { state in
            guard !state.isLetGo, let connection = state.pointer else { return false }
            var pointer: OpaquePointer?
            let status = nats_hear(
                connection, subject, Int32(most), 64 << 20, BrokerCallbacks.received, BrokerCallbacks.closure(number),
                &pointer)
            if let pointer { state.hearings.append(Hearing(number: number, pointer: pointer)) }
            return status == nats_fine
        }
        if !hears { BrokerCallbacks.remove(number) }
        return hears
    }

    /// Ends the connection, where it has not ended; nobody is called back from here on.
    func letGo() {
        let past = state.withLock { state -> State? in
            guard !state.isLetGo, state.pointer != nil else { return nil }
            state.isLetGo = true
            return state
        }
        guard let past else { return }
        for hearing in past.hearings { BrokerCallbacks.remove(hearing.number) }
        past.pointer.map(nats_close_connection)
        leave { $0.hasLeft = true }
    }

    /// The library has closed the connection, and none of its threads reads from it.
    func closed() {
        if !state.withLock({ $0.isLetGo }) { ended() }
        leave { $0.isClosed = true }
    }

    /// Gives back what the library holds once both sides are done with it: whoever closes is told so once, by `closed()`.
    private func leave(_ note: (inout State) -> Void) {
        let past = state.withLock { state -> State? in
            note(&state)
            guard state.hasLeft, state.isClosed else { return nil }
            defer { (state.pointer, state.hearings) = (nil, []) }
            return state
        }
        past.map(giveBack)
    }

    private func giveBack(_ past: State) {
        for hearing in past.hearings { nats_free_subscription(hearing.pointer) }
        past.pointer.map(nats_free_connection)
    }
}
