public import Foundation

/// What a process of this machine uses, as the kernel tells (proc(5)).
public struct ProcessFigures: Sendable {
    /// Seconds of processor time so far, all threads together.
    public private(set) var cpu = 0.0
    /// How often its threads have gone to sleep so far, to be woken up again.
    public private(set) var wakes = 0
    /// Bytes of memory that are resident now, and that were at most.
    public private(set) var resident = 0
    public private(set) var peak = 0

    public init(of pid: pid_t) {
        var (clock, time) = (clockid_t(), timespec())
        if clock_getcpuclockid(pid, &clock) == 0, clock_gettime(clock, &time) == 0 {
            cpu = Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        }
        let folder = "/proc/\(pid)"
        resident = Self.number("VmRSS:", in: folder) << 10
        peak = Self.number("VmHWM:", in: folder) << 10
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder + "/task")) ?? []
        wakes = threads.reduce(0) { $0 + Self.number("voluntary_ctxt_switches:", in: folder + "/task/" + $1) }
    }

    /// What its status says of this; 0 where there is none.
    private static func number(_ key: String, in folder: String) -> Int {
        let status = (try? String(contentsOfFile: folder + "/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix(key) }
        return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
    }
}

/// Lets this process open as many descriptors as its shell may.
public func raiseDescriptorLimit() {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
}
