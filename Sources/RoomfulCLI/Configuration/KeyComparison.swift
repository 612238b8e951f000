import Foundation
import InputMerge
import RoomRecords
import Roomful

/// Which keys of a room are written otherwise now, and what became of each.
struct KeyComparison {
    private(set) var keys: [ReloadReport.Key] = []

    /// - Parameters:
    ///   - old: what was written, by key; `new`: what is.
    ///   - before: what the room went by.
    ///   - wanted: what is written.
    ///   - now: what the room goes by.
    init(
        from old: [String: [String]], to new: [String: [String]], before: RoomOptions, wanted: RoomOptions,
        now: RoomOptions
    ) {
        for option in HostOption.all {
            let key = option.key
            let hasOtherThresholds = key == "gestures" && !wanted.watchesFor(theSameAs: before)
            // A key that goes, or comes, may have said no more than what is usual.
            let (from, to) = (Self.text(old[key], option), Self.text(new[key], option))
            guard from != to || hasOtherThresholds else { continue }
            var entry = ReloadReport.Key(key: key, from: from, to: to, isTaken: true)
            if let reason = LiveKeys.reason(key) {
                (entry.isTaken, entry.note) = (false, reason)
            } else if key == "seats", now.seats != wanted.seats {
                entry.isTaken = false
                entry.note =
                    now.seats > wanted.seats
                    ? "\(now.seats == 1 ? "one seat stays" : "\(now.seats) seats stay"), as seat \(now.seats) is taken or promised: reload once it is free"
                    : "there are \(now.seats) now, as many as the connections allow with which the room was opened"
            } else if key == "contest", let missing = wanted.unwatchedContest(in: now) {
                (entry.isTaken, entry.note) = (false, missing + " here")
            } else if key == "gestures" {
                if !now.watchesFor(theSameAs: wanted) {
                    (entry.isTaken, entry.note) = (false, "which gestures there are was settled as the room was opened")
                } else if old[key] == new[key] {
                    entry.note = "the file holds other thresholds"
                }
            }
            keys.append(entry)
        }
    }

    /// Says more of a key that was taken over.
    mutating func note(_ key: String, _ words: String) {
        if let place = keys.firstIndex(where: { $0.key == key }) {
            (keys[place].isTaken, keys[place].note) = (false, words)
        } else {
            keys.append(.init(key: key, from: nil, to: nil, isTaken: false, note: words))
        }
    }

    /// What is told is logged, too: a URL, and a broker's address without its scheme, loses what lets anybody in.
    private static func withoutPassword(_ value: String, isAddress: Bool) -> String {
        let parts = value.split(separator: ",", omittingEmptySubsequences: false).map { part -> String in
            let scheme = part.range(of: "://")
            guard scheme != nil || isAddress else { return String(part) }
            let start = scheme?.upperBound ?? part.startIndex
            guard let at = part[start...].unicodeScalars.lastIndex(of: "@") else { return String(part) }
            return part[..<start] + "…" + part[at...]
        }
        return parts.joined(separator: ",")
    }

    private static func text(_ values: [String]?, _ option: HostOption) -> String? {
        values.map { values in
            values.map { withoutPassword($0, isAddress: option.key == "site") }.joined(separator: ", ")
        } ?? option.usual
    }
}

extension ReloadReport {
    /// A line for each key, and for each room of which more is to be said.
    var lines: [String] {
        var lines: [String] = []
        for room in rooms {
            let name = "\"\(room.name)\""
            if let note = room.note { lines.append("\(name) \(note)") }
            for key in room.keys { lines.append("\(name): \(key.line)") }
        }
        return lines.isEmpty ? ["\(file) says what it said: nothing has changed"] : lines
    }

    /// In one line, for a service manager.
    var summary: String {
        let keys = rooms.flatMap(\.keys)
        let taken = keys.count(where: \.isTaken)
        return keys.isEmpty ? "nothing has changed" : "\(taken) taken over, \(keys.count - taken) at the next start"
    }
}

extension ReloadReport.Key {
    fileprivate var line: String {
        let change = "\(key): \(from.map { "\"\($0)\"" } ?? "nothing") to \(to.map { "\"\($0)\"" } ?? "nothing")"
        let words = note.map { ": \($0)" } ?? ""
        return "\(change), \(isTaken ? "taken over" : "not before a restart")\(words)"
    }
}
