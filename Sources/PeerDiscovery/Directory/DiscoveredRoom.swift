public import WireProtocol

/// A room that was found on the network, with all the ways to reach it.
public struct DiscoveredRoom: Sendable, Hashable, Identifiable {
    /// What a room says it is. Two that claim one id with different pins, or under different names, are listed as two:
    /// one of them lies, and it must neither rename the other nor send its guests astray.
    public struct Claim: Sendable, Hashable, Comparable {
        /// The identity that it announces: random, and kept over restarts of its host.
        public let room: RoomID
        /// The public key that it announces, as a hash; `nil` where it announces none.
        public let pin: Pin?
        /// The name under which it is announced, byte by byte.
        public let instance: InstanceName

        /// A claim to compare announcements by; nothing in it is proved before TLS.
        public init(room: RoomID, pin: Pin?, instance: InstanceName) {
            self.room = room
            self.pin = pin
            self.instance = instance
        }

        public static func < (a: Claim, b: Claim) -> Bool {
            if a.room != b.room { return a.room < b.room }
            if a.pin == b.pin { return a.instance < b.instance }
            switch (a.pin, b.pin) {
            case (let a?, let b?): return a < b
            case (nil, let b): return b != nil
            case (_?, nil): return false
            }
        }
    }

    /// How far its listing can be trusted to be current.
    public enum Liveness: Sendable, Hashable {
        /// The discovery backend says that it is announced. Its record may outlive it by 75 minutes.
        case announced
        /// It was announced when the backend went away, and nobody has confirmed it since.
        case unconfirmed
    }

    public let id: Claim
    /// The name as announced. May hold anything: print `displayName` instead.
    public let name: String
    /// What its TXT record says of it: game, seats, policy.
    public let record: RoomRecord
    /// Where to try, best first: loopback, networks, link-local; IPv4 before IPv6. At most 16.
    public let endpoints: [RoomEndpoint]
    /// Whether its announcement stands.
    public let liveness: Liveness
    /// Whether its own port answers, whatever its record says.
    public let reachability: Reachability

    /// The name with control characters and changes of writing direction made visible.
    public var displayName: String { name.displayed }
}

/// One way to reach a room.
public struct RoomEndpoint: Sendable, Hashable, Comparable {
    /// Where the host listens, as it announces.
    public let address: IPAddress
    /// The host's TCP port; joining, pages and, under the same number, the UDP link.
    public let port: UInt16
    /// The interface that leads there, as index and name; told apart only for link-local addresses.
    public let interface: UInt32
    /// See ``interface``: `eth0`.
    public let interfaceName: String

    /// An endpoint; the interface matters for link-local addresses alone.
    public init(address: IPAddress, port: UInt16, interface: UInt32, interfaceName: String) {
        self.address = address
        self.port = port
        self.interface = interface
        self.interfaceName = interfaceName
    }

    /// What `getaddrinfo` takes: `10.0.0.7`, `fe80::1%eth0`.
    public var host: String { needsScope ? "\(address)%\(interfaceName)" : "\(address)" }

    var needsScope: Bool { address.isV6 && address.reach == .linkLocal }

    /// Whether both lead to the same socket.
    func reachesSame(as other: RoomEndpoint) -> Bool {
        address == other.address && port == other.port && (!needsScope || interface == other.interface)
    }

    /// Best to try first.
    public static func < (a: RoomEndpoint, b: RoomEndpoint) -> Bool {
        if a.address.reach != b.address.reach { return a.address.reach < b.address.reach }
        return (a.address, a.port, a.interface) < (b.address, b.port, b.interface)
    }
}

extension RoomEndpoint {
    /// Where an announcement leads; nil where that is nowhere.
    init?(_ resolution: Resolution, at sighting: Sighting) {
        // This machine's own loopback is announced on the loopback alone; elsewhere it would lead us to ourselves.
        let isOwn = resolution.address.reach == .loopback && resolution.interfaceName != "lo"
        guard resolution.port != 0, resolution.address.reach != .nowhere, !isOwn else { return nil }
        self.init(
            address: resolution.address, port: resolution.port, interface: sighting.interface,
            interfaceName: resolution.interfaceName)
    }
}

extension RoomEndpoint: CustomStringConvertible {
    /// `10.0.0.7:7777`, `[fe80::1%eth0]:7777`.
    public var description: String { address.isV6 ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
