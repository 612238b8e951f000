import Datagrams
import LinkEmulation
import Roomful
import WireProtocol

/// One controller on its way through a relay: a port of its own towards the room, and a bad link each way.
struct RelayedSender {
    let address: PeerAddress
    let socket: DatagramSocket
    private var up: ImpairedLink<RelayedDatagram>
    private var down: ImpairedLink<[UInt8]>

    /// - Parameter place: which sender it is, from 0: its links' seeds follow from it.
    init(_ address: PeerAddress, place: Int, setup: RelaySetup) throws(SocketError) {
        self.address = address
        var options = DatagramSocket.Options()
        options.receiveBufferBytes = 256 << 10
        socket = try DatagramSocket(options: options)
        var seeds = SeededGenerator(seed: setup.seed &+ UInt64(place) &* 0x9E37_79B9_7F4A_7C15)
        up = ImpairedLink(setup.up, seed: seeds.next())
        down = ImpairedLink(setup.down, seed: seeds.next())
    }

    /// When the next datagram is to be passed on, in nanoseconds on the loop's clock.
    var nextDeadline: Int64? { [up.nextDeadline, down.nextDeadline].compactMap(\.self).min() }

    mutating func sendUp(_ bytes: UnsafeRawBufferPointer, at now: Int64, books: inout RelayBooks) {
        let datagram = RelayedDatagram(bytes)
        switch up.send(datagram, at: now) {
        case .down, .lost: books.took(datagram.label, .lost, at: now)
        case .carried(_, let copy): books.took(datagram.label, copy == nil ? .carried : .doubled, at: now)
        }
    }

    mutating func sendDown(_ bytes: UnsafeRawBufferPointer, at now: Int64, books: inout RelayBooks) {
        books.report.downTaken += 1
        _ = down.send(Array(bytes), at: now)
    }

    /// Passes on what is due until `limit`.
    ///
    /// - Parameters:
    ///   - now: the time that is noted.
    ///   - front: the relay's own socket, which controllers know; `back` gathers what goes through it.
    mutating func passOn(
        until limit: Int64, at now: Int64, to host: PeerAddress, through batch: OutgoingBatch,
        front: DatagramSocket, back: OutgoingBatch, books: inout RelayBooks
    ) {
        for arrival in up.deliver(until: limit) {
            books.passedOn(arrival.payload.label, isWhole: !arrival.isCorrupted, at: now)
            books.report.unsentUp += batch.add(arrival.payload.bytes, to: host, from: socket)
        }
        books.report.unsentUp += batch.flush(from: socket)
        for arrival in down.deliver(until: limit) {
            books.report.downDelivered += 1
            books.report.unsentDown += back.add(arrival.payload, to: address, from: front)
        }
    }
}

extension OutgoingBatch {
    /// Takes a datagram, after sending those that wait if there is no room. Returns how many could not be sent.
    func add(_ bytes: [UInt8], to address: PeerAddress, from socket: DatagramSocket) -> Int {
        let unsent = isFull ? flush(from: socket) : 0
        room.copyBytes(from: bytes)
        append(bytes.count, to: address)
        return unsent
    }

    /// Sends those that wait. Returns how many could not be sent.
    func flush(from socket: DatagramSocket) -> Int {
        guard !isEmpty else { return 0 }
        let tally = socket.send(self)
        return tally.crowdedOut + tally.refused
    }
}
