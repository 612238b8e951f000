import Foundation
import QRCode

extension Room {
    /// Carries out what an operator or a game asks by name, and answers it.
    ///
    /// - Throws: ``RoomError``, one line that says what to do.
    func answer(_ request: OperatorRequest) async throws -> OperatorReply {
        switch request.task {
        case .status: return OperatorReply(status: await status(minute: request.minute ?? false))
        case .ticket:
            var reply = OperatorReply(ticket: ticket.text, url: link)
            reply.warns = warnsPhones
            reply.qr = try? QRSymbol(link).svg(label: "QR code: scan to join \(name)")
            return reply
        case .pages:
            var reply = OperatorReply()
            reply.pages = operatorPages
            return reply
        case .peers:
            return OperatorReply(peers: try await peers(matching: request.who, minute: request.minute ?? false))
        case .departed: return OperatorReply(peers: await departed())
        case .latency: return OperatorReply(latency: try await latency(of: request.who))
        case .nearby:
            var reply = OperatorReply()
            reply.nearby = waitingControllers
            return reply
        case .invite:
            var reply = OperatorReply()
            reply.invited = try await invite(request)
            return reply
        case .withdraw: await withdrawInvitations(to: request.all == true ? nil : request.at ?? request.who ?? "")
        case .accept: try await accept(request.who)
        case .decline: try await decline(request.who, message: request.message)
        case .kick: try await kick(request.who ?? "", message: request.message)
        case .lock: await lock()
        case .unlock: await unlock()
        case .identify: try await identify(request.who ?? "")
        case .rezero: try await rezero(request.who ?? "")
        case .seatMove: try await move(request.who ?? "", toSeat: request.seat ?? 0)
        case .seatSwap: try await swap(request.who ?? "", with: request.other ?? "")
        case .rename: try await rename(request.who ?? "", to: request.name ?? "")
        case .play:
            try await play(
                on: request.who ?? "", intensity: request.intensity ?? 0.7, sharpness: request.sharpness ?? 0.5,
                duration: .milliseconds(Int64(min(max(request.duration ?? 60, 0), 5_000))),
                answering: request.gesture)
        case .send: try await send(Array((request.text ?? "").utf8), to: request.who ?? "")
        case .teach:
            try await teach(request.gesture ?? "", to: request.who ?? "", times: request.times ?? 3)
        case .lessonCancel: try await cancelLesson(of: request.who ?? "")
        case .taught: return OperatorReply(taught: try await taught(by: request.who))
        case .taughtRename:
            try await renameTaught(request.gesture ?? "", of: request.who ?? "", to: request.name ?? "")
        case .taughtRemove: try await removeTaught(request.gesture ?? "", of: request.who ?? "")
        case .sensitivity: try await setSensitivity(request.value ?? .nan, of: request.who ?? "")
        case .stop: stop()
        case .events: break
        }
        return OperatorReply()
    }

    private func invite(_ request: OperatorRequest) async throws -> [InvitationOutcome] {
        let context = Array((request.message ?? "").utf8)
        let timeout = Duration.milliseconds(Int64(min(max(request.timeout ?? 120_000, 0), 3_600_000)))
        if request.all == true { return try await inviteAll(context: context, timeout: timeout) }
        if let address = request.at {
            return [try await invite(at: address, seat: request.seat, context: context, timeout: timeout)]
        }
        return [try await invite(request.who ?? "", seat: request.seat, context: context, timeout: timeout)]
    }
}
