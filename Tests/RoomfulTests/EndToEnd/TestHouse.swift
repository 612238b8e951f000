import Foundation
import InputMerge
import Synchronization
import WireProtocol

@testable import ControllerClient
@testable import Datagrams
@testable import Identity
@testable import PrivateFiles
@testable import RoomRecords
@testable import RoomServer
@testable import Roomful

/// A place for one end-to-end test: folders of its own, a room on a free port of this machine, nothing advertised nor looked for.
struct TestHouse: Sendable {
    let folder: String

    init() throws {
        folder = NSTemporaryDirectory() + "roomful-house-" + UUID().uuidString.prefix(8)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    func remove() { try? FileManager.default.removeItem(atPath: folder) }

    func state(_ who: String) throws -> StateFolder { try StateFolder(folder + "/" + who) }

    func options(_ name: String = "Living Room", seats: Int = 4) throws -> RoomOptions {
        var options = RoomOptions(name: name, seats: seats, policy: .open)
        options.discovery = .none
        // Who plays in these tests pushes, and does not leave the ground.
        options.merge.gestures = GestureDefinition.all
        options.state = try state("host")
        return options
    }

    func controller(_ name: String, logging: Bool = false) throws -> ControllerOptions {
        var options = ControllerOptions(
            name: name, timeout: patience, stateFolder: try state("controller-" + name), logsDatagrams: logging)
        options.discovery = .none
        return options
    }
}

extension Room {
    /// A ticket for this machine alone.
    var local: RoomAddress {
        get throws {
            guard let address = Ticket.Address("127.0.0.1:\(port)") else { throw RoomError(.network, "no loopback") }
            return .ticket(
                try Ticket(
                    addresses: [address], pin: ticket.pin, code: ticket.code, room: name, roomID: ticket.roomID))
        }
    }

    /// Waits until the peers look as expected, for at most a minute, and returns how they looked last.
    func peers(within limit: Duration = patience, until isSo: ([PeerStatus]) -> Bool) async throws -> [PeerStatus] {
        let deadline = HostClock.now() + limit
        while true {
            let peers = try await peers()
            if isSo(peers) || HostClock.now() >= deadline { return peers }
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}

/// Samples of somebody who stands still and jumps each second, 100 a second.
struct Jumper {
    private var tick: Int64 = 0
    private let start = Controller.deviceTimeNow()

    /// The sample after `tick` hundredths of a second: at rest face up, y pushed to 1 g for 80 ms in each second.
    mutating func next() -> Sample {
        defer { tick += 1 }
        let isJumping = tick % 100 >= 50 && tick % 100 < 58
        return Sample(
            sampledAt: start + .milliseconds(10 * tick),
            acceleration: SIMD3(0, isJumping ? -9.81 : 0, 9.80665))
    }
}

/// Collects what a task hears, for a test to look at.
final class Heard<Element: Sendable>: Sendable {
    private let elements = Mutex<[Element]>([])
    var all: [Element] { elements.withLock { $0 } }
    func note(_ element: Element) { elements.withLock { $0.append(element) } }
}

extension Int? {
    /// -1 for what is not known: no count is.
    var orNone: Int { self ?? -1 }
}
