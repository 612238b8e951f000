// What a controller or a host can say over TLS before anyone knows who it is: control messages, read as the shell does.

import Foundation
import SessionCoordinator
import WireProtocol

/// Called by libFuzzer with bytes of its choice; a trap or a broken promise is a finding.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzControl(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Data(UnsafeRawBufferPointer(start: start, count: count))
    guard let message = try? JSONDecoder().decode(ControlMessage.self, from: bytes) else { return 0 }
    guard let written = try? JSONEncoder().encode(message) else {
        preconditionFailure("a message that was read cannot be written")
    }
    let again = try? JSONDecoder().decode(ControlMessage.self, from: written)
    precondition(again == message, "a message is not what was read")
    precondition(message.type.count <= 64 || message.isKnown, "a strange type was not cut")
    switch message {
    case .invite(let invitation): for policy in RoomConfiguration.Policy.allCases { invite(invitation, policy) }
    case .status(let status): hear(status.lastSent, nil)
    case .goodbye(let farewell): hear(nil, farewell)
    case .seated(let seated): read(seated)
    case .sensor(let report): read(report)
    case .offer(let offer): read(offer)
    case .hello, .waiting, .refused, .renamed, .buttons, .recording, .unknown, .unrecognised: break
    }
    return 0
}

extension ControlMessage {
    fileprivate var isKnown: Bool { if case .unrecognised = self { false } else { true } }
}

private let now = HostTime(nanoseconds: 1_000_000_000)
private let conversation = ConversationID(rawValue: 1)

private func material(_ invitation: Invitation) -> LinkMaterial {
    let key = LinkKey(a: 1, b: 2, c: 3, d: 4)
    return LinkMaterial(
        motionKey: key, feedbackKey: key, probeKey: key, secret: String(repeating: "5", count: 64), secretHash: [1],
        presentedHash: invitation.secret.map { Array($0.utf8.prefix(32)) })
}

/// Every invitation is answered at once, and a seat only once it is safe.
private func invite(_ invitation: Invitation, _ policy: RoomConfiguration.Policy) {
    var room = Coordinator(configuration: RoomConfiguration(seats: 2, policy: policy, code: "ABC"), now: now)
    let actions = room.invite(invitation, from: conversation, material: material(invitation), now: now)
    let answers = actions.compactMap { action -> ControlMessage? in
        switch action {
        case .answer(conversation, let message): message
        case .commit(_, thenAnswer: conversation, let message): message
        default: nil
        }
    }
    precondition(answers.count == 1, "an invitation is answered once")
    switch answers[0] {
    case .refused(let refusal):
        precondition(actions.contains(.close(conversation)), "who is refused stays connected")
        precondition(room.freeSeats == 2 && !refusal.message.isEmpty, "a refused controller holds a seat")
    case .waiting:
        precondition(policy == .ask && room.freeSeats == 2, "only the operator's room keeps anyone waiting")
        guard case .success = room.accept(nil, now: now) else { preconditionFailure("who waits cannot be let in") }
        precondition(room.freeSeats == 1, "who was let in has no seat")
    case .seated(let seated):
        precondition(room.freeSeats == 1 && (1...2).contains(seated.seat), "a seat beyond the room")
        precondition(seated.name.utf8.count <= 63 && !seated.name.isEmpty, "a name that nobody can read")
        precondition(
            !seated.name.unicodeScalars.contains { $0.properties.generalCategory == .control },
            "a control character in a name")
        read(seated)
        let second = room.invite(invitation, from: conversation, material: material(invitation), now: now)
        precondition(room.freeSeats == 1 && !second.isEmpty, "one controller holds two seats")
    default: preconditionFailure("no answer to an invitation")
    }
    precondition(room.reports(now: now).count == 2 - room.freeSeats, "seats and reports differ")
}

/// What a page says of its sensor reaches a screen: words of letters alone, and no number that is none.
private func read(_ report: SensorReport) {
    let clean = report.sanitised
    precondition(clean.sanitised == clean, "what was cleaned is not clean")
    precondition(clean.permission?.utf8.allSatisfy { (0x61...0x7A).contains($0) } ?? true, "a word of something else")
    for number in [
        clean.rate, clean.longestGap, clean.longestStall, clean.accelerationStep, clean.rotationStep, clean.timeStep,
    ] {
        precondition(number.map { $0.isFinite && $0 >= 0 } ?? true, "a figure that is none")
    }
}

/// What a stranger says before it has a seat changes nothing.
private func hear(_ lastSent: UInt32?, _ farewell: Farewell?) {
    var room = Coordinator(configuration: RoomConfiguration(seats: 1, policy: .open), now: now)
    if let lastSent { room.learn(lastSent: lastSent, from: conversation) }
    if let farewell {
        precondition(room.goodbye(farewell, from: conversation, now: now) == [], "a stranger's goodbye did something")
    }
    precondition(room.freeSeats == 1 && room.takeActions() == [], "a stranger changed the room")
}

/// What a controller that plays takes from another room's invitation.
private func read(_ offer: RoomOffer) {
    for digits in [offer.controller, offer.room, offer.pin, offer.ticket, offer.context ?? ""] {
        guard let bytes = Hexadecimal.decode(digits) else { continue }
        precondition(Hexadecimal.encode(bytes) == digits.lowercased(), "hexadecimal digits were lost")
    }
}

/// What a controller takes from a seat.
private func read(_ seated: Seated) {
    for text in [seated.link.motionKey, seated.link.feedbackKey, seated.secret] {
        guard let bytes = Hexadecimal.decode(text) else { continue }
        precondition(bytes.count * 2 == text.utf8.count, "hexadecimal digits were lost")
        if let key = LinkKey(bytes: bytes) { precondition(key.withUnsafeBytes { $0.elementsEqual(bytes) }, "a key") }
    }
    let connection = ConnectionID(rawValue: seated.link.connection)
    precondition(
        ConnectionID(index: connection.index, generation: connection.generation) == connection,
        "a connection id is its index and its generation")
}
