import Connections
import Datagrams
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization
import WireProtocol

/// One port, TCP and UDP, open for as long as a phone is waited for.
///
/// Plain HTTP on purpose: the page holds no secret and takes none, and a certificate's warning would stand between a
/// phone and the one question, whether it can reach this machine. Datagrams are counted by where they come from, and
/// never answered.
final class PhoneTrialServer: Sendable {
    static let mostConnections = 64
    /// From the first byte to the last of a connection.
    private static let patience: TimeAmount = .seconds(5)

    let port: UInt16
    private let channel: any Channel
    private let socket: DatagramSocket
    let desk: PhoneTrialDesk

    private init(_ channel: any Channel, _ socket: DatagramSocket, port: UInt16, desk: PhoneTrialDesk) {
        self.channel = channel
        self.socket = socket
        self.port = port
        self.desk = desk
    }

    /// - Parameter port: 0 takes any that is free for both.
    /// - Throws: ``RoomError`` when the port cannot be had.
    static func open(port: UInt16, until end: ContinuousClock.Instant) async throws -> PhoneTrialServer {
        let desk = PhoneTrialDesk(own: SystemInterface.all().flatMap(\.addresses), end: end)
        for attempt in 1... {
            let channel = try await listen(port, desk)
            guard let bound = channel.localAddress?.port.map(UInt16.init) else {
                throw RoomError(.network, "the system did not say which port it gave")
            }
            do {
                return PhoneTrialServer(
                    channel, try DatagramSocket(at: .any(port: bound)), port: bound, desk: desk)
            } catch {
                try? await channel.close()
                guard port == 0, attempt < 8 else { throw inUse(port) }
            }
        }
        throw inUse(port)
    }

    /// Notes who sent the datagrams that wait, at most 2,048.
    func collect() {
        let batch = IncomingBatch()
        for _ in 0..<32 {
            guard let count = try? socket.receive(into: batch), count > 0 else { return }
            desk.arrived(by: .udp, (0..<count).map(batch.sender))
        }
    }

    var trial: PhoneTrial { desk.trial }

    func shutDown() async { try? await channel.close() }

    private static func inUse(_ port: UInt16) -> RoomError {
        RoomError(.portInUse, "port \(port) is in use, by a room perhaps; choose another with --port, or leave it out")
    }

    private static func listen(_ port: UInt16, _ desk: PhoneTrialDesk) async throws -> any Channel {
        let bootstrap = ServerBootstrap.briefRequests(
            atMost: mostConnections, within: patience,
            arrived: { channel in
                if let device = channel.remoteAddress.flatMap({ PeerAddress($0) }) { desk.arrived(by: .tcp, [device]) }
            },
            handler: { PhoneTrialHandler(desk) })
        do {
            return try await bootstrap.bindAnywhere(port: port)
        } catch let error as IOError where error.errnoCode == EADDRINUSE {
            throw inUse(port)
        } catch let error as IOError where error.errnoCode == EACCES {
            throw RoomError(.network, "port \(port) is not allowed to this user; choose one above 1023 with --port")
        }
    }
}

/// What came in, for the page, for the terminal, and for the verdict.
final class PhoneTrialDesk: Sendable {
    let end: ContinuousClock.Instant
    private let state: Mutex<PhoneTrial>

    init(own: [PeerAddress], end: ContinuousClock.Instant) {
        self.end = end
        state = Mutex(PhoneTrial(own: own))
    }

    var trial: PhoneTrial { state.withLock { $0 } }

    func arrived(by way: PhoneTrial.Way, _ senders: [PeerAddress]) {
        state.withLock { trial in
            for sender in senders { trial.arrived(by: way, from: sender) }
        }
    }
}
