// The compiler takes `stat` for whichever module includes its header first, and that may be any of them.
import CDispatch
import CoreFoundation
import Foundation
import Logging

/// The log of a host, on standard error: a line for each message, and nobody waits for whoever should read them.
///
/// Where the journal reads, a line begins with its priority (`<4>`; sd-daemon(3)) in place of the time and the level, which
/// the journal keeps beside it.
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
        let start =
            Self.journalReads ? "<\(event.level.priority)>" : "\(Date.now.formatted(.iso8601)) \(event.level) "
        PatientOutput.errors.post("\(start)\(label):\(name)\(details) \(message)")
    }

    /// Whether standard error is the stream that systemd opened to the journal (`JOURNAL_STREAM`; systemd.exec(5)), and
    /// was not led elsewhere since.
    private static let journalReads: Bool = {
        var status = stat()
        guard fstat(STDERR_FILENO, &status) == 0 else { return false }
        return ProcessInfo.processInfo.environment["JOURNAL_STREAM"] == "\(status.st_dev):\(status.st_ino)"
    }()
}

extension Logger.Level {
    /// As syslog(3) counts: 2 is critical, 7 is for who looks for a fault.
    fileprivate var priority: Int {
        switch self {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }
}
