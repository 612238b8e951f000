import Foundation
import LinkEmulation
import WireProtocol

/// How long the random tests go on: a few seeds every day, many with `ROOMFUL_SOAK=1`.
enum Soak {
    static let isOn = ProcessInfo.processInfo.environment["ROOMFUL_SOAK"] == "1"

    static func seeds(_ few: UInt64, soaking many: UInt64 = 100) -> ClosedRange<UInt64> { 1...(isOn ? many : few) }
}

extension SimulatedRoom {
    /// A room whose controllers have played over such a network for a while, after which everything has arrived that
    /// was not lost.
    ///
    /// - Parameter joinsAgain: whether they replace a link that is quiet; one that never does has one account.
    static func played(
        _ network: String, seed: UInt64, pads: Int = 2, for duration: Duration = .seconds(4), joinsAgain: Bool = true
    ) throws -> SimulatedRoom {
        var room = SimulatedRoom(pads, try NetworkConditions(parsing: network), seed: seed)
        for place in room.pads.indices { room.pads[place].joinsAgain = joinsAgain }
        room.joinAll()
        room.run(for: duration)
        room.drain()
        return room
    }
}
