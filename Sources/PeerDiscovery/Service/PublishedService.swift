/// What is published: everything but the name, which the network may change.
struct PublishedService: Sendable {
    /// The DNS-SD type (RFC 6763, 4.1.2).
    let type: String
    let port: UInt16
    /// The TXT record.
    var strings: [[UInt8]]
    /// The whole subtype under which it is listed too (RFC 6763, 7.1).
    var subtype: String?
    /// The name of the only interface to publish on; nil for all.
    let interface: String?

    /// A room.
    init(port: UInt16, record: RoomRecord, interface: String?) {
        self.init(
            type: ServiceType.room, port: port, strings: record.strings, subtype: record.game?.subtype,
            interface: interface)
    }

    init(type: String, port: UInt16, strings: [[UInt8]], subtype: String? = nil, interface: String? = nil) {
        self.type = type
        self.port = port
        self.strings = strings
        self.subtype = subtype
        self.interface = interface
    }
}
