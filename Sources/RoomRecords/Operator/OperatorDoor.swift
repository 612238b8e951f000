import Logging
import RoomEngine
package import WireProtocol

extension HostedRoom {
    /// Leaves the line that an operator's command leaves in the log, by whichever door it came; a question leaves none.
    ///
    /// Said before the command is: afterwards nobody may be here who bears that name.
    package func audit(_ request: OperatorRequest, by door: String) {
        let logger = Logger("roomful.operator", ofRoom: name)
        @Sendable func log(_ state: RoomState?) {
            if let line = request.auditLine(state) { logger.notice("\(line), by the \(door)") }
        }
        // Who is called so in another room is known there.
        let asks = request.namesSomebody && request.room == nil && !OperatorRequest.questions.contains(request.task)
        let isAsked =
            asks
            && ask(.status(minute: false)) { answer in
                if case .success(.status(let state)) = answer { log(state) } else { log(nil) }
            }
        if !isAsked { log(nil) }
    }
}

extension RoomError {
    /// What went wrong, in words for whoever asked: the room's own, or those of what it was in need of.
    package static func of(_ error: any Error) -> RoomError {
        if error is CancellationError { return RoomError(.closed, "the room closes") }
        return error as? RoomError ?? RoomError(.network, "\(error)")
    }
}
