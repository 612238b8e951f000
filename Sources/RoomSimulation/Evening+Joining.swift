import ControllerSession
import LinkEmulation
import RoomEngine
import SessionCoordinator
import WireProtocol

/// How controllers come in, and what they hear on their control connections.
extension Evening {
    mutating func newConversation() -> ConversationID {
        conversations += 1
        return ConversationID(rawValue: conversations)
    }

    /// Fresh keys and secrets, none of them ever twice.
    mutating func newMaterial(presenting secret: String?, ticket: String? = nil) -> LinkMaterial {
        secrets += 1
        let next = Self.secret(secrets)
        return LinkMaterial(
            motionKey: LinkKey(a: secrets, b: 1, c: 0, d: 0), feedbackKey: LinkKey(a: secrets, b: 2, c: 0, d: 0),
            probeKey: LinkKey(a: secrets, b: 3, c: 0, d: 0), secret: next, secretHash: Self.hash(next),
            presentedHash: secret.map(Self.hash), ticketHash: ticket.map(Self.hash))
    }

    private static func secret(_ number: UInt64) -> String { number.paddedHex + String(repeating: "5", count: 48) }
    /// Stands for SHA-256.
    static func hash(_ secret: String) -> [UInt8] { Array(secret.utf8.reversed()) }

    /// A controller dials and asks for a seat.
    mutating func ask(_ place: Int) {
        let controller = controllers[place]
        guard controller.isUp, hostSleepsUntil == nil else {
            controllers[place].stay = .asksAt(now + .milliseconds(500))
            return
        }
        let conversation = newConversation()
        finals[conversation] = 0
        controllers[place].stay = .asking(conversation)
        controllers[place].conversation = conversation
        // Now and then the code is mistyped.
        let code = random.chance(0.02) ? "0000-0000" : EveningPlan.code
        let invitation = Invitation(
            controller: controller.id.description, process: controller.process.paddedHex,
            name: "Pad \(controller.number)", streams: controller.declarations.map(StreamOffer.init), haptics: true,
            timeout: 20_000, code: plan.configuration.room.policy == .code ? code : nil, secret: controller.secret,
            wait: controller.isPatient ? true : nil)
        let material = newMaterial(presenting: controller.secret, ticket: controller.ticket)
        line.asks(controller.id, now: now)
        report.note("invitations")
        host.handle(
            .invite(invitation, from: conversation, over: controller.transport, material, source: controller.address),
            at: now)
        serve()
    }

    /// Something was said on a control connection.
    mutating func hear(_ message: ControlMessage, on conversation: ConversationID) {
        switch message {
        case .seated, .refused: if let count = finals[conversation] { finals[conversation] = count + 1 }
        case .goodbye: if finals[conversation] == 0 { finals[conversation] = 1 }
        default: break
        }
        if case .seated(let seated) = message { nonces.grants(seated.link) }
        guard let place = controllers.firstIndex(where: { $0.conversation == conversation }) else {
            if case .seated(let seated) = message, conversation == guestConversation { hostileGuestSits(seated) }
            return
        }
        switch message {
        case .seated(let seated):
            line.seated(controllers[place].id)
            sit(place, seated)
        case .waiting(let waiting):
            guard let number = waiting.place else { return }
            line.told(number, controllers[place].id)
            controllers[place].secret = waiting.secret
            report.note("places in the queue told")
        case .refused(let refusal):
            report.note("refused: \(refusal.reason.rawValue)")
            line.left(controllers[place].id)
            if refusal.reason == .alreadySeated { controllers[place].secret = nil }
            controllers[place].ticket = nil
            controllers[place].stay =
                refusal.reason == .kicked ? .away : .asksAt(now + .milliseconds(Int64(refusal.retryAfter ?? 5_000)))
        case .goodbye(let farewell):
            controllers[place].stay = farewell.reason == .kicked ? .away : .asksAt(now + .seconds(2))
        default: break
        }
    }

    private mutating func sit(_ place: Int, _ seated: Seated) {
        let connection = ConnectionID(rawValue: seated.link.connection)
        // A browser is told no keys: what its packets are dressed up with is the simulation's own business.
        let motion = Hexadecimal.decode(seated.link.motionKey).flatMap { LinkKey(bytes: $0) }
        let feedback = Hexadecimal.decode(seated.link.feedbackKey).flatMap { LinkKey(bytes: $0) }
        let epoch = LinkEpoch(
            connection: connection, sendKey: motion ?? LinkKey(a: secrets, b: 4, c: 0, d: 0),
            receiveKey: feedback ?? LinkKey(a: secrets, b: 5, c: 0, d: 0))
        let blank = LeaseBooks(.timeline(plan.timeline), admittedAt: now)
        books[PeerIndex(connection.index), default: blank].open(
            connection, epoch.sendKey, continues: seated.continues, now: now)
        controllers[place].secret = seated.secret
        controllers[place].epoch = epoch
        controllers[place].linkConversation = controllers[place].conversation
        controllers[place].stay = .seated
        controllers[place].openLink(epoch, continues: seated.continues, now: now)
        if controllers[place].nextSampleAt == nil {
            controllers[place].nextSampleAt = now + .microseconds(Int64(1 + random.next() % 10_000))
        }
        pushes.disturb(controllers[place].id, now: now, until: now + .milliseconds(500))
        report.note(seated.continues ? "links replaced" : "seats taken")
    }

    /// The host closed a connection, after all that it had said there.
    mutating func hangUp(_ conversation: ConversationID) {
        guard let place = controllers.firstIndex(where: { $0.conversation == conversation }) else { return }
        loseControl(place)
    }

    /// A control connection broke; a browser's link breaks with it.
    mutating func loseControl(_ place: Int) {
        controllers[place].conversation = nil
        if case .asking = controllers[place].stay { controllers[place].stay = .asksAt(now + .seconds(1)) }
        if controllers[place].stay == .seated, controllers[place].transport.isReliable {
            controllers[place].stay = .asksAt(now + .milliseconds(300))
        }
    }

    /// The controller's end of the connection is gone, and the host notices.
    mutating func disconnect(_ place: Int) {
        guard let conversation = controllers[place].conversation else { return }
        if finals[conversation] == 0 { finals[conversation] = nil }
        line.lostConnection(controllers[place].id, now: now)
        loseControl(place)
        host.handle(.disconnected(conversation), at: now)
        serve()
    }

    private mutating func hostileGuestSits(_ seated: Seated) {
        guard let bytes = Hexadecimal.decode(seated.link.motionKey), let key = LinkKey(bytes: bytes) else { return }
        guest.seated(ConnectionID(rawValue: seated.link.connection), key)
    }
}
