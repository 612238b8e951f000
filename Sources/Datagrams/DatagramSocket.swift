internal import CDatagrams
internal import Glibc
package import WireProtocol

/// One UDP port, read and written 64 datagrams at a time, by one thread that sleeps in ``wait(orFor:atMost:)``.
///
/// It serves IPv4 and IPv6 at once, IPv4 alone where the machine has no IPv6. Nothing here allocates for a datagram.
package final class DatagramSocket: Sendable {
    /// What a socket is opened with.
    package struct Options: Sendable {
        /// Bytes of receive buffer to ask for. 4 MiB hold about 25 ms at 400,000 datagrams a second.
        package var receiveBufferBytes = 4 << 20
        /// Whether the kernel stamps arrivals: exact jitter, for 13 to 15 % of the receive path's speed.
        package var stampsArrivals = false
        /// Whether the kernel says of each datagram which of this machine's addresses it was sent to: for whoever answers
        /// under an address that others dial.
        package var notesDialled = false
        /// Leaves IPv6 out.
        var isIPv4Only = false

        package init() {}

        /// What a room asks for: 16 KiB a seat, 4 to 64 MiB. While the room's thread gets no processor, that keeps about a
        /// second of each controller's datagrams at 30 a second.
        package static func receiveBufferBytes(seats: Int) -> Int {
            min(max(seats, 256), 4_096) * (16 << 10)
        }
    }

    /// What a wait ended with: nothing when the time had passed or a signal came.
    package struct Wake: OptionSet, Sendable {
        package let rawValue: Int32
        package init(rawValue: Int32) { self.rawValue = rawValue }

        package static let datagrams = Wake(rawValue: 1)
        /// The bell rang, and has been silenced: what it announced must be looked for now.
        package static let bell = Wake(rawValue: 2)
        /// Datagrams wait in the other socket.
        package static let others = Wake(rawValue: 4)
        /// Datagrams may wait in either. Said here: a literal elsewhere is put together by code that knows no type.
        package static let arrivals: Wake = [.datagrams, .others]
    }

    /// What became of a batch.
    package struct SendTally: Hashable, Sendable {
        /// Given to the kernel.
        package var sent = 0
        /// Lost because the kernel had no room; like those lost on the way, they will be repeated.
        package var crowdedOut = 0
        /// Those that the kernel refused to send where they should go: no route, forbidden, too long for the network.
        package var refused = 0
    }

    /// The address that the socket is bound to, with the port that the system chose if none was asked for.
    package let address: PeerAddress
    /// Bytes of receive buffer that the system granted, by the measure in which they were asked for.
    package let receiveBufferBytes: Int
    /// Whether IPv6 peers are served too.
    package let servesIPv6: Bool

    /// For waiting on several sockets at once; nobody else reads, writes or closes it.
    package let descriptor: Int32

    package init(at address: PeerAddress = .any(port: 0), options: Options = Options()) throws(SocketError) {
        let task = "cannot open UDP port \(address.port)"
        (descriptor, servesIPv6) = try DatagramSocket.open(address, isIPv4Only: options.isIPv4Only, task: task)
        do throws(SocketError) {
            (self.address, receiveBufferBytes) = try DatagramSocket.configure(
                descriptor, servesIPv6: servesIPv6, options, task: task)
        } catch {
            close(descriptor)
            throw error
        }
    }

    deinit { close(descriptor) }

    /// Datagrams that the kernel threw away since the socket was opened, for want of room or a wrong checksum; `nil`
    /// when it does not say. Read when the ledger is, at the cost of one system call.
    package var kernelDrops: Int? {
        let drops = datagram_socket_drops(descriptor)
        return drops < 0 ? nil : Int(drops)
    }

    /// Sleeps until a datagram can be read here or from another socket, the bell rings or `limit` has passed; for ever
    /// without a limit.
    package func wait(
        orFor bell: Doorbell? = nil, and other: DatagramSocket? = nil, atMost limit: Duration? = nil
    ) -> Wake {
        let nanoseconds = limit.map { max(0, $0.wholeNanoseconds) } ?? -1
        let wake = Wake(
            rawValue: datagram_wait(descriptor, bell?.descriptor ?? -1, other?.descriptor ?? -1, nanoseconds))
        if wake.contains(.bell) { bell?.silence() }
        return wake
    }

    /// Takes up to 64 datagrams without waiting, in the order of their arrival, and returns how many there were.
    @discardableResult
    package func receive(into batch: IncomingBatch) throws(SocketError) -> Int {
        batch.count = 0
        let count = datagram_batch_receive(descriptor, batch.memory)
        guard count >= 0 else {
            throw SocketError(number: -count, doing: "cannot read UDP port \(address.port)", port: address.port)
        }
        batch.count = Int(count)
        return batch.count
    }

    /// Sends what the batch holds without waiting, and empties it.
    @discardableResult
    package func send(_ batch: OutgoingBatch) -> SendTally {
        var tally = SendTally()
        let family = DatagramSocket.family(servesIPv6: servesIPv6)
        let end = Int32(batch.count)
        var next: Int32 = 0
        while next < end {
            let result = datagram_batch_send(descriptor, family, batch.memory, next, end)
            if result > 0 {
                tally.sent += Int(result)
                next += result
            } else if [0, -EAGAIN, -ENOBUFS, -ENOMEM].contains(result) {
                tally.crowdedOut += Int(end - next)
                next = end
            } else {
                tally.refused += 1
                next += 1
            }
        }
        batch.count = 0
        return tally
    }

    private static func family(servesIPv6: Bool) -> Int32 { servesIPv6 ? AF_INET6 : AF_INET }

    private static func open(
        _ address: PeerAddress, isIPv4Only: Bool, task: String
    ) throws(SocketError) -> (descriptor: Int32, servesIPv6: Bool) {
        if !isIPv4Only {
            let opened = datagram_socket_open(AF_INET6, datagram_address(address))
            if opened >= 0 { return (opened, true) }
            // Without IPv6 in the kernel the first fails, with it switched off the second.
            guard opened == -EAFNOSUPPORT || opened == -EADDRNOTAVAIL else {
                throw SocketError(number: -opened, doing: task, port: address.port)
            }
        }
        let opened = datagram_socket_open(AF_INET, datagram_address(address))
        guard opened >= 0 else { throw SocketError(number: -opened, doing: task, port: address.port) }
        return (opened, false)
    }

    private static func configure(
        _ descriptor: Int32, servesIPv6: Bool, _ options: Options, task: String
    ) throws(SocketError) -> (address: PeerAddress, receiveBufferBytes: Int) {
        func check(_ result: Int32) throws(SocketError) -> Int32 {
            guard result >= 0 else { throw SocketError(number: -result, doing: task) }
            return result
        }
        var bound = datagram_address()
        _ = try check(datagram_socket_address(descriptor, &bound))
        if options.stampsArrivals { _ = try check(datagram_socket_stamp_arrivals(descriptor)) }
        if options.notesDialled {
            _ = try check(datagram_socket_note_dialled(descriptor, family(servesIPv6: servesIPv6)))
        }
        let wanted = Int32(clamping: options.receiveBufferBytes)
        return (PeerAddress(bound), Int(try check(datagram_socket_receive_buffer(descriptor, wanted))))
    }
}
