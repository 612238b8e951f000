import Glibc
import LinkEmulation
import Roomful
import WireProtocol

/// What a relay is told to do.
struct RelaySetup: Sendable {
    var listen: PeerAddress
    /// The room.
    var host: PeerAddress
    /// What happens on the way to the room, and on the way back.
    var up: NetworkConditions
    var down: NetworkConditions
    var seed: UInt64
}

/// The one thread of a relay: takes datagrams from controllers and the room, and passes each on when its time has come.
final class RelayLoop: Sendable {
    private static let mostSenders = 4_096

    /// Where it listens, with the port that the system chose if none was asked for.
    let address: PeerAddress
    private let setup: RelaySetup
    private let front: DatagramSocket
    private let bell: Doorbell

    /// Opens the port.
    init(_ setup: RelaySetup) throws(SocketError) {
        self.setup = setup
        front = try DatagramSocket(at: setup.listen)
        bell = try Doorbell()
        address = front.address
    }

    /// Makes ``run()`` return; from any thread.
    func stop() { bell.ring() }

    /// Works until ``stop()``; what is on its way then is delivered at once, in its order.
    func run() -> RelayReport {
        var report = RelayReport()
        var senders: [RelayedSender] = []
        var places: [PeerAddress: Int] = [:]
        let (incoming, outgoing) = (IncomingBatch(), OutgoingBatch())
        var isStopped = false
        while !isStopped {
            let readable = wait(senders)
            isStopped = readable.bell
            let now = Self.now()
            if readable.front {
                takeFromControllers(incoming, &senders, &places, at: now, to: &report)
            }
            for place in readable.senders { takeFromRoom(incoming, &senders[place], at: now, to: &report) }
            for place in senders.indices {
                senders[place].passOn(
                    until: isStopped ? .max : now, from: front, to: setup.host, through: outgoing, report: &report)
            }
        }
        report.connections.sort { $0.connection < $1.connection }
        report.kernelDrops = ([front] + senders.map(\.socket)).reduce(0) { sum, socket in
            guard let sum, let drops = socket.kernelDrops else { return nil }
            return sum + drops
        }
        return report
    }

    private func takeFromControllers(
        _ batch: IncomingBatch, _ senders: inout [RelayedSender], _ places: inout [PeerAddress: Int], at now: Int64,
        to report: inout RelayReport
    ) {
        while let count = try? front.receive(into: batch), count > 0 {
            for place in 0..<count {
                let address = batch.sender(at: place)
                if places[address] == nil, senders.count < Self.mostSenders,
                    let sender = try? RelayedSender(address, place: senders.count, setup: setup)
                {
                    places[address] = senders.count
                    senders.append(sender)
                }
                if let sender = places[address] {
                    senders[sender].sendUp(UnsafeRawBufferPointer(batch[place]), at: now, to: &report)
                } else {
                    report.turnedAway += 1
                }
            }
        }
    }

    private func takeFromRoom(
        _ batch: IncomingBatch, _ sender: inout RelayedSender, at now: Int64, to report: inout RelayReport
    ) {
        while let count = try? sender.socket.receive(into: batch), count > 0 {
            for place in 0..<count { sender.sendDown(UnsafeRawBufferPointer(batch[place]), at: now, to: &report) }
        }
    }

    // MARK: Waiting

    /// What there is to do.
    private struct Readable {
        var bell: Bool
        var front: Bool
        /// Places of the senders for whom something came from the room.
        var senders: [Int]
    }

    /// Sleeps until something comes, somebody rings, or a datagram is due.
    private func wait(_ senders: [RelayedSender]) -> Readable {
        var polled = ([bell.descriptor, front.descriptor] + senders.map(\.socket.descriptor)).map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        // Whole milliseconds, rounded up: what is due is passed on up to one late, never early.
        let limit = senders.compactMap(\.nextDeadline).min().map { deadline in
            Int32(clamping: (max(0, deadline - Self.now()) + 999_999) / 1_000_000)
        }
        poll(&polled, nfds_t(polled.count), limit ?? -1)
        return Readable(
            bell: polled[0].revents != 0, front: polled[1].revents != 0,
            senders: senders.indices.filter { polled[$0 + 2].revents != 0 })
    }

    private static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
