package import WireProtocol

/// Those who wait at a door, by where they come from: when there is no more room, whoever has been there longest of the place
/// that has most gives way. So one machine, however fast it comes back, keeps out nobody but itself.
///
/// Networks share first, then the addresses of one network: a machine has all addresses of an IPv6 network that it likes,
/// and a whole house shares one. An IPv4 address is a network of its own.
package struct Crowd<Member: Hashable & Sendable>: Sendable {
    /// Members of one address, in the order of their coming, each with its number.
    private typealias Queue = [(member: Member, number: UInt64)]

    private var queues: [PeerAddress?: Queue] = [:]
    private var places: [Member: PeerAddress?] = [:]
    private var next: UInt64 = 0

    package init() {}

    package var count: Int { places.count }

    /// - Parameter address: `nil` where nobody knows.
    package mutating func join(_ member: Member, from address: PeerAddress?) {
        leave(member)
        let place = address?.withoutPort
        queues[place, default: []].append((member, next))
        places[member] = .some(place)
        next += 1
    }

    package mutating func leave(_ member: Member) {
        guard let place = places.removeValue(forKey: member) else { return }
        queues[place]?.removeAll { $0.member == member }
        if queues[place]?.isEmpty == true { queues[place] = nil }
    }

    /// Lets one go for somebody who comes from there, and counts already: of two places that have as many it is its own.
    ///
    /// - Returns: `nil` when nobody is here.
    package mutating func giveWay(to address: PeerAddress?) -> Member? {
        var networks: [PeerAddress?: Int] = [:]
        for (place, queue) in queues { networks[place?.machine, default: 0] += queue.count }
        let crowd = networks.max {
            Self.weight($0.value, isOwn: $0.key == address?.machine)
                < Self.weight($1.value, isOwn: $1.key == address?.machine)
        }
        guard let network = crowd?.key else { return nil }
        let queue = queues.lazy.filter { $0.key?.machine == network }.max { one, other in
            let weights = [one, other].map { Self.weight($0.value.count, isOwn: $0.key == address?.withoutPort) }
            guard weights[0] == weights[1] else { return weights[0] < weights[1] }
            // Of two that weigh the same, whoever has been here longest.
            return one.value[0].number > other.value[0].number
        }
        guard let first = queue?.value.first?.member else { return nil }
        leave(first)
        return first
    }

    private static func weight(_ count: Int, isOwn: Bool) -> Int { isOwn ? 2 * (count + 1) + 1 : 2 * count }
}
