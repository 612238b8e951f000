import Testing

@testable import WireProtocol

@Suite("Who gives way where there is no more room")
struct FairShareTests {
    private func ipv4(_ number: UInt32) -> PeerAddress { PeerAddress(ipv4: 0x0A00_0000 | number, port: 9) }
    private func ipv6(_ network: UInt64, _ machine: UInt64) -> PeerAddress {
        PeerAddress(high: 0xFD00 << 48 | network, low: machine, port: 9)
    }
    private func largest(_ crowd: [PeerAddress?], beside newcomer: PeerAddress?) -> Int? {
        var shares = FairShare()
        for (place, address) in crowd.enumerated() { shares.join(place, from: address) }
        return shares.largest(beside: newcomer)?.first
    }

    @Test("One of the network that has most, there of the address that has most; of as many the one that came first")
    func order() {
        let crowd = [ipv4(1), ipv6(1, 1), ipv6(1, 2), ipv6(1, 2), ipv6(2, 1), ipv6(2, 1), ipv6(2, 2), nil]
        #expect(largest(crowd, beside: ipv4(2)) == 2, "the network that came first, and its larger address")
        #expect(largest(crowd, beside: ipv6(1, 3)) == 2, "a neighbour of it")
        #expect(largest(crowd, beside: ipv6(1, 2)) == nil, "its own")
        #expect(largest(crowd, beside: ipv6(2, 1)) == nil)
        #expect(largest(crowd, beside: nil) == 2, "nobody knows where this one is from, as of one other")
        #expect(largest([], beside: ipv4(1)) == nil)
        #expect(largest([ipv4(1), nil], beside: ipv4(2)) == nil, "one each")
        #expect(largest([ipv4(1), nil, nil], beside: ipv4(2)) == 1, "who is from nowhere shares with its like")
        #expect(largest([ipv6(1, 1), ipv6(1, 2), ipv6(1, 3)], beside: ipv4(2)) == 0, "addresses with one each")
        let port = PeerAddress(ipv4: 0x0A00_0001, port: 77)
        #expect(largest([ipv4(1), port, ipv4(3)], beside: ipv4(2)) == 0, "ports do not count")
    }

    @Test("What is kept while all come and go is what counting all of them says")
    func counted() {
        for seed in UInt64(1)...50 {
            var generator = SplitMix64(seed: seed)
            func random(_ below: Int) -> Int { Int.random(in: 0..<below, using: &generator) }
            func somewhere() -> PeerAddress? {
                [nil, ipv4(UInt32(random(4))), ipv6(UInt64(random(2)), UInt64(random(4)))][random(3)]
            }
            var (shares, crowd) = (FairShare(), [(number: Int, address: PeerAddress?)]())
            for number in 0..<200 {
                let newcomer = somewhere()
                let share = shares.largest(beside: newcomer)
                let most = Self.most(of: crowd, beside: newcomer)
                #expect(share?.address == most.first?.address && share?.first == most.first?.number)
                #expect(share.map { $0.count == most.count } ?? most.isEmpty)
                let near = [
                    crowd.first { $0.address == newcomer?.withoutPort },
                    crowd.first { $0.address?.machine == newcomer?.machine }, crowd.first,
                ]
                #expect(shares.nearest(to: newcomer) == near.compactMap(\.self).first?.number)
                if crowd.count > 2 + random(20) {
                    let gone = crowd.remove(at: random(crowd.count))
                    shares.leave(gone.number, from: gone.address)
                    shares.leave(gone.number, from: gone.address)
                }
                shares.join(number, from: newcomer.map { PeerAddress(high: $0.high, low: $0.low, port: 77) })
                crowd.append((number, newcomer?.withoutPort))
            }
        }
    }

    /// Those of the address that gives way, by sorting all.
    private static func most(
        of crowd: [(number: Int, address: PeerAddress?)], beside newcomer: PeerAddress?
    ) -> [(number: Int, address: PeerAddress?)] {
        typealias Group = [(number: Int, address: PeerAddress?)]
        func groups(_ members: Group, _ place: (PeerAddress?) -> PeerAddress?, unlike own: PeerAddress?) -> [Group] {
            let most = members.count { place($0.address) == own } + 1
            return Dictionary(grouping: members) { place($0.address) }.values.filter { $0.count > most }
                .sorted { ($0.count, $1[0].number) > ($1.count, $0[0].number) }
        }
        if let network = groups(crowd, { $0?.machine }, unlike: newcomer?.machine).first {
            return Dictionary(grouping: network) { $0.address }.values
                .sorted { ($0.count, $1[0].number) > ($1.count, $0[0].number) }[0]
        }
        let neighbours = crowd.filter { $0.address?.machine == newcomer?.machine }
        return groups(neighbours, { $0 }, unlike: newcomer?.withoutPort).first ?? []
    }

    @Test("A full place comes to rest, however all come again and again, and nobody honest is left out")
    func rest() {
        for seed in UInt64(1)...50 {
            var generator = SplitMix64(seed: seed)
            func random(_ below: Int) -> Int { Int.random(in: 0..<below, using: &generator) }
            // Each comes again when it had to go. The first network has one machine of many addresses, and one honest neighbour.
            var crowd: [PeerAddress] = []
            let others = (0..<5).map { ipv4(UInt32($0)) } + [ipv6(1, 0)]
            var moves = 0
            for turn in 0..<3_000 {
                let newcomer = random(3) > 0 ? ipv6(1, UInt64(1 + random(2))) : others[random(others.count)]
                if others.contains(newcomer), crowd.contains(newcomer) { continue }
                if crowd.count == 17 {
                    guard let place = largest(crowd, beside: newcomer) else { continue }
                    crowd.remove(at: place)
                    if turn > 1_500 { moves += 1 }
                }
                crowd.append(newcomer)
            }
            #expect(crowd.count == 17 && others.allSatisfy(crowd.contains) && moves == 0, "seed \(seed)")
        }
    }
}
