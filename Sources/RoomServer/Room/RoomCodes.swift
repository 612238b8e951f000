import ControlPort
import Foundation
import Identity
import PrivateFiles

/// A room's two codes: the short one that people type, and the long one that they scan.
///
/// The short one can be guessed at if one may try for long enough, so that wrong ones have a price; the long one cannot,
/// so that whoever scanned gets in while somebody guesses. Both are kept, so that a poster on the wall stays true.
struct RoomCodes: Sendable {
    let typed: AdmissionCode
    let scanned: AdmissionCode

    /// The room's codes: those of the last time, two lines of a file; new ones where something is missing. A short code
    /// that is not the one of last time makes the posters of last time worth nothing, too.
    static func kept(in folder: PrivateFolder, typed wanted: AdmissionCode?) throws -> RoomCodes {
        let file = try folder.read(RoomFile.code, limit: 128).map { String(decoding: $0, as: UTF8.self) } ?? ""
        let kept = file.split(whereSeparator: \.isNewline).compactMap { AdmissionCode(String($0)) }
        let typed = wanted ?? kept.first(where: \.isTyped) ?? .random()
        let isLast = kept.first(where: \.isTyped) == typed
        if isLast, let scanned = kept.first(where: { !$0.isTyped }) { return RoomCodes(typed: typed, scanned: scanned) }
        let codes = RoomCodes(typed: typed, scanned: .randomToScan())
        try folder.replace(RoomFile.code, with: "\(codes.typed.text)\n\(codes.scanned.text)\n")
        return codes
    }
}
