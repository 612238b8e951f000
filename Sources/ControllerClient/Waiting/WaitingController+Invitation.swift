import Connections
import Identity
public import WireProtocol

extension WaitingController {
    /// A room's wish that this controller join. Who the room is, its key has proven; whether that is somebody to
    /// follow is for the program or its user to say.
    ///
    /// Dropped without an answer, it is declined.
    public final class Invitation: Sendable {
        /// How the room stands to those that this user trusts.
        public enum Standing: Hashable, Sendable {
            /// It is one of them.
            case known
            /// It was never joined.
            case unknown
            /// It bears the name of one of them, but is another.
            case namesake
        }

        /// Its name safe to print, its identity, its pin, and where it called from.
        public var room: Controller.Room { call.room }
        /// The label of its game; safe to print.
        public var game: String? { call.game }
        /// The application's own bytes, at most 1,024.
        public var context: [UInt8] { call.context }
        /// The seat that is kept, if the host wants this one.
        public var seat: Int? { call.seat }
        /// When it is over if nobody answers.
        public var expiresAt: ContinuousClock.Instant { call.expiresAt }
        /// How the room stands to those that this user trusts.
        public var standing: Standing { call.standing }
        /// Whether the room is one that this user trusts.
        public var isKnown: Bool { standing == .known }
        /// Whether it can be answered still.
        public var isOpen: Bool { call.state.value.isOpen && ContinuousClock.now < expiresAt }

        private let call: IncomingCall
        private let waiting: WaitingController

        init(_ call: IncomingCall, to waiting: WaitingController) {
            self.call = call
            self.waiting = waiting
        }

        deinit { call.decline(Refusal(.declined, message: "Nobody answered.", retryAfter: 5_000)) }

        /// Says yes, joins the room, holds a seat there while `body` does its work, and gives it back. Other invitations
        /// are turned away meanwhile, and the controller is not announced.
        ///
        /// - Parameter change: what shall be otherwise than the waiting controller was told: its streams, say.
        /// - Throws: ``JoinError``: `invitationOver` if it expired, was withdrawn or answered before; otherwise as
        ///   ``withController(_:joining:trust:body:)``, and the host is told why.
        public func accept<Result>(
            _ change: (inout ControllerOptions) -> Void = { _ in }, body: (Controller) async throws -> Result
        ) async throws -> Result {
            guard waiting.take(call) else {
                throw JoinError(.invitationOver, "the invitation to “\(room.name)” is over; ask to be called again")
            }
            defer { waiting.release(call) }
            var options = waiting.options
            change(&options)
            options.called = ControllerOptions.Called(ticket: call.ticket, id: waiting.controllerID)
            do {
                let ticket = try Ticket(
                    addresses: call.addresses, pin: room.pin, code: nil, room: room.name, roomID: room.id)
                return try await withController(options, joining: .ticket(ticket)) { controller in
                    call.state.change { $0 = .joined }
                    return try await body(controller)
                }
            } catch {
                // Nothing changes once it has joined.
                call.end(
                    (error as? JoinError).map { Refusal($0) }
                        ?? Refusal(.declined, message: "It changed its mind.", retryAfter: nil))
                throw error
            }
        }

        /// Says no, with a reason for the operator's screen, at most 200 bytes.
        ///
        /// - Parameters:
        ///   - code: the same for programs.
        ///   - retryAfter: when inviting again makes sense; `nil` when it does not.
        public func decline(
            _ reason: String? = nil, as code: RefusalReason = .declined, retryAfter: Duration? = nil
        ) {
            let message = reason.map { spoken($0, atMost: 200) } ?? "The player said no."
            call.decline(Refusal(code, message: message, retryAfter: retryAfter.map { Int($0.milliseconds) }))
        }

        /// Returns when it cannot be answered any more: it is answered, withdrawn, or its time is over.
        public func untilOver() async {
            _ = await call.state.first(within: max(.zero, expiresAt - .now)) { !$0.isOpen }
        }
    }
}
