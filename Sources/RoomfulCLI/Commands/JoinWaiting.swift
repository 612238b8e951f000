import Foundation
import Roomful
import WireProtocol

/// `roomful join --wait`: waits until a host calls this controller, and joins what its user, or its trust, allows.
struct JoinWaiting: Sendable {
    let options: ControllerOptions
    let port: UInt16
    /// Pins that were given on the command line.
    let trusted: [Pin]
    let reporter: JoinReporter

    private struct Line: Encodable {
        var type: String
        var name: String?
        var id: String?
        var port: Int?
        var pin: String?
        var discovery: String?
        var room: String?
        /// Whence it called, `host:port`.
        var address: String?
        var game: String?
        /// How the room stands to those that this user trusts: `known`, `unknown` or `namesake`.
        var standing: String?
        /// Milliseconds until the invitation is over.
        var expiresIn: Int?
        var seat: Int?
        var context: String?
        var text: String?
    }

    /// Waits for one call that leads into a room, and for the end of `stay` there. Ctrl-C ends it in order, so that
    /// nobody goes on calling.
    func run(_ stay: @escaping @Sendable (Controller) async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await wait(stay) }
            group.addTask { await EndSignals.first() }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    private func wait(_ stay: @Sendable (Controller) async throws -> Void) async throws {
        try await withWaitingController(options, port: port) { waiting in
            let announcing = Task { try await announce(waiting) }
            defer { announcing.cancel() }
            var strangers = StrangersCalls()
            for await invitation in waiting.invitations {
                let isTrusted = invitation.isKnown || trusted.contains(invitation.room.pin)
                guard isTrusted || strangers.admits(at: .now) else {
                    invitation.decline(
                        "Too many rooms call that it does not know.", as: .busy, retryAfter: StrangersCalls.span)
                    continue
                }
                try tell(invitation)
                guard try await isWelcome(invitation) else { continue }
                do {
                    let controller = try await invitation.accept(body: { controller in
                        try await stay(controller)
                        return controller
                    })
                    return await reporter.tellSummary(of: controller)
                } catch let error as JoinError {
                    // Nobody has joined: the next call may do better.
                    Failure.say("\(error)")
                }
            }
        }
    }

    /// Says where the controller waits, as soon as its announcement stands.
    private func announce(_ waiting: WaitingController) async throws {
        for await discovery in waiting.discoveryChanges {
            try say(
                Line(
                    type: "waiting", name: waiting.name, id: waiting.id, port: Int(waiting.port),
                    pin: waiting.pin.description, discovery: discovery),
                "\(waiting.name) waits to be called at port \(waiting.port); \(discovery)")
        }
    }

    private func tell(_ invitation: WaitingController.Invitation) throws {
        let room = invitation.room
        let words = String(validating: invitation.context, as: UTF8.self).map { text in
            String(text.unicodeScalars.filter { $0.properties.generalCategory != .control }.map(Character.init))
        }
        let (standing, code) =
            switch invitation.standing {
            case .known: ("known here", "known")
            case .unknown: ("not known here yet", "unknown")
            case .namesake: ("NOT the room that is known here under this name", "namesake")
            }
        let seat = invitation.seat.map { ", to seat \($0)" } ?? ""
        let name = TerminalText.isolated(room.name)
        let message = words.flatMap { $0.isEmpty ? nil : ": \($0)" } ?? ""
        try say(
            Line(
                type: "invitation", pin: room.pin.description, room: room.name, address: room.address,
                game: invitation.game, standing: code,
                expiresIn: max(0, Int((invitation.expiresAt - .now) / .milliseconds(1))), seat: invitation.seat,
                context: words, text: standing),
            "“\(name)” (\(standing), pin \(room.pin.short)) calls from \(room.address)\(seat)\(message)")
    }

    /// Nothing is accepted by default: a person decides, or the trust that was given before.
    private func isWelcome(_ invitation: WaitingController.Invitation) async throws -> Bool {
        let room = invitation.room
        guard Terminal.canAsk else {
            if invitation.isKnown || trusted.contains(room.pin) { return true }
            invitation.decline(
                "It does not know this room, and nobody is at its screen: start it with --fingerprint or --code-file, "
                    + "or join the room once.", as: .untrusted)
            try say(
                Line(type: "declined", room: room.name),
                "declined: “\(TerminalText.isolated(room.name))” is not known; trust it with --fingerprint \(room.pin)")
            return false
        }
        let isVouchedFor = invitation.isKnown || trusted.contains(room.pin)
        let question =
            isVouchedFor ? "Join? [y/N] " : "Does the host's screen show the same pin, and do you join? [y/N] "
        Failure.write(question)
        guard let answer = await TypedLines.shared.next(before: { await invitation.untilOver() }) else {
            Failure.say("too late: the invitation is over")
            return false
        }
        if answer.lowercased().hasPrefix("y") { return true }
        invitation.decline()
        return false
    }

    private func say(_ line: Line, _ text: String) throws {
        Terminal.print(reporter.json ? try Terminal.json(line) : text)
    }
}

/// How often strangers' calls are told: ten times a minute. Whoever can reach the port may call, and each call is a line of
/// the log, or a question to a person.
struct StrangersCalls {
    static let span: Duration = .seconds(60)
    private static let most = 10

    private var told: [ContinuousClock.Instant] = []

    mutating func admits(at now: ContinuousClock.Instant) -> Bool {
        told.removeAll { now - $0 >= Self.span }
        guard told.count < Self.most else { return false }
        told.append(now)
        return true
    }
}
