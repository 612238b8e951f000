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
    }

    /// The share of which somebody gives way to a newcomer, who counts already: nobody comes and goes for ever where two
    /// have as many.
    ///
    /// - Parameter shares: one or several of an address.
    /// - Returns: the place of the address's first share, or `nil` when nobody would have more than the newcomer.
    package static func largest(of shares: [Share], beside newcomer: PeerAddress?) -> Int? {
        func count(_ place: (PeerAddress?) -> PeerAddress?) -> Int {
            shares.reduce(0) { place($1.address) == place(newcomer) ? $0 + $1.count : $0 }
        }
        let network = largest(shares, by: { $0?.machine }, beyond: count { $0?.machine } + 1)
        let neighbours = shares.filter { $0.address?.machine == network ?? newcomer?.machine }
        let most = network == nil ? count { $0?.withoutPort } + 1 : 0
        return largest(neighbours, by: { $0 }, beyond: most).flatMap { address in
            shares.firstIndex { $0.address == address }
        }
    }

    /// The address or network that has most, if it has more than so many.
    private static func largest(
        _ shares: [Share], by place: (PeerAddress?) -> PeerAddress?, beyond most: Int
    ) -> PeerAddress?? {
        var totals: [PeerAddress?: Share] = [:]
        for share in shares {
            let place = place(share.address)
            var total = totals[place] ?? Share(of: place, count: 0, since: share.since)
            total.count += share.count
            total.since = min(total.since, share.since)
            totals[place] = total
        }
        return totals.values.filter { $0.count > most }
            .max { ($0.count, $1.since) < ($1.count, $0.since) }
            .map(\.address)
    }
}
