import Logging
package import WireProtocol

extension HostedRoom {
    /// Leaves the line that an operator's command leaves in the log, by whichever door it came; a question leaves none.
    package func audit(_ request: OperatorRequest, by door: String) {
        guard let line = request.auditLine else { return }
        Logger("roomful.operator", ofRoom: name).notice("\(line), by the \(door)")
    }
}

extension RoomError {
    /// What went wrong, in words for whoever asked: the room's own, or those of what it was in need of.
    package static func of(_ error: any Error) -> RoomError {
        if error is CancellationError { return RoomError(.closed, "the room closes") }
        return error as? RoomError ?? RoomError(.network, "\(error)")
    }
}
