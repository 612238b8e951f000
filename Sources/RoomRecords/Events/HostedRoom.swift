package import RoomEngine
package import SiteRecords
package import WireProtocol

/// An open room as its fronts see it: what may be asked of it, and what it tells. Nothing else of it reaches them.
///
/// Every call may come from any thread, and none of them holds up the room's own.
package protocol HostedRoom: Sendable {
    /// As it was asked for; what is advertised may differ by a number.
    var name: String { get }

    /// Which room it is, also after a restart: 32 hexadecimal digits.
    var identity: String { get }

    /// Carries out what an operator or a game asks by name, and answers it.
    ///
    /// - Throws: ``RoomError``, one line that says what to do.
    func answer(_ request: OperatorRequest) async throws -> OperatorReply

    /// What happens from now on, with `after`, what happened after that event number first.
    func events(after: Int?, motion: Bool) async -> RoomEvents

    /// Asks the room's thread, for whoever must not wait for it.
    ///
    /// - Parameter reply: called once, on the room's thread.
    /// - Returns: false when the room has closed, or has too much to do: then `reply` is never called.
    func ask(_ command: RoomCommand, _ reply: @escaping @Sendable (Result<RoomAnswer, RoomError>) -> Void) -> Bool

    /// The engine's figures with what the room itself knows; `nil` when the engine did not answer.
    func roomStatus(_ state: RoomState?) -> RoomStatus

    /// What another host of its site asks.
    ///
    /// - Throws: ``RoomError``, one line that says what to do.
    func answer(_ request: HostRequest) async throws -> HostReply

    /// Sends a guest of the site's lobby to a free seat, or tells it to wait.
    ///
    /// - Parameter source: whose the guest is, as far as addresses tell.
    func guide(_ guest: LobbyRequest, from source: PeerAddress?) async -> LobbyAnswer

    /// Notes how its way to its site stands, for whoever asks how the room does.
    func note(_ site: SiteStanding)

    /// Returns when the room has closed.
    func untilClosed() async

    /// Returns when nothing is kept any more of those who played in a room that was closed for good.
    ///
    /// - Throws: ``RoomError`` that says what stays, and what to do; also where that is not known in time.
    func untilForgotten() async throws
}
