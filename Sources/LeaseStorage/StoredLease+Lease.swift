package import Foundation
package import SessionCoordinator
import WireProtocol

extension Lease {
    package init(_ stored: StoredLease) {
        self.init(
            controller: stored.controller, seat: stored.seat, player: stored.player, name: stored.name,
            color: UInt32(stored.color.dropFirst(), radix: 16) ?? 0x7F7F7F, secretHash: stored.secretHash,
            previousSecretHash: stored.previousSecretHash)
    }
}

extension StoredLeaseChange {
    /// The coordinator's change as the store keeps it.
    package init(_ change: LeaseChange, at date: Date) {
        switch change {
        case .remove(let controller): self = .remove(controller)
        case .keep(let lease):
            self = .upsert(
                StoredLease(
                    controller: lease.controller, seat: lease.seat, player: lease.player, name: lease.name,
                    color: SeatColor.text(lease.color), secretHash: lease.secretHash,
                    previousSecretHash: lease.previousSecretHash, updatedAt: date))
        }
    }
}
