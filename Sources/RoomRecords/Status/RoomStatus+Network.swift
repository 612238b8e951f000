import Foundation

extension RoomStatus {
    /// What befell the network of the host's own machine: whoever fell silent by that is not to blame.
    package struct Network: Hashable, Sendable, Codable {
        /// The machine is in none. Otherwise it has another address, for less than a minute.
        package var isLost: Bool
        /// How long ago it was seen without the address that the room went by.
        package var agoMs: Double

        package init(isLost: Bool, agoMs: Double) { (self.isLost, self.agoMs) = (isLost, agoMs) }

        package var words: String {
            let time = String(format: "%.0f s", agoMs / 1_000)
            return isLost
                ? "the room's machine itself has been in no network for \(time)"
                : "the room's machine itself lost its address \(time) ago, and has another now"
        }

        /// The machine looks after its addresses every 3 s, and believes new ones at the second look.
        private static let (late, early) = (10_000.0, 3_000.0)

        /// Whether a silence that began so long ago may come of it.
        func explains(silenceOf milliseconds: Double) -> Bool {
            milliseconds < agoMs + Self.late && (isLost || milliseconds > agoMs - Self.early)
        }

        var trouble: PeerStatus.Trouble {
            isLost
                ? .init("hostOffline", timeMs: agoMs, words + ": nobody else is heard")
                : .init("hostMoved", timeMs: agoMs, words + ": a phone has to scan the new QR code")
        }
    }
}
