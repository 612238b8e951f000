import Foundation
import Synchronization
import WireProtocol

@testable import Datagrams
@testable import Roomful

/// Stands between a controller and its host, passes every datagram on as it is, and keeps a copy of what went up: what
/// anyone in the same radio cell can do.
final class Tap: Sendable {
    private struct State {
        var captured: [[UInt8]] = []
        var controller: PeerAddress?
        var isHolding = false
        var isOver = false
    }

    let address: PeerAddress
    private let host: PeerAddress
    private let socket: DatagramSocket
    private let bell: Doorbell
    private let state = Mutex(State())

    /// - Parameter host: under which of the machine's own addresses it knows the host.
    init(to port: UInt16, at host: UInt32 = 0x7F00_0001) throws {
        socket = try DatagramSocket(at: PeerAddress(ipv4: 0x7F00_0001, port: 0))
        bell = try Doorbell()
        address = socket.address
        self.host = PeerAddress(ipv4: host, port: port)
        Thread { [self] in run() }.start()
    }

    /// Everything that the controller sent, in order.
    var captured: [[UInt8]] { state.withLock { $0.captured } }

    /// From now on copies are kept, and nothing goes up any more.
    func hold() { state.withLock { $0.isHolding = true } }

    func stop() {
        state.withLock { $0.isOver = true }
        bell.ring()
    }

    private func run() {
        let (incoming, outgoing) = (IncomingBatch(), OutgoingBatch())
        while !state.withLock({ $0.isOver }) {
            _ = socket.wait(orFor: bell)
            guard let count = try? socket.receive(into: incoming) else { return }
            for place in 0..<count {
                guard let target = target(of: Array(incoming[place]), from: incoming.sender(at: place)) else {
                    continue
                }
                outgoing.room.copyBytes(from: incoming[place])
                outgoing.append(incoming.length(at: place), to: target)
            }
            socket.send(outgoing)
        }
    }

    private func target(of datagram: [UInt8], from sender: PeerAddress) -> PeerAddress? {
        state.withLock { state in
            if sender == host { return state.controller }
            state.controller = sender
            state.captured.append(datagram)
            return state.isHolding ? nil : host
        }
    }
}

/// Someone on the network who has no seat, and sends what he likes to a host on this machine.
struct Stranger {
    private let socket: DatagramSocket
    private let host: PeerAddress
    private let batch = OutgoingBatch()

    init(to port: UInt16) throws {
        socket = try DatagramSocket(at: PeerAddress(ipv4: 0x7F00_0001, port: 0))
        host = PeerAddress(ipv4: 0x7F00_0001, port: port)
    }

    /// Returns how many the kernel took.
    @discardableResult
    func send(_ datagrams: some Sequence<[UInt8]>) -> Int {
        var sent = 0
        for datagram in datagrams {
            if batch.isFull { sent += socket.send(batch).sent }
            batch.room.copyBytes(from: datagram)
            batch.append(datagram.count, to: host)
        }
        return sent + socket.send(batch).sent
    }

    /// How many datagrams came back.
    var answers: Int {
        get throws { try socket.receive(into: IncomingBatch()) }
    }
}
