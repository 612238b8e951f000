/// Who gives way where there is no more room: one of the network that has most, and there of the address that has most.
///
/// So one machine, however often it comes, keeps out nobody but itself. Networks share first, then the addresses of one
/// network: a machine has all addresses of an IPv6 network that it likes, and a whole house shares one. An IPv4 address is
/// a network of its own. Ports do not count. `nil` stands for where nobody knows.
///
/// Those who are here have numbers, in the order of their coming. With a thousand of them at a door that two thousand more
/// reach each second, whoever comes is answered in microseconds: shares are kept, not counted. In whatever order a dictionary
/// has them, the answer is the same, as no two have one number.
package struct FairShare: Sendable {
    /// What one address has.
    package struct Share: Sendable {
        package let address: PeerAddress?
        package let count: Int
        /// Who of it has been here longest: of shares of one size the oldest is the larger.
        package let first: Int
    }

    private struct Network: Sendable {
        /// By address: the numbers of those who are here, rising; never empty.
        var numbers: [PeerAddress?: [Int]] = [:]
        var count = 0
        var first = Int.max

        var shares: some Sequence<Share> {
            numbers.lazy.map { Share(address: $0, count: $1.count, first: $1[0]) }
        }

        mutating func join(_ number: Int, from address: PeerAddress?) {
            numbers[address, default: []].append(number)
            count += 1
            first = min(first, number)
        }

        mutating func leave(_ number: Int, from address: PeerAddress?) {
            guard let place = numbers[address]?.firstIndex(of: number) else { return }
            count -= 1
            numbers[address]?.remove(at: place)
            if numbers[address]?.isEmpty == true { numbers[address] = nil }
            if number == first { first = shares.lazy.map(\.first).min() ?? .max }
        }
    }

    private var networks: [PeerAddress?: Network] = [:]

    package init() {}

    /// - Parameter number: greater than all before.
    package mutating func join(_ number: Int, from address: PeerAddress?) {
        let address = address?.withoutPort
        networks[address?.machine, default: Network()].join(number, from: address)
    }

    package mutating func leave(_ number: Int, from address: PeerAddress?) {
        let address = address?.withoutPort
        networks[address?.machine]?.leave(number, from: address)
        if networks[address?.machine]?.count == 0 { networks[address?.machine] = nil }
    }

    /// The share of which somebody gives way to a newcomer, who counts already: nobody comes and goes for ever where two
    /// have as many.
    ///
    /// - Returns: `nil` when nobody would have more than the newcomer.
    package func largest(beside newcomer: PeerAddress?) -> Share? {
        let home = networks[newcomer?.machine]
        var largest: Network?
        for network in networks.values where network.count > (home?.count ?? 0) + 1 {
            if let most = largest, (most.count, network.first) >= (network.count, most.first) { continue }
            largest = network
        }
        if let largest { return Self.largest(of: largest, beyond: 0) }
        return home.flatMap { Self.largest(of: $0, beyond: ($0.numbers[newcomer?.withoutPort]?.count ?? 0) + 1) }
    }

    /// Who has been here longest of those nearest to it; `nil` when nobody is here.
    package func nearest(to newcomer: PeerAddress?) -> Int? {
        let home = networks[newcomer?.machine]
        return home?.numbers[newcomer?.withoutPort]?[0] ?? home?.first ?? networks.values.lazy.map(\.first).min()
    }

    private static func largest(of network: Network, beyond most: Int) -> Share? {
        network.shares.lazy.filter { $0.count > most }.max { ($0.count, $1.first) < ($1.count, $0.first) }
    }
}
