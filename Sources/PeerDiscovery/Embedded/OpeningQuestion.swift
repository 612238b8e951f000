internal import CAvahi

/// The first questions of somebody who begins to look around, which may be answered to the one who asks alone
/// (RFC 6762, 5.4: *QU*).
///
/// A responder does not multicast again what it has within the last second (RFC 6762, 6), and libavahi-core wants every
/// answer multicast: whoever begins to look in that second, as all do who come together, would hear nothing until the
/// question's repetition, another second later.
struct OpeningQuestion: Equatable {
    /// The first leaves so much later than somebody begins to look, by chance, so that those who are switched on together do
    /// not ask in one moment (RFC 6762, 5.2: 20 to 120 ms). libavahi-core hears it, and does not ask the same itself after
    /// 100 ms: what follows are the second of ours, and its own after a second.
    static func pause() -> Duration { .milliseconds(Int.random(in: 20...80)) }

    /// What an announcement leads to is asked for so much later, if it did not come along with it.
    static let patience = Duration.milliseconds(20)

    /// Either is asked again so much later, if nothing has come.
    static let secondPause = Duration.milliseconds(150)

    let bytes: [UInt8]

    /// Who announces a service of this type?
    ///
    /// - Parameter type: a DNS-SD type or subtype, without its domain: `_roomful._tcp`.
    init(type: String) { self.init([.pointer], of: Self.labels(type)) }

    /// Where does this announcement lead?
    init(resolving instance: InstanceName, type: String) {
        self.init([.service, .text], of: [instance.bytes] + Self.labels(type))
    }

    /// Types of records (RFC 1035, 3.2.2; RFC 2782).
    private enum Record: UInt8 {
        case pointer = 12
        case text = 16
        case service = 33
    }

    private init(_ records: [Record], of labels: [[UInt8]]) {
        var name: [UInt8] = []
        for label in labels + [Array(domain.utf8)] {
            name.append(UInt8(min(label.count, 63)))
            name += label.prefix(63)
        }
        name.append(0)
        var bytes: [UInt8] = [0, 0, 0, 0, 0, UInt8(records.count), 0, 0, 0, 0, 0, 0]  // the header (RFC 1035, 4.1.1)
        for record in records { bytes += name + [0, record.rawValue, 0x80, 1] }  // by unicast, IN
        self.bytes = bytes
    }

    private static func labels(_ type: String) -> [[UInt8]] { type.split(separator: ".").map { Array($0.utf8) } }

    /// Asks where a sighting was made.
    func ask(at sighting: Sighting) {
        roomful_ask_everybody(sighting.interface, sighting.version == .v6, bytes, bytes.count)
    }

    /// Asks on each interface by each version of IP that the machine has an address of there.
    func ask(on interface: String?) {
        let ways = Set(MachineAddress.all(on: interface).map { Way(interface: $0.interface, isV6: $0.address.isV6) })
        for way in ways { roomful_ask_everybody(way.interface, way.isV6, bytes, bytes.count) }
    }

    private struct Way: Hashable {
        let interface: UInt32
        let isV6: Bool
    }
}
