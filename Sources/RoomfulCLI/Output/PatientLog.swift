import Foundation
import Logging

/// The log of a host, on standard error: a line for each message, and nobody waits for whoever should read them.
struct PatientLog: LogHandler {
    let label: String
    /// Whether the program opens several rooms, so that each line says which one it is of.
    let namesRooms: Bool
    var logLevel = Logger.Level.notice
    var metadata: Logger.Metadata = [:]

    init(label: String, namesRooms: Bool = false) { (self.label, self.namesRooms) = (label, namesRooms) }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var all = metadata.merging(event.metadata ?? [:]) { $1 }
        let room = all.removeValue(forKey: "room").map { "\"\($0)\"" }
        let message = "\(event.message)"
        // Many a message begins with it; amid one it may be somebody's name.
        let name = room.flatMap { namesRooms && !message.hasPrefix($0) ? " \($0):" : nil } ?? ""
        let details = all.sorted { $0.key < $1.key }.map { " \($0)=\($1)" }.joined()
        let time = Date.now.formatted(.iso8601)
        PatientOutput.errors.post("\(time) \(event.level) \(label):\(name)\(details) \(message)")
    }
}
