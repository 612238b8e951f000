/// What a program asks its responder's process for.
///
/// Ids are the program's choice, and new each time: whatever is told of one that has ended is of the past.
enum ResponderRequest: Sendable, Equatable {
    /// Comes first. Its layout is the same in every version.
    case hello(version: UInt16, Role)
    case publish(UInt32, Announcement)
    /// Replaces the TXT record of what is published.
    case update(UInt32, strings: [[UInt8]])
    /// Listens for a DNS-SD type or a whole subtype.
    case browse(UInt32, type: String)
    /// Asks where an announcement leads, and goes on listening for changes of the answer.
    case resolve(UInt32, Sighting, type: String)
    /// Withdraws what is published; stops browsing or resolving.
    case end(UInt32)
    /// Whether anybody is there; answered with the same number.
    case ask(UInt32)

    /// Counts up with every change that an older end would misread.
    static let version: UInt16 = 1

    struct Role: Sendable, Equatable {
        /// Whether it is to have a host name with this machine's addresses, for services to live at.
        var publishes: Bool
        /// The name of the only network interface to speak on; nil for all.
        var interface: String?
    }

    /// A service, whole.
    struct Announcement: Sendable, Equatable {
        var name: String
        var type: String
        var port: UInt16
        /// The kernel's index of the only interface to publish on; 0 for all.
        var interface: UInt32
        var strings: [[UInt8]]
        var subtype: String?
    }
}

extension ResponderRequest {
    var message: [UInt8] {
        var writer: WireWriter
        switch self {
        case .hello(let version, let role):
            writer = WireWriter(0)
            writer.write(version)
            writer.write(role.publishes ? 1 : 0 as UInt8)
            writer.write(role.interface)
        case .publish(let id, let service):
            writer = WireWriter(1)
            writer.write(id)
            writer.write(service.name)
            writer.write(service.type)
            writer.write(service.port)
            writer.write(service.interface)
            writer.write(service.strings)
            writer.write(service.subtype)
        case .update(let id, let strings):
            writer = WireWriter(2)
            writer.write(id)
            writer.write(strings)
        case .browse(let id, let type):
            writer = WireWriter(3)
            writer.write(id)
            writer.write(type)
        case .resolve(let id, let sighting, let type):
            writer = WireWriter(4)
            writer.write(id)
            writer.write(sighting)
            writer.write(type)
        case .end(let id):
            writer = WireWriter(5)
            writer.write(id)
        case .ask(let number):
            writer = WireWriter(6)
            writer.write(number)
        }
        return writer.bytes
    }

    init(_ message: ArraySlice<UInt8>) throws(ResponderWireError) {
        var reader = WireReader(message)
        switch try reader.integer(UInt8.self) {
        case 0:
            let version = try reader.integer(UInt16.self)
            self = .hello(
                version: version,
                Role(publishes: try reader.integer(UInt8.self) == 1, interface: try reader.optionalText()))
        case 1:
            self = .publish(
                try reader.integer(),
                Announcement(
                    name: try reader.text(), type: try reader.text(), port: try reader.integer(),
                    interface: try reader.integer(), strings: try reader.strings(),
                    subtype: try reader.optionalText()))
        case 2: self = .update(try reader.integer(), strings: try reader.strings())
        case 3: self = .browse(try reader.integer(), type: try reader.text())
        case 4: self = .resolve(try reader.integer(), try reader.sighting(), type: try reader.text())
        case 5: self = .end(try reader.integer())
        case 6: self = .ask(try reader.integer())
        case let kind: throw .unknown(kind)
        }
        try reader.end()
    }
}

extension WireWriter {
    mutating func write(_ sighting: Sighting) {
        write(sighting.interface)
        write(sighting.version.rawValue)
        write(sighting.instance.bytes)
    }
}

extension WireReader {
    mutating func sighting() throws(ResponderWireError) -> Sighting {
        let interface = try integer(UInt32.self)
        guard let version = Sighting.IPVersion(rawValue: try integer()),
            let instance = InstanceName(bytes: Array(try short()))
        else { throw .unreadable }
        return Sighting(instance: instance, interface: interface, version: version)
    }
}
