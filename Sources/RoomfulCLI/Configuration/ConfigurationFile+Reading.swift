import Foundation
import PrivateFiles
import Roomful

/// How a configuration comes from the disk.
extension ConfigurationFile {
    /// What the file holds now.
    ///
    /// - Throws: ``RoomError`` with code `badOption` for what is no file, or no text of its size.
    static func read(_ path: String) throws(RoomError) -> String {
        do throws(StorageError) {
            return try handedInText(path, limit: longest)
        } catch  where FileManager.default.fileExists(atPath: path) {
            throw RoomError(
                .badOption,
                "cannot take \(path): it must be a file that this user may read, text of at most \(longest / 1_024) KiB"
            )
        } catch {
            throw RoomError(.badOption, "there is no file \(path); roomful config print shows one to begin with")
        }
    }

    /// What the file holds once nobody writes to it: read again until nobody has it open for writing, and it is twice the
    /// same, 50 ms apart, and was not touched in between.
    ///
    /// A part of a file is often a file that can be taken, and says something else.
    ///
    /// - Throws: ``RoomError`` when that is not so within a second, when it holds nothing, or as ``read(_:)`` does.
    static func settled(_ path: String) async throws -> String {
        // An editor may put a new file in place of the old one: for a moment there is none.
        var last = Look(at: path)
        for _ in 0..<20 {
            try await Task.sleep(for: .milliseconds(50))
            // Asked before: whoever opens it afterwards changes what is looked at next.
            let isBeingWritten = isOpenForWriting(path) ?? false
            let next = Look(at: path)
            if next == last, !isBeingWritten {
                let text = try next.text.get()
                guard text.contains(where: { !$0.isWhitespace }) else {
                    throw RoomError(
                        .badOption, "\(path) is empty, as a file is that is being written, or that found the disk full")
                }
                return text
            }
            last = next
        }
        throw RoomError(.badOption, "\(path) is being written all the time: reload once it is whole")
    }

    /// A file as it was at one moment, wherever links lead.
    private struct Look: Equatable {
        let changedAt: Date?
        let inode: Int?
        let text: Result<String, RoomError>

        init(at path: String) {
            // What is written between this and the reading shows in the text, or in the next look.
            let place = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
            let facts = try? FileManager.default.attributesOfItem(atPath: place)
            changedAt = facts?[.modificationDate] as? Date
            inode = facts?[.systemFileNumber] as? Int
            text = Result { () throws(RoomError) in try ConfigurationFile.read(path) }
        }
    }
}
