import WireProtocol

/// Who was sent to seats lately, and from where: of whoever comes, goes and comes again each stay is told.
struct SentGuests: Sendable {
    /// Guests of one address are sent so often at once, and then one in so many ms.
    static let most = 64
    static let every = 5_000.0
    /// The same of one network, which a whole house may share.
    static let mostOfNetwork = 4 * most

    /// Within the last ``most`` times ``every``, the oldest first, and how many of each.
    private var sent: [(origin: PeerAddress?, at: Double)] = []
    private var ofAddress: [PeerAddress?: Int] = [:]
    private var ofNetwork: [PeerAddress?: Int] = [:]

    mutating func note(_ origin: PeerAddress?, now: Double) {
        sent.append((origin, now))
        ofAddress[origin, default: 0] += 1
        ofNetwork[origin?.machine, default: 0] += 1
    }

    mutating func forget(now: Double) {
        let old = sent.prefix { now - $0.at >= Double(Self.most) * Self.every }
        for (origin, _) in old {
            Self.takeOne(of: origin, from: &ofAddress)
            Self.takeOne(of: origin?.machine, from: &ofNetwork)
        }
        sent.removeFirst(old.count)
    }

    private static func takeOne(of origin: PeerAddress?, from counts: inout [PeerAddress?: Int]) {
        let left = counts[origin, default: 0] - 1
        counts[origin] = left > 0 ? left : nil
    }

    /// Whether one more may be sent who comes from there.
    func admits(_ origin: PeerAddress?) -> Bool {
        ofAddress[origin, default: 0] < Self.most && ofNetwork[origin?.machine, default: 0] < Self.mostOfNetwork
    }
}
