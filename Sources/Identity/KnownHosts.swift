package import Foundation
package import WireProtocol

/// The rooms that this user has trusted, so that another machine cannot take one's place unnoticed.
///
/// Kept as SSH keeps its known hosts: one line a room in a file that people may read and edit,
///
///     room-id pin name first-seen last-address
///
/// where the name has its spaces and control characters percent-encoded. Lines that are no such line (comments, or
/// broken ones) are left alone.
package struct KnownHosts: Hashable, Sendable {
    /// A trusted room.
    package struct Entry: Hashable, Sendable {
        package var roomID: RoomID
        package var pin: Pin
        /// What the room was called when it was last joined.
        package var name: String
        /// When it was trusted first, in whole seconds of wall time.
        package var firstSeen: Date
        /// Where it was joined last, `host:port`; a hint, nothing more.
        package var lastAddress: String

        package init(roomID: RoomID, pin: Pin, name: String, firstSeen: Date, lastAddress: String) {
            self.roomID = roomID
            self.pin = pin
            self.name = name
            self.firstSeen = Date(timeIntervalSince1970: firstSeen.timeIntervalSince1970.rounded(.down))
            self.lastAddress = lastAddress
        }
    }

    /// How a room that presents itself stands to the known ones.
    package enum Decision: Hashable, Sendable {
        /// Never seen: somebody must vouch for it before anything secret is sent.
        case unknown
        /// The room that it says to be.
        case known(Entry)
        /// A known room with another key: a hard stop. `line` counts from 1.
        case changed(known: Entry, presented: Pin, line: Int)
        /// Another room under the name of a known one: to be joined only by somebody who knows of both.
        case nameBelongsToAnother(known: Entry, presented: Pin, line: Int)
    }

    /// A line of the file.
    package enum Line: Hashable, Sendable {
        case entry(Entry)
        case other(String)
    }

    package var lines: [Line] = []

    package init() {}

    // MARK: - Questions

    /// All known rooms, in the file's order.
    package var entries: [Entry] { numbered.map(\.entry) }

    /// Judges a room that proved to have `pin`'s key and says to be `roomID`, called `name`.
    package func decision(on roomID: RoomID, called name: String, presenting pin: Pin) -> Decision {
        let byID = numbered.first { $0.entry.roomID == roomID }
        if let byID, byID.entry.pin != pin {
            return .changed(known: byID.entry, presented: pin, line: byID.line)
        }
        if let byID, isSameName(byID.entry.name, name) { return .known(byID.entry) }

        // The name is new for this room, so it must not be another's.
        let namesakes = numbered.filter { isSameName($0.entry.name, name) }
        if let sameKey = namesakes.first(where: { $0.entry.pin == pin }) { return .known(sameKey.entry) }
        if let other = namesakes.first {
            return .nameBelongsToAnother(known: other.entry, presented: pin, line: other.line)
        }
        return byID.map { .known($0.entry) } ?? .unknown
    }

    /// The rooms known under `name`.
    package func entries(named name: String) -> [Entry] { entries.filter { isSameName($0.name, name) } }

    // MARK: - Commands

    /// Trusts a room, or notes its new name and address if it is trusted already; the first date stays.
    package mutating func remember(_ entry: Entry) {
        for index in lines.indices {
            guard case .entry(let old) = lines[index], old.roomID == entry.roomID else { continue }
            var renewed = entry
            renewed.firstSeen = old.firstSeen
            lines[index] = .entry(renewed)
            return
        }
        lines.append(.entry(entry))
    }

    // MARK: - Private

    private var numbered: [(line: Int, entry: Entry)] {
        lines.enumerated().compactMap { index, line in
            guard case .entry(let entry) = line else { return nil }
            return (index + 1, entry)
        }
    }
}

/// Names are compared as DNS-SD compares them: without regard to case (RFC 6763, 4.1.1 and RFC 1035, 2.3.3).
private func isSameName(_ a: String, _ b: String) -> Bool { a.lowercased() == b.lowercased() }

extension KnownHosts.Decision {
    /// Why a room must not be joined, saying which line of `file` stands in the way; `nil` if none does.
    package func refusal(called name: String, file: String) -> IdentityError? {
        switch self {
        case .unknown, .known:
            return nil
        case .changed(let known, let presented, let line):
            return IdentityError(
                .pinChanged,
                "the key of “\(printable(known.name))” has changed from \(known.pin.short) to \(presented.short): "
                    + "another machine may be posing as it. If its host was set up anew, remove line \(line) of \(file)"
            )
        case .nameBelongsToAnother(let known, let presented, let line):
            return IdentityError(
                .nameBelongsToAnother,
                "“\(printable(name))” is the name of a room that you know (\(known.pin.short)), but this is another "
                    + "(\(presented.short)). If you mean this one, say so with --fingerprint, "
                    + "or remove line \(line) of \(file)")
        }
    }
}
