/// What a responder's process tells the program that started it.
enum ResponderReport: Sendable, Equatable {
    /// Comes first. Why there can be no responder, if so; its layout is the same in every version.
    case hello(version: UInt16, problem: String?)
    /// Orders are taken from now on. Said anew when what was published must be published again.
    case ready
    /// None are taken until it is ready again, and what was published or browsed has ended.
    case missing(reason: String)
    case answer(UInt32)

    case established(UInt32)
    case collision(UInt32)
    /// One of `AVAHI_ERR_…`; of what was published, browsed or asked for.
    case failed(UInt32, code: Int32)

    case added(UInt32, Sighting)
    case removed(UInt32, Sighting)
    case unreadableName(UInt32)
    case allForNow(UInt32)

    case resolved(UInt32, Target)
    case unresolved(UInt32)

    /// Where an announcement leads.
    struct Target: Sendable, Equatable {
        var address: IPAddress
        var port: UInt16
        /// The kernel's index.
        var interface: UInt32
        var strings: [[UInt8]]
    }
}

extension ResponderReport {
    var message: [UInt8] {
        var writer: WireWriter
        switch self {
        case .hello(let version, let problem):
            writer = WireWriter(0)
            writer.write(version)
            writer.write(problem)
        case .ready: writer = WireWriter(1)
        case .missing(let reason):
            writer = WireWriter(2)
            writer.write(reason)
        case .answer(let number): writer = Self.writer(3, number)
        case .established(let id): writer = Self.writer(4, id)
        case .collision(let id): writer = Self.writer(5, id)
        case .failed(let id, let code):
            writer = Self.writer(6, id)
            writer.write(UInt32(bitPattern: code))
        case .added(let id, let sighting):
            writer = Self.writer(7, id)
            writer.write(sighting)
        case .removed(let id, let sighting):
            writer = Self.writer(8, id)
            writer.write(sighting)
        case .unreadableName(let id): writer = Self.writer(9, id)
        case .allForNow(let id): writer = Self.writer(10, id)
        case .resolved(let id, let target):
            writer = Self.writer(11, id)
            writer.write(target.address)
            writer.write(target.port)
            writer.write(target.interface)
            writer.write(target.strings)
        case .unresolved(let id): writer = Self.writer(12, id)
        }
        return writer.bytes
    }

    init(_ message: ArraySlice<UInt8>) throws(ResponderWireError) {
        var reader = WireReader(message)
        switch try reader.integer(UInt8.self) {
        case 0: self = .hello(version: try reader.integer(), problem: try reader.optionalText())
        case 1: self = .ready
        case 2: self = .missing(reason: try reader.text())
        case 3: self = .answer(try reader.integer())
        case 4: self = .established(try reader.integer())
        case 5: self = .collision(try reader.integer())
        case 6: self = .failed(try reader.integer(), code: Int32(bitPattern: try reader.integer()))
        case 7: self = .added(try reader.integer(), try reader.sighting())
        case 8: self = .removed(try reader.integer(), try reader.sighting())
        case 9: self = .unreadableName(try reader.integer())
        case 10: self = .allForNow(try reader.integer())
        case 11:
            self = .resolved(
                try reader.integer(),
                Target(
                    address: try reader.address(), port: try reader.integer(), interface: try reader.integer(),
                    strings: try reader.strings()))
        case 12: self = .unresolved(try reader.integer())
        case let kind: throw .unknown(kind)
        }
        try reader.end()
    }

    private static func writer(_ kind: UInt8, _ id: UInt32) -> WireWriter {
        var writer = WireWriter(kind)
        writer.write(id)
        return writer
    }
}

extension WireWriter {
    fileprivate mutating func write(_ address: IPAddress) {
        switch address {
        case .v4(let word):
            write(4 as UInt8)
            write(word)
        case .v6(let high, let low):
            write(6 as UInt8)
            write(high)
            write(low)
        }
    }
}

extension WireReader {
    fileprivate mutating func address() throws(ResponderWireError) -> IPAddress {
        switch try integer(UInt8.self) {
        case 4: .v4(try integer())
        case 6: .v6(try integer(), try integer())
        default: throw .unreadable
        }
    }
}
