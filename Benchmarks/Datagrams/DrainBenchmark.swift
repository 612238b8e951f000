import RawLoop
import Roomful
import SessionCoordinator
import WireProtocol

/// Lets the same burst wait in a socket and drains it three ways: a bare C loop, our batches untouched, and our batches
/// opened, passed through each peer's replay window and their sender looked at.
final class DrainBenchmark {
    static let burst = 4_096

    private let cipher: LinkCipher
    private let host: DatagramSocket
    private let pad: DatagramSocket
    private let rawSocket: Int32
    private let rawAddress: PeerAddress
    private let hostAddress: PeerAddress
    private let outgoing = OutgoingBatch()
    private let incoming = IncomingBatch()
    private var windows = keys.map { _ in ReplayWindow() }
    private var next: UInt32 = 0

    init(cipher: LinkCipher) throws {
        self.cipher = cipher
        host = try DatagramSocket()
        pad = try DatagramSocket()
        var port: UInt16 = 0
        rawSocket = raw_open(4 << 20, &port)
        precondition(rawSocket >= 0, "the bare loop has a socket")
        rawAddress = PeerAddress(ipv4: 0x7F00_0001, port: port)
        hostAddress = PeerAddress(ipv4: 0x7F00_0001, port: host.address.port)
    }

    /// Nanoseconds of processor time a datagram, each way.
    func round() throws -> (raw: Double, read: Double, sealed: Double) {
        send(to: rawAddress)
        let raw = time { Int(raw_drain(rawSocket)) }
        send(to: hostAddress)
        let read = try time {
            var total = 0
            while try host.receive(into: incoming) > 0 { total += incoming.count }
            return total
        }
        send(to: hostAddress)
        let sealed = try time {
            var fresh = 0
            while try host.receive(into: incoming) > 0 { fresh += admitBatch() }
            return fresh
        }
        return (raw, read, sealed)
    }

    private func admitBatch() -> Int {
        var fresh = 0
        for index in 0..<incoming.count {
            let datagram = incoming[index]
            let number = datagram.loadUnaligned(fromByteOffset: 5, as: UInt32.self)
            let peer = Int(datagram.loadUnaligned(fromByteOffset: 1, as: UInt32.self))
            guard cipher.open(datagram, headerLength: headerLength, key: keys[peer], number: number),
                windows[peer].admit(number) == .newest, incoming.sender(at: index).port == pad.address.port
            else { continue }
            fresh += 1
        }
        return fresh
    }

    private func send(to address: PeerAddress) {
        for _ in 0..<Self.burst {
            let datagram = UnsafeMutableRawBufferPointer(rebasing: outgoing.room[..<datagramLength])
            let peer = Int(next) % keys.count
            datagram.storeBytes(of: UInt32(peer), toByteOffset: 1, as: UInt32.self)
            datagram.storeBytes(of: next, toByteOffset: 5, as: UInt32.self)
            cipher.seal(datagram, headerLength: headerLength, key: keys[peer], number: next)
            outgoing.append(datagramLength, to: address)
            next += 1
            if outgoing.isFull { pad.send(outgoing) }
        }
        pad.send(outgoing)
    }

    private func time(_ drain: () throws -> Int) rethrows -> Double {
        let start = raw_thread_time()
        let count = try drain()
        let elapsed = raw_thread_time() - start
        precondition(count == Self.burst, "the buffer holds the burst (net.core.rmem_max), and all of it opens")
        return Double(elapsed) / Double(count)
    }
}
