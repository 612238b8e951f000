import Connections
import Identity
import WireProtocol

/// A question to everybody by multicast DNS: which kinds of services are there, and which rooms? (RFC 6763, 9)
///
/// Devices that offer nothing stay silent at that, so those whose addresses are known are asked for their names, too.
struct MulticastQuestion: Sendable {
    /// By this its own copy is known when it comes back. Those who answer by multicast take no notice of it (RFC 6762,
    /// 18.1).
    let id: UInt16
    let bytes: [UInt8]

    /// - Parameter known: IPv4 addresses of other devices; of the first 16 the names are asked for (RFC 6762, 4).
    init(id: UInt16, known: [PeerAddress] = []) {
        let named = known.compactMap(\.ipv4).prefix(16).map { address in
            [0, 8, 16, 24].map { "\(address >> $0 & 0xFF)" } + ["in-addr", "arpa"]
        }
        let questions = [["_services", "_dns-sd", "_udp", "local"], ["_roomful", "_tcp", "local"]] + named
        self.id = id
        var bytes: [UInt8] = [UInt8(id >> 8), UInt8(id & 0xFF), 0, 0, 0, UInt8(questions.count), 0, 0, 0, 0, 0, 0]
        for labels in questions {
            for label in labels {
                bytes.append(UInt8(label.utf8.count))
                bytes += label.utf8
            }
            bytes += [0, 0, 12, 0, 1]  // the root; PTR, IN
        }
        self.bytes = bytes
    }

    /// What a datagram that came in is to whoever asked.
    enum Answer: Hashable { case ownCopy, response, other }

    func judge(_ datagram: some RandomAccessCollection<UInt8>) -> Answer {
        if datagram.elementsEqual(bytes) { return .ownCopy }
        let header = Array(datagram.prefix(12))
        // A response that holds something: the flag QR, and a count of answers.
        guard header.count == 12, header[2] & 0x80 != 0, header[6] | header[7] != 0 else { return .other }
        return .response
    }
}

/// The devices on the network that this machine has spoken to lately.
enum ARPTable {
    /// Their addresses in a text such as /proc/net/arp (proc(5)), on one interface.
    static func addresses(in text: String, on interface: String) -> [PeerAddress] {
        text.split(separator: "\n").compactMap { line in
            let columns = line.split(separator: " ")
            // The flag says that somebody has answered there.
            guard columns.count == 6, columns[5] == interface, columns[2] == "0x2" else { return nil }
            return PeerAddress(host: columns[0], port: 0)
        }
    }
}
