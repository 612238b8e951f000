package import WireProtocol

/// Those who wait at a door, by where they come from: when there is no more room, whoever has been there longest of the
/// largest share gives way (``FairShare``).
package struct Crowd<Member: Hashable & Sendable>: Sendable {
    /// Members of one address, in the order of their coming, each with its number.
    private typealias Queue = [(member: Member, number: Int)]

    private var queues: [PeerAddress?: Queue] = [:]
    private var places: [Member: PeerAddress?] = [:]
    private var next = 0

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

    /// Lets one go for somebody who comes from there: of the largest share, or else of those nearest to it.
    ///
    /// - Returns: `nil` when nobody is here.
    package mutating func giveWay(to address: PeerAddress?) -> Member? {
        let shares = queues.map { FairShare.Share(of: $0.key, count: $0.value.count, since: $0.value[0].number) }
        func oldest(_ isNear: (PeerAddress?) -> Bool) -> FairShare.Share? {
            shares.filter { isNear($0.address) }.min { $0.since < $1.since }
        }
        let share =
            FairShare.largest(of: shares, beside: address).map { shares[$0] }
            ?? oldest { $0 == address?.withoutPort } ?? oldest { $0?.machine == address?.machine }
            ?? oldest { _ in true }
        guard let share, let first = queues[share.address]?.first?.member else { return nil }
        leave(first)
        return first
    }
}
