package import WireProtocol

/// Those who wait at a door, by where they come from: when there is no more room, whoever has been there longest of the
/// largest share gives way (``FairShare``).
package struct Crowd<Member: Hashable & Sendable>: Sendable {
    private var shares = FairShare()
    private var members: [Int: (member: Member, address: PeerAddress?)] = [:]
    private var numbers: [Member: Int] = [:]
    private var next = 0

    package init() {}

    package var count: Int { members.count }

    package func contains(_ member: Member) -> Bool { numbers[member] != nil }

    /// - Parameter address: `nil` where nobody knows.
    package mutating func join(_ member: Member, from address: PeerAddress?) {
        leave(member)
        shares.join(next, from: address)
        members[next] = (member, address)
        numbers[member] = next
        next += 1
    }

    package mutating func leave(_ member: Member) {
        guard let number = numbers.removeValue(forKey: member), let entry = members.removeValue(forKey: number) else {
            return
        }
        shares.leave(number, from: entry.address)
    }

    /// Lets one go for somebody who comes from there: of the largest share, or else of those nearest to it.
    ///
    /// - Returns: `nil` when nobody is here.
    package mutating func giveWay(to address: PeerAddress?) -> Member? {
        let number = shares.largest(beside: address)?.first ?? shares.nearest(to: address)
        guard let number, let member = members[number]?.member else { return nil }
        leave(member)
        return member
    }
}
