import ControlPort
import Datagrams
import EveningFiles
import FlightRecorder
import RoomEngine
import WireProtocol

/// What other threads hand to the one that owns the room. Nothing else ever reaches it but datagrams and time.
enum LoopInput: Sendable {
    case control(ControlInput)
    /// A question, and whom to tell the answer.
    indirect case command(RoomCommand, @Sendable (Result<RoomAnswer, RoomError>) -> Void)
    /// This recorder keeps everything from now on, in place of the one before; and whom to tell that it is so.
    case record(RoomRecorder?, @Sendable () -> Void)
    /// What a recorded evening goes on with, and when it was.
    case replay([(entry: TapeEntry, at: HostTime)])
    case close(backIn: Duration?)
    /// Another host owns the room: the thread ends, and says nothing to anybody.
    case abandon
}

extension LoopInput {
    /// Guests' datagrams never keep out what they do not like, and nothing keeps out that a connection or the room ends:
    /// of those there are no more than connections.
    var sort: Mailbox<LoopInput>.Sort {
        switch self {
        case .control(.datagram): .bulk
        case .close, .abandon, .control(.input(.disconnected)): .vital
        case .control(.input), .command, .record, .replay: .ordinary
        }
    }
}
