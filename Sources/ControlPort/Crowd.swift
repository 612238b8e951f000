package import WireProtocol

/// Those who wait at a door, by where they come from: when there is no more room, whoever has been there longest of the place
/// that has most gives way. So one machine, however fast it comes back, keeps out nobody but itself.
package struct Crowd<Member: Hashable & Sendable>: Sendable {
    /// Of each place, in the order of their coming.
    private var members: [PeerAddress?: [Member]] = [:]
    private var places: [Member: PeerAddress?] = [:]

    package init() {}

    package var count: Int { places.count }

    /// - Parameter address: `nil` where nobody knows.
    package mutating func join(_ member: Member, from address: PeerAddress?) {
        leave(member)
        let place = address?.machine
        members[place, default: []].append(member)
        places[member] = .some(place)
    }

    package mutating func leave(_ member: Member) {
        guard let place = places.removeValue(forKey: member) else { return }
        members[place]?.removeAll { $0 == member }
        if members[place]?.isEmpty == true { members[place] = nil }
    }

    /// Lets one go for somebody who comes from there, and counts already: of two machines that have as many it is its own.
    ///
    /// - Returns: `nil` when nobody is here.
    package mutating func giveWay(to address: PeerAddress?) -> Member? {
        let own = address?.machine
        func weight(_ place: PeerAddress?, _ count: Int) -> Int { place == own ? 2 * (count + 1) + 1 : 2 * count }
        let crowd = members.max { weight($0.key, $0.value.count) < weight($1.key, $1.value.count) }
        guard let first = crowd?.value.first else { return nil }
        leave(first)
        return first
    }
}
