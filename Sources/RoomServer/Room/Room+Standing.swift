import Identity
import RoomEngine
package import RoomRecords
import WireProtocol

extension Room {
    /// What of an open room its host may change, as it is at this moment.
    struct Standing {
        var options: RoomOptions
        /// What the room's engine goes by: a recording that begins now begins with it.
        var engine: EngineConfiguration
        var ticket: Ticket
        /// The machine's that others are sent to, the best first.
        var addresses: [PeerAddress]
    }
}

/// How what serves browsers gets ready for other options. It throws where they cannot be, and changes nothing before the
/// answer is called.
package typealias FrontPreparation = @Sendable (RoomOptions) throws -> @Sendable () -> Void

/// Reads anew the file from which the program's rooms were opened.
package typealias Reloading = @Sendable () async throws -> ReloadReport
