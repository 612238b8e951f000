import WireProtocol

/// Numbers for the addresses that sealed datagrams come from: the same one for the same address, in the order in which
/// they are first seen.
///
/// Bounded, as only who holds a key is numbered, and begun anew when it grows beyond reason.
struct SourceNumbers {
    private var known: [PeerAddress: UInt32] = [:]
    private var next: UInt32 = 0
    /// Where a few bits of an address lead: what was found there last. Nearly every datagram is known here, and costs a
    /// comparison where the dictionary's hash would take longer than its copy.
    private var recent: [(address: PeerAddress, number: UInt32)?]

    private static let most = 16_384
    private static let places = 256

    init() {
        recent = Array(repeating: nil, count: Self.places)
        known.reserveCapacity(1_024)
    }

    mutating func number(of address: PeerAddress) -> UInt32 {
        let bits = (address.high ^ address.low ^ UInt64(address.port)) &* 0x9E37_79B9_7F4A_7C15
        let place = Int(bits >> 56) % Self.places
        if let found = recent[place], found.address == address { return found.number }
        let number = known[address] ?? add(address)
        recent[place] = (address, number)
        return number
    }

    private mutating func add(_ address: PeerAddress) -> UInt32 {
        if known.count >= Self.most { known.removeAll(keepingCapacity: true) }
        defer { next &+= 1 }
        known[address] = next
        return next
    }
}
