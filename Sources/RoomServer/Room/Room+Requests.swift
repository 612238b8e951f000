import Foundation
import Identity
import PrivateFiles
import QRCode
package import RoomEngine
package import RoomRecords
package import SiteRecords
import Synchronization
package import WireProtocol

extension Room: HostedRoom {
    package func ask(
        _ command: RoomCommand, _ reply: @escaping @Sendable (Result<RoomAnswer, RoomError>) -> Void
    ) -> Bool { loop.post(.command(command, reply)) }

    package var identity: String { foundation.authority.roomID.description }

    package func note(_ standing: SiteStanding) { site.withLock { $0 = standing } }

    /// Carries out what an operator or a game asks by name, and answers it.
    ///
    /// - Throws: ``RoomError``, one line that says what to do.
    package func answer(_ request: OperatorRequest) async throws -> OperatorReply {
        if let command = request.command { return OperatorReply(try await carryOut(command)) }
        var reply = OperatorReply()
        switch request.task {
        case .status: reply.status = await status(minute: request.minute ?? false)
        case .ticket:
            reply.ticket = ticket.text
            reply.url = link
            reply.warns = warnsPhones
            reply.code = code?.text
            reply.lobby = lobbyLink
            reply.network = network
            reply.qr = try? QRSymbol(link).svg(label: "QR code: scan to join \(name)")
        case .pages:
            reply.pages = operatorPages
            reply.game = gameLink
            reply.gamePage = gamePage
            reply.screen = screenPage
            reply.network = network
        case .peers: reply.peers = try await peers(matching: request.who, minute: request.minute ?? false)
        case .departed: reply.peers = await departed()
        case .latency: reply.latency = try await latency(of: request.who)
        case .nearby: reply.nearby = waitingControllers
        case .invite: reply.invited = try await invite(request)
        case .withdraw: await withdrawInvitations(to: request.all == true ? nil : request.at ?? request.who ?? "")
        case .accept: reply.accepted = try await acceptAll()
        case .recordStart:
            let options = RecordingOptions(path: try recordingPath(request), consent: request.consent)
            reply.recording = try await startRecording(options) { try checkThatNobodyElseRecords(for: request) }
        case .recordStop: reply.recording = await stopRecording()
        case .recordStatus: reply.recording = recordingStatus
        case .reload:
            guard let reload = reloading.withLock({ $0 }) else {
                throw RoomError(
                    .badOption,
                    "this room was not opened from a file: roomful host --config FILE opens one that can be read anew")
            }
            reply.reload = try await reload()
        case .handover:
            guard let tenure = options.tenure else {
                throw RoomError(
                    .badOption, "this room ends with its host: open it with --site-key, and another host with --standby"
                )
            }
            try tenure.prepareHandover()
            stop(backIn: .seconds(1))
        case .move: reply.moved = try await move(request)
        case .watermarks: reply.watermarks = try await watermarks()
        case .mark: try mark(request.text ?? "")
        case .site: throw RoomError(.badOption, "the whole site is shown by: roomful site, and by the operator's page")
        case .stop:
            guard let backIn = request.backIn else {
                closeForGood()
                break
            }
            stop(backIn: .milliseconds(Int64(min(max(backIn, 0), 86_400_000))))
        default: break
        }
        return reply
    }

    /// A collection ends with whoever collects, and ends nobody's recording.
    private func checkThatNobodyElseRecords(for request: OperatorRequest) throws {
        let standing = recordingStatus
        guard standing.state == .recording, let path = standing.path else { return }
        if URL(fileURLWithPath: path).lastPathComponent.hasPrefix(RoomFile.collecting) {
            throw RoomError(
                .badOption,
                "gestures are collected (roomful teach --collect): wait for that, or end it first: roomful record stop")
        }
        if request.tied == true {
            throw RoomError(.badOption, "the room is being recorded already: end that first (roomful record stop)")
        }
    }

    private func recordingPath(_ request: OperatorRequest) throws -> String {
        if request.tied == true {
            return foundation.folder.path(of: "\(RoomFile.collecting)\(UUID().uuidString.prefix(8)).mcap")
        }
        guard let path = request.path, path.hasPrefix("/") else {
            throw RoomError(.badOption, "a recording's path begins with /")
        }
        return path
    }

    /// Until when everything is known that each player did, and after which event that is so.
    private func watermarks() async throws -> RoomWatermarks {
        let answer: Result<(RoomAnswer, after: Int), RoomError> = await withCheckedContinuation { continuation in
            // What was found out before the answer has its numbers when the answer is given, on the room's thread.
            let isAsked = loop.post(
                .command(.watermarks) { [journal] answer in
                    continuation.resume(returning: answer.map { ($0, journal.last) })
                })
            if !isAsked { continuation.resume(returning: .failure(.roomIsClosed)) }
        }
        guard case (.watermarks(let at, let players, let watched), let after) = try answer.get() else {
            throw RoomError.roomIsClosed
        }
        return RoomWatermarks(at: at, after: after, players, watched: watched, RecordClock(openedAt: openedAt))
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
