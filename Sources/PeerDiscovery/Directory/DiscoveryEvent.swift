/// What a discovery backend tells the directory, in the order in which it learned it.
package enum DiscoveryEvent: Sendable, Hashable {
    /// A room is announced.
    case added(Sighting)
    /// An announcement was withdrawn, or expired.
    case removed(Sighting)
    /// The announcement's host, port and TXT record are known, or known anew.
    case resolved(Sighting, Resolution)
    /// The announcement leads nowhere for now.
    case unresolved(Sighting)
    /// Our own check of a room's port has a new result.
    case checked(DiscoveredRoom.Claim, Reachability)
    /// The backend is gone: what it told is not confirmed any more.
    case backendLost
    /// The backend, new or not, has told of all that it knows for now.
    case allForNow
}

/// One announcement: a service instance, as seen through one network interface by one version of IP.
///
/// A room on two interfaces with IPv4 and IPv6 has four of them.
package struct Sighting: Sendable, Hashable, Comparable {
    package enum IPVersion: UInt8, Sendable, Hashable, Comparable {
        case v4, v6

        package static func < (a: IPVersion, b: IPVersion) -> Bool { a.rawValue < b.rawValue }
    }

    package let instance: InstanceName
    /// The kernel's index of the interface.
    package let interface: UInt32
    package let version: IPVersion

    package init(instance: InstanceName, interface: UInt32, version: IPVersion) {
        self.instance = instance
        self.interface = interface
        self.version = version
    }

    package static func < (a: Sighting, b: Sighting) -> Bool {
        if a.instance != b.instance { return a.instance < b.instance }
        return (a.interface, a.version) < (b.interface, b.version)
    }
}

/// A service instance's name exactly as some device announced it, which may be no legal name at all.
///
/// Compared byte by byte: two names that look alike are two names.
public struct InstanceName: Sendable, Hashable, Comparable {
    /// As announced: 1 to 63 bytes of UTF-8, without NUL.
    public let bytes: [UInt8]

    /// Nil unless there are 1...63 bytes of UTF-8 without NUL.
    public init?(bytes: [UInt8]) {
        guard (1...63).contains(bytes.count), !bytes.contains(0), String(validating: bytes, as: UTF8.self) != nil
        else { return nil }
        self.bytes = bytes
    }

    /// The name as text. May hold control characters and the like: never print it as it is.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    public static func < (a: InstanceName, b: InstanceName) -> Bool { a.bytes.lexicographicallyPrecedes(b.bytes) }
}

/// Where an announcement leads, and its TXT record, both unread.
package struct Resolution: Sendable, Hashable {
    package let address: IPAddress
    package let port: UInt16
    /// The interface's name, which a link-local address is useless without.
    package let interfaceName: String
    package let strings: [[UInt8]]

    package init(address: IPAddress, port: UInt16, interfaceName: String, strings: [[UInt8]]) {
        self.address = address
        self.port = port
        self.interfaceName = interfaceName
        self.strings = strings
    }
}
