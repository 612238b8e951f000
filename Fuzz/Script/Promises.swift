import RoomSimulation
import SessionCoordinator
import WireProtocol

/// What a host promises whatever happens to it, beside right books. Each broken promise ends the program.
struct Promises {
    /// Those who joined, or whose lease was found at the start, and have not left.
    private var present: Set<PeerIndex> = []
    private var paths: [UInt32: Path] = [:]
    private var order = SampleOrder()
    /// The last number of each program's messages.
    private var messages: [UInt64: UInt16] = [:]
    private var messagesRead = 0

    // MARK: What happens

    /// A host begins its life.
    mutating func begin(_ host: HostedRoom) {
        present = Set(host.coordinator.reports(now: host.now).map(\.peer))
        paths = [:]
        order = SampleOrder()
        messages = [:]
        messagesRead = 0
    }

    mutating func closed() { present = [] }

    mutating func note(_ change: Occurrence.PlayerChange) {
        switch change.state {
        case .joined: precondition(present.insert(change.peer).inserted, "someone joined twice")
        case .left: precondition(present.remove(change.peer) != nil, "someone left who was not there, or twice")
        case .lost, .back, .renamed: precondition(present.contains(change.peer), "someone who had left is told of")
        }
    }

    mutating func linkOpened(_ keys: Pad, continues: Bool) {
        paths[keys.connection.rawValue] = Path(key: keys.motionKey)
        // A host that does not know the process takes its unconfirmed messages as new ones.
        if !continues { messages = [:] }
    }

    /// An intact datagram of a link reached the host.
    mutating func arrived(_ entry: SentRecord, from source: PeerAddress) {
        paths[entry.connection.rawValue]?.arrived(entry, from: source)
    }

    /// A feedback leaves the host.
    mutating func fed(_ bytes: [UInt8], to address: PeerAddress) {
        precondition(bytes.count <= WireFormat.maximumDatagramSize, "a datagram is too long")
        let connection = bytes[1...4].reduce(0) { $0 << 8 | UInt32($1) }
        precondition(paths[connection] != nil, "something is sent on a link never opened")
        paths[connection]?.fed(bytes.count, to: address)
    }

    /// A controller received a feedback that was sent to its address.
    mutating func heard(_ bytes: [UInt8], by keys: Pad, at address: PeerAddress) {
        if !keys.probes(in: bytes).isEmpty { paths[keys.connection.rawValue]?.proven.insert(address) }
    }

    /// The body of a program's next message: who says it, and its number.
    func message(number: UInt16, from guest: Guest, size: Int) -> [UInt8] {
        guest.process.bigEndianBytes + number.bigEndianBytes + Array(repeating: 0, count: size)
    }

    // MARK: What must hold

    mutating func check(_ host: HostedRoom, now: HostTime) {
        if let due = host.coordinator.nextDeadline {
            precondition(due > now, "the host's deadline lies in the past: its loop would spin")
        }
        let reports = host.coordinator.reports(now: now)
        checkSeats(reports, host)
        for report in reports {
            precondition(report.epoch.isBalanced, "the datagram ledger's law is broken")
            let samples = report.samples
            precondition(
                samples.delivered + samples.late + samples.abandoned <= samples.expected,
                "the sample ledger's law is broken")
            if report.seatState == .active {
                let idle = host.coordinator.configuration.idleTimeout.wholeNanoseconds
                precondition(report.silentFor < idle, "a seat outlives its time of silence")
                precondition(report.silentFor < 1_000_000_000 || report.link == .silent, "a silence is not told")
            }
            if report.isPathValidated, let connection = report.connection, let address = report.address {
                precondition(
                    paths[connection.rawValue]?.proven.contains(address) == true,
                    "an address counts as proven where no probe was heard")
            }
        }
        let disorder = order.problems(host.sink)
        precondition(disorder.isEmpty, disorder.joined(separator: "; "))
        checkMessages(host)
    }

    private func checkSeats(_ reports: [PeerReport], _ host: HostedRoom) {
        let seats = host.coordinator.configuration.seats
        precondition(reports.count <= seats, "more hold a seat than there are")
        precondition(reports.count + host.coordinator.freeSeats == seats, "a seat is neither free nor held")
        precondition(reports.allSatisfy { (1...seats).contains($0.seat) }, "a seat beyond the room")
        precondition(Set(reports.map(\.seat)).count == reports.count, "two hold one seat")
        precondition(Set(reports.map(\.controller)).count == reports.count, "one controller holds two seats")
        precondition(Set(reports.map(\.name)).count == reports.count, "two bear one name")
        let connections = reports.compactMap(\.connection)
        precondition(Set(connections).count == connections.count, "two links have one id")
        precondition(Set(reports.map(\.peer)) == present, "who is there is not who joined and has not left")
        for report in reports {
            precondition(host.disk.count { $0.controller == report.controller } == 1, "a seat is not on the disk")
        }
    }

    private mutating func checkMessages(_ host: HostedRoom) {
        for (_, body) in host.messages[messagesRead...] {
            let (program, number) = (body[0..<8].number, UInt16(truncatingIfNeeded: body[8..<10].number))
            if let last = messages[program] {
                precondition(number == last + 1, "a message is missing, out of order, or there twice")
            }
            messages[program] = number
        }
        messagesRead = host.messages.count
    }
}

extension ArraySlice<UInt8> {
    fileprivate var number: UInt64 { reduce(0) { $0 << 8 | UInt64($1) } }
}

/// The way to one link epoch's controller, by the datagrams that arrived: RFC 9000, section 9.3, worked out anew.
private struct Path {
    private let key: LinkKey
    private var numbers: Set<UInt32> = []
    private var highest: Int64 = -1
    private var address: PeerAddress?
    private var received = 0
    private var sent = 0
    /// Where a probe was heard by the one who can answer it.
    var proven: Set<PeerAddress> = []

    init(key: LinkKey) { self.key = key }

    mutating func arrived(_ entry: SentRecord, from source: PeerAddress) {
        // A host that died may give a connection id of its earlier life to another link; the keys are always new.
        guard entry.key == key, highest - Int64(entry.number) < 1_024, numbers.insert(entry.number).inserted else {
            return
        }
        if Int64(entry.number) > highest {
            highest = Int64(entry.number)
            if address != source { (address, received, sent) = (source, 0, 0) }
        }
        if address == source { received += entry.bytes }
    }

    mutating func fed(_ bytes: Int, to destination: PeerAddress) {
        precondition(address == destination, "something is sent where the peer is not")
        sent += bytes
        precondition(
            proven.contains(destination) || sent <= 3 * received,
            "more than three times the bytes received are sent to an address not proven")
    }
}
