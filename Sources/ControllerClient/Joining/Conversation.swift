import Identity
import WireProtocol

/// What a host has said on one control connection so far: one of each kind, and no more.
///
/// However much a host talks, it fills no memory here. What it says as text is made printable where it comes in.
struct Conversation: Hashable, Sendable {
    var greeting: RoomGreeting?
    var waiting: Waiting?
    var answer: Answer?
    var farewell: Farewell?
    /// What the host calls the controller by now; `nil` while that is what it said with the seat.
    var newName: String?
    /// Whether the host records the room by now; `nil` while that is what it said with the seat.
    var isRecorded: Bool?
    /// The newest offer of a seat in another room.
    var offer: RoomOffer?
    /// The connection is gone, or what came could not be understood.
    var isClosed = false

    enum Answer: Hashable, Sendable {
        case seated(Seated)
        case refused(Refusal)
    }

    /// Takes what the host said; what only controllers say, or nobody yet, changes nothing.
    mutating func hear(_ message: ControlMessage) {
        switch message {
        case .hello(var body):
            body.name = spoken(body.name, atMost: 63)
            body.game = body.game.map { spoken($0, atMost: 63) }
            body.policy = spoken(body.policy, atMost: 16)
            greeting = greeting ?? body
        // The newest: a place in the queue changes.
        case .waiting(let body): waiting = body
        case .seated(let body): answer = answer ?? .seated(body)
        case .refused(var body):
            body.message = spoken(body.message, atMost: 200)
            body.retryAfter = body.retryAfter.map { min(max(0, $0), 3_600_000) }
            answer = answer ?? .refused(body)
        case .goodbye(var body):
            body.message = body.message.map { spoken($0, atMost: 200) }
            body.backIn = body.backIn.map { min(max(0, $0), 86_400_000) }
            farewell = farewell ?? body
        case .offer(var body):
            body.name = spoken(body.name, atMost: 63)
            offer = body
        case .renamed(let body):
            let name = spoken(body.name, atMost: 63)
            if !name.isEmpty { newName = name }
        case .recording(let body): isRecorded = body.recorded
        case .unknown, .unrecognised, .invite, .status, .sensor, .buttons: break
        }
    }
}
