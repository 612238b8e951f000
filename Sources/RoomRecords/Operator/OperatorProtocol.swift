package import RoomEngine
package import WireProtocol

/// What an operator's program asks of a room on the same machine: one JSON object a line.
package struct OperatorRequest: Hashable, Sendable, Codable {
    package enum Task: String, Hashable, Sendable, Codable, CaseIterable {
        case status, ticket, pages, peers, departed, events, accept, decline, kick, lock, unlock, identify, rezero, stop
        case seatMove, seatSwap, latency, rename, play, send
        case invite, withdraw, nearby
        case teach, lessonCancel, taught, taughtRename, taughtRemove, taughtRefuse, sensitivity
        case recordStart, recordStop, recordStatus, mark
        case reload, handover, detect, site, move
        case watermarks
    }

    package var task: Task
    /// Not of the room that is asked, but of this one of its site: its name, its id, or the beginning of it.
    package var room: String?
    package var who: String?
    package var message: String?
    /// For `seatMove` and `invite`: the seat, from 1.
    package var seat: Int?
    /// For `invite`: the address in place of `who`, `host:port`; everyone who waits nearby; for how many ms it stands.
    /// `message` is the context.
    package var at: String?
    package var all: Bool?
    package var timeout: Double?
    /// For `move`: which room of the site, by its name, its id or the beginning of it. `seat` and `timeout` as for `invite`.
    package var to: String?
    /// For `seatSwap`: who the seats are changed with.
    package var other: String?
    /// For `teach`, `taughtRename` and `taughtRemove`: which gesture.
    package var gesture: String?
    /// For `teach`: how many examples.
    package var times: Int?
    /// For `taughtRename` and `rename`: the new name.
    package var name: String?
    /// For `detect`: what controllers look for themselves; nothing for none.
    package var gestures: [String]?
    /// For `sensitivity`: 0.5 to 2.
    package var value: Double?
    /// For `play`: 0 to 1, and the duration in ms, at most 5,000.
    package var intensity: Double?
    package var sharpness: Double?
    package var duration: Double?
    /// For `send`: at most 511 bytes. For `mark`: what the moment is called, at most 200.
    package var text: String?
    /// For `recordStart`: the file or folder; absolute.
    package var path: String?
    /// For `recordStart`: who agreed to what; else what was said of the evening.
    package var consent: String?
    /// For `recordStart`: in place of `path`, a file in the room's own folder, for as long as this connection lasts. On the
    /// host's own socket alone.
    package var tied: Bool?
    /// For `status` and `peers`: each peer's last minute, and what is wrong with it, too.
    package var minute: Bool?
    /// For `stop`: in how many ms the room will be open again.
    package var backIn: Double?
    /// For `events`: begin after this number, and of which opening it is, as its `hello` said.
    package var after: Int?
    package var openedAt: String?
    /// For `events`: motion too.
    package var motion: Bool?

    package init(
        _ task: Task, who: String? = nil, message: String? = nil, after place: EventPlace? = nil, motion: Bool? = nil
    ) {
        self.task = task
        self.who = who
        self.message = message
        after = place?.number
        openedAt = place?.openedAt
        self.motion = motion
    }

    /// Where events are to begin; `nil` for what comes from now on.
    package var place: EventPlace? { after.map { EventPlace($0, openedAt: openedAt) } }

    /// The longest line that is read, in bytes.
    package static let longestLine = 65_536
}

/// What the room answers: one line for a request, and one for each event where events were asked for.
package struct OperatorReply: Hashable, Sendable, Codable {
    package var error: Failure?
    package var status: RoomStatus?
    /// What a controller needs to join, as the text of its file. Holds the code.
    package var ticket: String?
    /// With the ticket: what a QR code holds. Holds the code too.
    package var url: String?
    /// With the ticket: the code that people type, where one is needed.
    package var code: String?
    /// What became of each who was let in.
    package var accepted: [Acceptance]?
    /// With the ticket: the QR code of `url`, as SVG.
    package var qr: String?
    /// With the ticket: whether phones will warn of a certificate that they do not know.
    package var warns: Bool?
    /// The operator's page, for a browser on this machine first. Each holds the operator's token.
    package var pages: [String]?
    /// With the pages: where games on this machine find the room; holds the game token.
    package var game: String?
    /// With the pages: the game that is played, for a browser on this machine; holds the game token.
    package var gamePage: String?
    /// With the pages: for a big screen, which shows the way in while nobody plays; holds the game token.
    package var screen: String?
    package var peers: [PeerStatus]?
    package var latency: [PeerLatency]?
    package var event: EventRecord?
    package var taught: [TaughtSummary]?
    /// The controllers that wait nearby to be called.
    package var nearby: [NearbyController]?
    /// With the ticket, where this room serves its site's lobby: what that QR code holds.
    package var lobby: String?
    /// With the ticket and the pages: what befell the network of the room's machine, where that is worth telling.
    package var network: RoomStatus.Network?
    /// Where a player has gone.
    package var moved: MoveReport?
    /// How the invitations ended.
    package var invited: [InvitationOutcome]?
    /// Events that this listener was too slow for, so far.
    package var lost: Int?
    /// What of its configuration the program took over.
    package var reload: ReloadReport?
    /// How the room's recording stands.
    package var recording: RecordingStatus?
    /// How the rooms of its site stand.
    package var site: SiteOverview?
    /// Until when everything is known that its players did.
    package var watermarks: RoomWatermarks?

    package struct Failure: Hashable, Sendable, Codable {
        package var code: String
        package var message: String
        package var candidates: [String]

        package init(code: String, message: String, candidates: [String] = []) {
            self.code = code
            self.message = message
            self.candidates = candidates
        }

        package init(_ error: RoomError) {
            self.init(code: error.code.rawValue, message: error.message, candidates: error.candidates)
        }

        /// The same for whoever asked.
        package var error: RoomError {
            RoomError(RoomError.Code(rawValue: code), message, candidates: candidates)
        }
    }

    package init(error: Failure? = nil, event: EventRecord? = nil, lost: Int? = nil) {
        self.error = error
        self.event = event
        self.lost = lost
    }

    package init(_ error: RoomError) { self.init(error: Failure(error)) }
}
