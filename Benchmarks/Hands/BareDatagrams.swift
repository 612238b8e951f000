import Foundation
import RawLoop
import Roomful
import Synchronization
import WireProtocol

/// What this machine makes of the least that is like it: between two presses each player's thread sends one bare datagram,
/// which a thread of the room's process waits for. Nothing is sealed, booked, merged or told.
final class BareDatagrams: Sendable {
    let port: UInt16
    private let socket: Int32
    private let delays = Mutex<[Double]>([])

    init() throws {
        var port: UInt16 = 0
        socket = raw_open(1 << 16, &port)
        guard socket >= 0 else { throw HandsBenchmark.Misuse(description: "no socket for bare datagrams") }
        self.port = port
        Thread { [self] in read() }.start()
    }

    /// How long each was on its way, in milliseconds, in so many rounds one after the other.
    func delays(in rounds: Int) -> [[Double]] {
        let all = delays.withLock { $0 }
        return (0..<rounds).map { round in
            Array(all[round * all.count / rounds..<(round + 1) * all.count / rounds])
        }
    }

    /// Until the program ends.
    private func read() {
        var sent = Int64(0)
        while recv(socket, &sent, MemoryLayout<Int64>.size, 0) == MemoryLayout<Int64>.size {
            let delay = Double(Controller.deviceTimeNow().nanoseconds - sent) / 1e6
            delays.withLock { $0.append(delay) }
        }
    }

    /// One player's way to it.
    struct Sender {
        private let socket: Int32

        init(to port: UInt16) throws {
            socket = raw_connect(port)
            guard socket >= 0 else { throw HandsBenchmark.Misuse(description: "no socket to send bare datagrams by") }
        }

        /// The datagram says when it was sent.
        func send() {
            var now = Controller.deviceTimeNow().nanoseconds
            _ = Foundation.send(socket, &now, MemoryLayout<Int64>.size, 0)
        }
    }
}
