import LinkEmulation
import Roomful
import WireProtocol

/// One controller on its way through a relay: a port of its own towards the room, and a bad link each way.
struct RelayedSender {
    /// The name that a datagram bears.
    struct Label {
        var connection: ConnectionID
        var number: UInt32
    }

    let address: PeerAddress
    let socket: DatagramSocket
    private(set) var up: ImpairedLink<[UInt8]>
    private(set) var down: ImpairedLink<[UInt8]>
    /// What each datagram that went up is called, by its place among all that did; `nil` for what has no header.
    private var labels: [Label?] = []

    /// - Parameter place: which sender it is, from 0: its links' seeds follow from it.
    init(_ address: PeerAddress, place: Int, setup: RelaySetup) throws(SocketError) {
        self.address = address
        socket = try DatagramSocket()
        var seeds = SeededGenerator(seed: setup.seed &+ UInt64(place) &* 0x9E37_79B9_7F4A_7C15)
        up = ImpairedLink(setup.up, seed: seeds.next())
        down = ImpairedLink(setup.down, seed: seeds.next())
    }

    /// When the next datagram is to be passed on, in nanoseconds on the loop's clock.
    var nextDeadline: Int64? { [up.nextDeadline, down.nextDeadline].compactMap(\.self).min() }

    mutating func sendUp(_ bytes: UnsafeRawBufferPointer, at now: Int64, to report: inout RelayReport) {
        let label = (try? DatagramHeader(reading: bytes)).map {
            Label(connection: $0.connection, number: $0.number)
        }
        labels.append(label)
        let fate = up.send(Array(bytes), at: now)
        guard let label else { return report.unreadable += 1 }
        switch fate {
        case .down, .lost: report.change(label.connection) { $0.took(label.number, isLost: true, isDuplicated: false) }
        case .carried(_, let copy):
            report.change(label.connection) { $0.took(label.number, isLost: false, isDuplicated: copy != nil) }
        }
    }

    mutating func sendDown(_ bytes: UnsafeRawBufferPointer, at now: Int64, to report: inout RelayReport) {
        report.downTaken += 1
        _ = down.send(Array(bytes), at: now)
    }

    /// Passes on what is due.
    ///
    /// - Parameters:
    ///   - front: the relay's own socket, which controllers know.
    ///   - host: where the room is.
    mutating func passOn(
        until now: Int64, from front: DatagramSocket, to host: PeerAddress, through batch: OutgoingBatch,
        report: inout RelayReport
    ) {
        for arrival in up.deliver(until: now) {
            if let label = labels[arrival.serial] {
                report.change(label.connection) { $0.passedOn(label.number, isWhole: !arrival.isCorrupted) }
            }
            report.unsent += batch.add(arrival.payload, to: host, from: socket)
        }
        report.unsent += batch.flush(from: socket)
        for arrival in down.deliver(until: now) {
            report.downDelivered += 1
            report.unsent += batch.add(arrival.payload, to: address, from: front)
        }
        report.unsent += batch.flush(from: front)
    }
}

extension RelayReport {
    fileprivate mutating func change(_ connection: ConnectionID, _ body: (inout FatesOfConnection) -> Void) {
        // The one asked for last is nearly always among the last ones; a relay sees few in its life.
        let place = connections.firstIndex { $0.connection == connection.rawValue } ?? connections.endIndex
        if place == connections.endIndex { connections.append(FatesOfConnection(connection)) }
        body(&connections[place])
    }
}

extension OutgoingBatch {
    /// Takes a datagram, after sending those that wait if there is no room. Returns how many could not be sent.
    fileprivate func add(_ bytes: [UInt8], to address: PeerAddress, from socket: DatagramSocket) -> Int {
        let unsent = isFull ? flush(from: socket) : 0
        room.copyBytes(from: bytes)
        append(bytes.count, to: address)
        return unsent
    }

    /// Sends those that wait. Returns how many could not be sent.
    fileprivate func flush(from socket: DatagramSocket) -> Int {
        guard !isEmpty else { return 0 }
        let tally = socket.send(self)
        return tally.crowdedOut + tally.refused
    }
}
