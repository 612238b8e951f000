import Foundation
import PrivateFiles
import WireProtocol

/// The small files of a room's folder that say how its door is; an empty one is the same as none.
enum KeptFile: CaseIterable {
    case door, banned

    var name: String { self == .door ? RoomFile.door : RoomFile.banned }

    /// How a sentence begins that says what has become of it.
    var subject: String { self == .door ? "whether the room is locked is" : "who was removed is" }
}

/// Whether newcomers were let in when a host ended without closing its room, as the room's folder has it.
struct KeptDoor: Hashable {
    var isLocked: Bool
    /// When the room's hours decide again, in seconds since 1970; `nil` where it has none.
    var until: Int?

    init(isLocked: Bool, until: Int?) { (self.isLocked, self.until) = (isLocked, until) }

    /// `nil` for what no host writes.
    init?(_ text: String) {
        let words = text.split(whereSeparator: \.isWhitespace)
        guard let state = words.first, state == "locked" || state == "unlocked" else { return nil }
        isLocked = state == "locked"
        switch words.count {
        case 1: until = nil
        case 3:
            guard words[1] == "until", let seconds = Int(words[2]), seconds >= 0 else { return nil }
            until = seconds
        default: return nil
        }
    }

    /// Such as `locked` or `unlocked until 1795420800`.
    var text: String { (isLocked ? "locked" : "unlocked") + (until.map { " until \($0)" } ?? "") + "\n" }

    /// Whether it still is as it was left.
    func stands(at moment: Date) -> Bool { until.map { moment.timeIntervalSince1970 < Double($0) } ?? true }
}

/// Whom the operator had removed when a host ended without closing its room, as the room's folder has it: an id a line.
enum KeptBans {
    /// Bytes; twice what a host writes.
    static let longest = 16_896

    static func text(_ controllers: [ControllerID]) -> String { controllers.map { "\($0)\n" }.joined() }

    /// What no host writes is passed over.
    static func controllers(in text: String) -> [ControllerID] {
        text.split(whereSeparator: \.isWhitespace).compactMap { ControllerID(String($0)) }
    }
}
