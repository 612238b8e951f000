public import Foundation

/// What a process of this machine uses, as the kernel tells (proc(5)).
public struct ProcessFigures: Sendable {
    /// Seconds of processor time so far, all threads together.
    public private(set) var cpu = 0.0
    /// Bytes of memory that are resident now, and that were at most.
    public private(set) var resident = 0
    public private(set) var peak = 0

    public init(of pid: pid_t) {
        let stat = (try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)) ?? ""
        // The fields after the name, which may hold anything; the first of these is field 3.
        let fields = stat[(stat.lastIndex(of: ")") ?? stat.startIndex)...].split(separator: " ").dropFirst()
        let list = Array(fields)
        if list.count > 12, let user = Double(list[11]), let system = Double(list[12]) {
            cpu = (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
        }
        let status = (try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)) ?? ""
        func kilobytes(_ key: String) -> Int {
            let line = status.split(separator: "\n").first { $0.hasPrefix(key) }
            return line.flatMap { Int($0.filter(\.isNumber)) }.map { $0 << 10 } ?? 0
        }
        resident = kilobytes("VmRSS:")
        peak = kilobytes("VmHWM:")
    }
}

/// Lets this process open as many descriptors as its shell may.
public func raiseDescriptorLimit() {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
}
