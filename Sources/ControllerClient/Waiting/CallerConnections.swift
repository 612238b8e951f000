import Connections
import Datagrams
import NIOCore
import Synchronization
import WireProtocol

/// The connections of one waiting controller's port: who has called, and who has only come.
///
/// Nobody is turned away who comes last: where there are too many, the oldest goes, of the same address first. So whoever
/// holds connections open and says nothing stands in nobody's way who says an offer at once.
final class CallerConnections: Sendable {
    /// Those that have said no offer yet: of one address, and in all.
    static let mostSilent = (ofOneAddress: 2, inAll: 8)
    /// Those that wait for the answer to an offer.
    static let mostSpeaking = (ofOneAddress: 8, inAll: 16)

    private struct Guest {
        let channel: any Channel
        /// Without its port; `nil` where it cannot be told.
        let address: PeerAddress?
        var hasSpoken = false
    }

    /// Oldest first.
    private let guests = Mutex<[Guest]>([])

    func enter(_ channel: any Channel) {
        var address = channel.remoteAddress.flatMap { PeerAddress($0) }
        address?.port = 0
        settle { guests in
            guests.append(Guest(channel: channel, address: address))
            return Self.takeOldest(ofLast: &guests, Self.mostSilent)
        }
    }

    func hasSpoken(_ channel: any Channel) {
        settle { guests in
            guard let place = guests.firstIndex(where: { $0.channel === channel }) else { return nil }
            var guest = guests.remove(at: place)
            guest.hasSpoken = true
            guests.append(guest)
            return Self.takeOldest(ofLast: &guests, Self.mostSpeaking)
        }
    }

    func leave(_ channel: any Channel) { guests.withLock { $0.removeAll { $0.channel === channel } } }

    /// Changes who is there, and shows out who has to go.
    private func settle(_ change: (inout [Guest]) -> (any Channel)?) {
        let leaving = guests.withLock { change(&$0) }
        leaving?.close(promise: nil)
    }

    /// Takes out the oldest of those who are as the last, if there are too many of them.
    private static func takeOldest(
        ofLast guests: inout [Guest], _ most: (ofOneAddress: Int, inAll: Int)
    ) -> (any Channel)? {
        guard let last = guests.last else { return nil }
        let alike = guests.indices.filter { guests[$0].hasSpoken == last.hasSpoken }
        let neighbours = alike.filter { guests[$0].address == last.address }
        if neighbours.count > most.ofOneAddress { return guests.remove(at: neighbours[0]).channel }
        return alike.count > most.inAll ? guests.remove(at: alike[0]).channel : nil
    }
}
