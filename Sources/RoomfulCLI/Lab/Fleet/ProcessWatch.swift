import Foundation
import Roomful
import WireProtocol

/// What a process of this machine uses, as the kernel tells (proc(5)).
struct ProcessFigures: Hashable, Sendable, Encodable {
    /// Seconds since the watch began.
    var at: Double
    /// Seconds of processor time so far, all threads together.
    var cpu: Double
    /// Bytes of memory that are resident.
    var resident: Int
    /// Open descriptors; `nil` where they may not be seen.
    var descriptors: Int?
    var threads: Int

    /// `nil` when there is no such process.
    init?(of pid: Int, at time: Double) {
        let folder = "/proc/\(pid)"
        guard let stat = try? String(contentsOfFile: folder + "/stat", encoding: .utf8),
            let end = stat.lastIndex(of: ")")
        else { return nil }
        // The fields after the name, which may hold anything; the first of these is field 3.
        let fields = stat[stat.index(after: end)...].split(separator: " ")
        guard fields.count > 21, let user = Double(fields[11]), let system = Double(fields[12]),
            let threads = Int(fields[17]), let pages = Int(fields[21])
        else { return nil }
        at = time
        cpu = (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
        resident = pages * Int(sysconf(Int32(_SC_PAGESIZE)))
        descriptors = (try? FileManager.default.contentsOfDirectory(atPath: folder + "/fd"))?.count
        self.threads = threads
    }
}

/// Looks at a process every second.
actor ProcessWatch {
    private let pid: Int
    private let begin = ContinuousClock.now
    private(set) var figures: [ProcessFigures] = []

    init(_ pid: Int) { self.pid = pid }

    /// Looks now.
    @discardableResult
    func look() -> ProcessFigures? {
        let time = (ContinuousClock.now - begin).milliseconds / 1_000
        guard let figure = ProcessFigures(of: pid, at: time) else { return nil }
        figures.append(figure)
        return figure
    }

    /// The part of one processor that was used between the last two looks.
    var share: Double? {
        guard figures.count > 1, let last = figures.last else { return nil }
        let before = figures[figures.count - 2]
        return last.at > before.at ? (last.cpu - before.cpu) / (last.at - before.at) : nil
    }
}
