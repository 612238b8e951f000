import Connections
import Foundation
import NIOCore
import RoomEngine
import RoomRecords
import SessionCoordinator
import WireProtocol

@testable import WebFront

/// What an operator's program writes: lines, each a request; carried out by an engine with two guests. A game's wishes are
/// read from the same lines.
func operate(_ bytes: [UInt8]) {
    var reader = LineReader(limit: OperatorRequest.longestLine)
    guard let lines = try? reader.take(ByteBuffer(bytes: bytes + [UInt8(ascii: "\n")])) else { return }
    var room = OperatedRoom()
    for line in lines.prefix(64) {
        let json = Data(line)
        if let wish = EventSubscription(json: json) {
            var filter = EventFilter(wish)
            precondition(filter.admits(greeting), "a listener is not greeted")
        }
        guard let request = try? JSONDecoder().decode(OperatorRequest.self, from: json) else { continue }
        let again = (try? JSONEncoder().encode(request)).flatMap {
            try? JSONDecoder().decode(OperatorRequest.self, from: $0)
        }
        precondition(again == request, "a request is not what was read")
        if let command = request.command { room.carryOut(command) }
    }
    room.rest()
}

/// What another host of the site asks: a seat for somebody, who then comes with the ticket.
func askAsHost(_ bytes: [UInt8]) {
    guard let request = try? JSONDecoder().decode(HostRequest.self, from: Data(bytes)) else { return }
    let again = (try? JSONEncoder().encode(request)).flatMap { try? JSONDecoder().decode(HostRequest.self, from: $0) }
    precondition(again == request, "a request is not what was read")
    guard let terms = try? request.seat?.terms(numbered: OfferID(rawValue: 7)) else { return }
    var room = OperatedRoom()
    room.carryOut(.offer(terms))
    room.rest()
    room.invite(terms.controller, name: "Third", conversation: 3, ticketHash: terms.ticketHash)
    room.rest()
}

private let greeting = EventRecord.hello(
    EventRecord.Hello(after: 0, at: 0, room: "Fuzz", openedAt: "2026-11-22T09:00:00Z", seats: 3, players: []))

/// An engine with two guests, to whom everything can be done by name.
private struct OperatedRoom {
    private var engine: Engine
    private var now = HostTime(nanoseconds: 1_000_000_000)
    private var asked: UInt64 = 0

    init() {
        engine = Engine(
            configuration: EngineConfiguration(
                room: RoomConfiguration(seats: 3, policy: .open), answersGesturesWithHaptics: true), now: now)
        for guest in UInt64(1)...2 {
            invite(ControllerID(high: 0, low: guest), name: guest == 1 ? "Red" : "Blue", conversation: guest)
        }
        rest()
    }

    mutating func invite(_ controller: ControllerID, name: String, conversation: UInt64, ticketHash: [UInt8]? = nil) {
        let invitation = Invitation(
            controller: controller.description, process: "000000000000000\(conversation)", name: name,
            streams: [StreamOffer(StreamDeclaration())], haptics: true)
        let secret = String(repeating: "\(conversation)", count: 64)
        let material = LinkMaterial(
            motionKey: LinkKey(a: conversation, b: 1, c: 0, d: 0),
            feedbackKey: LinkKey(a: conversation, b: 2, c: 0, d: 0),
            probeKey: LinkKey(a: conversation, b: 3, c: 0, d: 0), secret: secret, secretHash: Array(secret.utf8),
            presentedHash: nil, ticketHash: ticketHash)
        engine.handle(
            .invite(invitation, from: ConversationID(rawValue: conversation), over: .wss, material, source: nil),
            at: now,
            cipher: NoCipher())
    }

    /// Every command has one answer, and an error has words.
    mutating func carryOut(_ command: RoomCommand) {
        asked += 1
        engine.handle(.command(command, RequestID(rawValue: asked)), at: now, cipher: NoCipher())
        var answers = 0
        for output in turn() {
            guard case .answer(RequestID(rawValue: asked), let result) = output else { continue }
            answers += 1
            if case .failure(let error) = result { precondition(!error.message.isEmpty, "an error without words") }
        }
        precondition(answers == 1, "a command has \(answers) answers")
    }

    mutating func rest() { for _ in 0..<20 { _ = turn() } }

    private mutating func turn() -> [RoomOutput] {
        now = now + .milliseconds(500)
        engine.advance(to: now)
        withUnsafeTemporaryAllocation(byteCount: WireFormat.maximumDatagramSize, alignment: 8) { buffer in
            while let feedback = engine.nextFeedback(into: buffer, now: now, cipher: NoCipher()) {
                precondition(feedback.count <= WireFormat.maximumDatagramSize, "feedback is too long")
            }
        }
        for part in engine.load { precondition(part.count <= part.most, "\(part.what): \(part.count)") }
        return engine.takeOutputs()
    }
}
