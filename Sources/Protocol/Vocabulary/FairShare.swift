/// Who gives way where there is no more room: one of the network that has most, and there of the address that has most.
///
/// So one machine, however often it comes, keeps out nobody but itself. Networks share first, then the addresses of one
/// network: a machine has all addresses of an IPv6 network that it likes, and a whole house shares one. An IPv4 address is
/// a network of its own.
package enum FairShare {
    /// What one address has.
    package struct Share: Hashable, Sendable {
        /// Ports do not count; `nil` where nobody knows.
        package var address: PeerAddress?
        package var count: Int
        /// The number of the first who came: of shares of one size the oldest is the larger.
        package var since: Int

        package init(of address: PeerAddress?, count: Int = 1, since: Int) {
            self.address = address?.withoutPort
            self.count = count
            self.since = since
        }

        fileprivate mutating func add(_ other: Share) {
            count += other.count
            since = min(since, other.since)
        }
    }

    /// The share of which somebody gives way to a newcomer, who counts already: nobody comes and goes for ever where two
    /// have as many.
    ///
    /// - Parameter shares: one or several of an address.
    /// - Returns: the place of the address's first share, or `nil` when nobody would have more than the newcomer.
    package static func largest(of shares: [Share], beside newcomer: PeerAddress?) -> Int? {
        let networks = totals(of: shares) { $0?.machine }
        let network = largest(of: networks, beyond: (networks[newcomer?.machine]?.count ?? 0) + 1)
        let place = network ?? newcomer?.machine
        let addresses = totals(of: shares.filter { $0.address?.machine == place }) { $0 }
        let most = network == nil ? (addresses[newcomer?.withoutPort]?.count ?? 0) + 1 : 0
        return largest(of: addresses, beyond: most).flatMap { address in
            shares.firstIndex { $0.address == address }
        }
    }

    private static func totals(
        of shares: [Share], by place: (PeerAddress?) -> PeerAddress?
    ) -> [PeerAddress?: Share] {
        var totals: [PeerAddress?: Share] = [:]
        for share in shares {
            let place = place(share.address)
            totals[place, default: Share(of: place, count: 0, since: share.since)].add(share)
        }
        return totals
    }

    /// The address or network that has most, if it has more than so many.
    private static func largest(of totals: [PeerAddress?: Share], beyond most: Int) -> PeerAddress?? {
        totals.values.filter { $0.count > most }
            .max { ($0.count, $1.since) < ($1.count, $0.since) }
            .map(\.address)
    }
}
