import Foundation
import MetricsFront
import PrivateFiles
import Roomful

/// What a host finds out only as it opens the rooms, as far as that shows while nothing is made or changed.
extension ConfigurationFile {
    /// - Returns: what is so for this user, or now, and may be otherwise for a service.
    /// - Throws: ``RoomError`` with code `badOption`: what the host would say, with file and line.
    func rehearse() async throws(RoomError) -> [RoomError] {
        var doubts: [RoomError] = []
        for (index, room) in rooms.enumerated() {
            let host = room.host
            for (key, file) in [("code-file", host.codeFile), ("pseudonyms", host.recording.pseudonyms)] {
                guard let file else { continue }
                if let doubt = Self.doubt(about: file) {
                    doubts.append(error(index, key, "\(key): \(doubt)"))
                    continue
                }
                do throws(StorageError) {
                    try PrivateFile.check(file)
                } catch {
                    throw self.error(index, key, "\(key): \(error)")
                }
            }
            for (key, folder) in [("record", host.recording.record), ("state", host.state)] {
                guard let folder, let file = Self.file(inTheWayOf: folder) else { continue }
                throw error(index, key, "\(key): no folder can be made at \(folder): \(file) is a file")
            }
            guard let metrics = host.metrics.flatMap({ MetricsAddress($0) }) else { continue }
            do throws(RoomError) {
                try await MetricsServer.check(host: metrics.host, port: metrics.port)
            } catch {
                throw self.error(index, "metrics", error.description.replacing("--", with: ""))
            }
        }
        return doubts
    }

    /// Why it is not known here whether a file can be written: its folder is another user's, or below /run, where a service
    /// gets its own as it starts.
    private static func doubt(about file: String) -> String? {
        let folder = (file as NSString).deletingLastPathComponent
        guard access(folder, R_OK) != 0 else { return nil }
        let reason = errno
        guard reason == EACCES || reason == ENOENT && folder.hasPrefix("/run/") else { return nil }
        return "as this user, now, \(folder) cannot be opened: \(String(cString: strerror(reason)))"
    }

    /// What stands where a folder is to be, or one of those above it.
    private static func file(inTheWayOf folder: String) -> String? {
        var place = URL(fileURLWithPath: folder).standardizedFileURL
        var isFolder: ObjCBool = false
        while !FileManager.default.fileExists(atPath: place.path, isDirectory: &isFolder) {
            guard place.path != "/" else { return nil }
            place.deleteLastPathComponent()
        }
        return isFolder.boolValue ? nil : place.path
    }
}
