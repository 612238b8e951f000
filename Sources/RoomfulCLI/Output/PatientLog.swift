import Foundation
import Logging

/// The log of a host, on standard error: a line for each message, and nobody waits for whoever should read them.
struct PatientLog: LogHandler {
    let label: String
    var logLevel = Logger.Level.notice
    var metadata: Logger.Metadata = [:]

    init(label: String) { self.label = label }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { $1 }
        let details = all.sorted { $0.key < $1.key }.map { " \($0)=\($1)" }.joined()
        let time = Date.now.formatted(.iso8601)
        PatientOutput.errors.post("\(time) \(event.level) \(label):\(details) \(event.message)")
    }
}
