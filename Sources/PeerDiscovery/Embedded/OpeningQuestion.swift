internal import CAvahi

/// The first question of somebody who begins to look around, which may be answered to the one who asks alone
/// (RFC 6762, 5.4: *QU*).
///
/// A responder does not multicast again what it has within the last second (RFC 6762, 6), and libavahi-core wants every
/// answer multicast: whoever begins to look in that second would hear nothing until the question's repetition, another
/// second later.
struct OpeningQuestion: Equatable {
    /// It leaves so much later than somebody begins to look, by chance, so that those who are switched on together do not
    /// ask in one moment (RFC 6762, 5.2: 20 to 120 ms), and before libavahi-core's own, which leaves after 100 ms.
    static func pause() -> Duration { .milliseconds(Int.random(in: 20...80)) }

    let bytes: [UInt8]

    /// - Parameter type: a DNS-SD type or subtype, without its domain: `_roomful._tcp`.
    init(type: String) {
        let labels = (type.split(separator: ".") + [domain[...]]).map { Array($0.utf8.prefix(63)) }
        bytes =
            [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]  // the header: one question (RFC 1035, 4.1.1)
            + labels.flatMap { [UInt8($0.count)] + $0 }
            + [0, 0, 12, 0x80, 1]  // the root; PTR; by unicast, IN
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
