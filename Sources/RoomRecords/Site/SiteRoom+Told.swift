import Foundation
package import SiteRecords

extension SiteRoom {
    private static let longest = 65_536

    /// What a room says of itself, fit for use; `nil` for what is too long, is none, or names another room than its
    /// subject: whoever may publish as one room speaks for no other.
    package init?(told payload: [UInt8], on subject: String, of subjects: SiteSubjects) {
        guard payload.count <= Self.longest,
            let room = (try? JSONDecoder().decode(SiteRoom.self, from: Data(payload)))?.fitForUse,
            room.room == subjects.room(in: subject)
        else { return nil }
        self = room
    }
}
