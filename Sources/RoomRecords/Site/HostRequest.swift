import InputMerge
package import RoomEngine
package import SessionCoordinator
package import SiteRecords
package import WireProtocol

/// What one host of a site asks another, at `rf.SITE.ROOM.host`: a seat in that room for somebody whom it sends.
///
/// The ticket that admits stays with who asks: only its hash travels, and the ticket itself reaches nobody but the controller.
package struct HostRequest: Hashable, Sendable, Codable {
    package enum Task: String, Hashable, Sendable, Codable {
        /// Keep a seat for somebody.
        case promise
        /// Say how a promise ended, once it has.
        case outcome
        /// Take a promise back, unless somebody has come by it, and say how it ended.
        case takeBack
    }

    /// The form's version.
    package var v = 1
    package var task: Task
    /// For `promise`.
    package var seat: SeatWish?
    /// For the others: the promise's number, 16 hexadecimal digits.
    package var offer: String?
    /// For `outcome`: how long who asks waits for the answer, ms.
    package var timeout: Double?

    package init(_ task: Task, seat: SeatWish? = nil, offer: String? = nil, timeout: Double? = nil) {
        (self.task, self.seat, self.offer, self.timeout) = (task, seat, offer, timeout)
    }
}

/// For whom a seat is to be kept.
package struct SeatWish: Hashable, Sendable, Codable {
    /// 32 hexadecimal digits.
    package var controller: String
    /// SHA-256 of the ticket that will be brought, 64 hexadecimal digits.
    package var ticketHash: String
    /// For how long, ms: 1,000 to 600,000.
    package var timeout: Double
    /// From 1; any that is free, where none is named.
    package var seat: Int?
    /// Who the player is in the room that it leaves.
    package var player: Player?
    /// It comes by a lobby, whose rooms play this game; then the room judges whether it takes such guests.
    package var lobby: Lobby?

    package struct Player: Hashable, Sendable, Codable {
        package var name: String
        /// 0xRRGGBB.
        package var color: UInt32
        package var talents: PlayerTalents

        package init(name: String, color: UInt32, talents: PlayerTalents) {
            (self.name, self.color, self.talents) = (name, color, talents)
        }
    }

    package struct Lobby: Hashable, Sendable, Codable {
        package var game: String?
        /// It asks only whether it has its seat there already: none is kept for it.
        package var returns: Bool?

        package init(game: String?, returns: Bool? = nil) { (self.game, self.returns) = (game, returns) }
    }

    package init(
        controller: String, ticketHash: String, timeout: Double, seat: Int? = nil, player: Player? = nil,
        lobby: Lobby? = nil
    ) {
        (self.controller, self.ticketHash, self.timeout) = (controller, ticketHash, timeout)
        (self.seat, self.player, self.lobby) = (seat, player, lobby)
    }
}

extension SeatWish {
    /// So many taught gestures are taken from another room.
    private static let mostTaught = 32

    /// What the room's engine is told, once the wish makes sense.
    ///
    /// - Throws: ``RoomError``, one line that says what does not.
    package func terms(numbered id: OfferID) throws(RoomError) -> OfferTerms {
        guard let controller = ControllerID(self.controller), let hash = Hexadecimal.decode(ticketHash),
            hash.count == 32, (1_000...600_000).contains(timeout)
        else { throw RoomError(.badOption, "the promise's terms make no sense to this version") }
        if let player, player.name.utf8.count > 63 {
            throw RoomError(.badOption, "the player's name is longer than 63 bytes")
        }
        if let talents = player?.talents {
            if let problem = talents.gestures.compactMap(\.problem).first { throw RoomError(.badOption, problem) }
            guard talents.gestures.count <= Self.mostTaught, (0.5...2).contains(talents.sensitivity) else {
                throw RoomError(.badOption, "the player brings more than a room takes")
            }
        }
        return OfferTerms(
            id: id, controller: controller, seat: seat, ticketHash: hash, timeout: .milliseconds(Int64(timeout)),
            player: player.map { MovingPlayer(name: $0.name, color: $0.color) }, talents: player?.talents)
    }
}

/// What the other host answers.
package struct HostReply: Hashable, Sendable, Codable {
    package var error: OperatorReply.Failure?
    package var promise: SeatPromise?
    package var outcome: SeatOutcome?

    package init(promise: SeatPromise) { self.promise = promise }
    package init(outcome: SeatOutcome) { self.outcome = outcome }
    package init(_ error: RoomError) { self.error = OperatorReply.Failure(error) }
}

/// A seat that a room keeps, and where the room is.
package struct SeatPromise: Hashable, Sendable, Codable {
    /// The promise's number, 16 hexadecimal digits; absent where the controller has a seat there already.
    package var offer: String?
    /// 32 and 64 hexadecimal digits.
    package var room: String
    package var pin: String
    package var name: String
    package var game: String?
    package var port: UInt16
    /// `host:port`, the best first.
    package var addresses: [String]
    /// Where a page finds it; holds no code.
    package var link: String
    /// Whether browsers will warn of its certificate.
    package var warns: Bool

    package init(
        offer: String?, room: String, pin: String, name: String, game: String?, port: UInt16, addresses: [String],
        link: String, warns: Bool
    ) {
        (self.offer, self.room, self.pin, self.name, self.game) = (offer, room, pin, name, game)
        (self.port, self.addresses, self.link, self.warns) = (port, addresses, link, warns)
    }
}

/// How a promise ended: with a seat and a player, or with a reason.
package struct SeatOutcome: Hashable, Sendable, Codable {
    /// From 1; absent where nobody has come.
    package var seat: Int?
    package var player: Int?
    /// Why not, in words; absent where somebody has come.
    package var message: String?

    package init(seat: Int, player: Int) { (self.seat, self.player) = (seat, player) }
    package init(message: String) { self.message = message }

    /// What it means for a player's way to another room.
    package var input: SeatMove.Input {
        if let seat, let player { return .seated(seat: seat, player: player) }
        return .ended(message ?? "the other room gave no reason")
    }
}
