import EveningFiles
package import Foundation
import PrivateFiles
import WireProtocol

// Somebody is taken out of a folder again.
extension CollectedMotion {
    /// What was taken out of a folder.
    package struct Forgotten: Encodable {
        package var subject: String
        /// The files that are without it now.
        package var files: [String]
        package var rows: Int
        /// Recordings of whole rooms that older programs left there: they hold everybody.
        package var left: [String]
    }

    /// Takes what somebody showed out of a folder's files, and what is said of it.
    ///
    /// - Throws: where nothing of theirs is there.
    package static func forget(_ subject: String, in folder: URL) throws -> Forgotten {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        let left = names.sorted().filter { $0.hasPrefix(leftovers) }.map { folder.appending(path: $0).path }
        var forgotten = Forgotten(subject: subject, files: [], rows: 0, left: left)
        // All of it or nothing: no file changes while another cannot be written anew.
        var drafts: [PrivateFolder.Draft] = []
        defer { for draft in drafts { draft.discard() } }
        func leaveOut(_ name: String, _ isTheirs: (Substring) -> Bool) throws {
            let place = folder.appending(path: name)
            guard let (text, rows) = try without(place, isTheirs) else { return }
            let own = try PrivateFolder.named(place.deletingLastPathComponent().standardizedFileURL.path)
            drafts.append(try own.draft(place.lastPathComponent, with: text))
            forgotten.files.append(place.path)
            forgotten.rows += rows
        }
        for kind in [CollectedMotion.Kind.gesture, .everyday] {
            try leaveOut(kind.file) { line in
                line != kind.head && line.split(separator: ",").dropFirst(2).first.map(String.init) == subject
            }
        }
        for file in [CollectedMotion.Kind.shake.file, labelsFile] {
            try leaveOut(file) { line in
                isTrial(line.prefix(while: { $0 != "," }), of: subject + "-shake-")
            }
        }
        try leaveOut(notesFile) { line in
            struct Note: Decodable { var subject: String }
            return (try? JSONDecoder().decode(Note.self, from: Data(line.utf8)))?.subject == subject
        }
        guard !forgotten.files.isEmpty else {
            throw RecordingFileError("nothing of \(printable(subject)) is in \(printable(folder.path))")
        }
        for draft in drafts { try draft.putInPlace() }
        return forgotten
    }

    /// What is left of a file, and how many lines are not; `nil` where none of them is theirs.
    private static func without(
        _ file: URL, _ isTheirs: (Substring) -> Bool
    ) throws -> (text: String, rows: Int)? {
        guard FileManager.default.fileExists(atPath: file.path) else { return nil }
        let lines = try handedInText(file.path, limit: 1 << 30).split(
            separator: "\n", omittingEmptySubsequences: false)
        let kept = lines.filter { !isTheirs($0) }
        guard kept.count < lines.count else { return nil }
        return (text: kept.joined(separator: "\n"), rows: lines.count - kept.count)
    }
}
