package import Foundation
package import WireProtocol

/// A seat as it outlives the host: who holds it, and what proves that a returning controller is the same one.
package struct StoredLease: Hashable, Sendable {
    package var controller: ControllerID
    /// Counted from 1; no two leases of a room have the same.
    package var seat: Int
    package var player: PlayerNumber
    /// The player's name as the room shows it.
    package var name: String
    /// `#rrggbb`.
    package var color: String
    /// SHA-256 of the resumption secret that the controller was given last: the secret itself is never kept.
    package var secretHash: [UInt8]
    /// SHA-256 of the secret before that, valid until the first datagram under the new keys.
    package var previousSecretHash: [UInt8]?
    /// Wall time of the last change, in whole milliseconds; for people and for tidying up, never for deciding.
    package var updatedAt: Date

    package init(
        controller: ControllerID, seat: Int, player: PlayerNumber, name: String, color: String, secretHash: [UInt8],
        previousSecretHash: [UInt8]? = nil, updatedAt: Date
    ) {
        self.controller = controller
        self.seat = seat
        self.player = player
        self.name = name
        self.color = color
        self.secretHash = secretHash
        self.previousSecretHash = previousSecretHash
        self.updatedAt = Date(unixMilliseconds: updatedAt.unixMilliseconds)
    }
}

/// One change to a room's leases; several together are one transaction.
package enum StoredLeaseChange: Hashable, Sendable {
    /// Enters the lease, in place of what the controller had, and of whoever had the seat.
    case upsert(StoredLease)
    /// Gives the controller's seat up, and forgets what it taught.
    case remove(ControllerID)

    package var controller: ControllerID {
        switch self {
        case .upsert(let lease): lease.controller
        case .remove(let controller): controller
        }
    }
}

extension Date {
    /// Whole milliseconds since 1970, at most ± 200,000 years.
    var unixMilliseconds: Int64 {
        let milliseconds = (timeIntervalSince1970 * 1000).rounded()
        return Int64(exactly: max(-6e15, min(6e15, milliseconds))) ?? 0
    }

    init(unixMilliseconds: Int64) { self.init(timeIntervalSince1970: Double(unixMilliseconds) / 1000) }
}
