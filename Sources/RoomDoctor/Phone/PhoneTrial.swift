package import WireProtocol

/// Which other devices reached this machine while it waited for a phone, and by which way.
///
/// Bounded, and it answers nobody: floods, garbage and made-up senders cannot do more than be left out.
package struct PhoneTrial: Hashable, Sendable {
    package enum Way: Hashable, Sendable { case tcp, udp }

    /// Devices that are remembered at most, for each way.
    static let mostDevices = 64

    private let own: Set<PeerAddress>
    /// In the order of their first arrival, without ports.
    private(set) var byTCP: [PeerAddress] = []
    private(set) var byUDP: [PeerAddress] = []

    /// - Parameter own: the addresses of this machine, which prove nothing.
    init(own: some Sequence<PeerAddress>) { self.own = Set(own.map(\.bare)) }

    /// Somebody connected, or a datagram came.
    package mutating func arrived(by way: Way, from sender: PeerAddress) {
        let device = sender.bare
        guard !device.isLoopback, !own.contains(device) else { return }
        switch way {
        case .tcp:
            if byTCP.count < Self.mostDevices, !byTCP.contains(device) { byTCP.append(device) }
        case .udp:
            // Whoever loaded the page is heard even in a flood of invented senders: a TCP connection cannot be invented.
            guard byUDP.count < Self.mostDevices || byTCP.contains(device) else { return }
            if !byUDP.contains(device) { byUDP.append(device) }
        }
    }

    /// What one device has reached.
    func hasReached(_ way: Way, _ device: PeerAddress) -> Bool {
        (way == .tcp ? byTCP : byUDP).contains(device.bare)
    }

    /// The first device that came by both.
    var byBoth: PeerAddress? { byTCP.first(where: byUDP.contains) }
}
