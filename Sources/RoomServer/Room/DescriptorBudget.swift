import Foundation

/// How many files and connections this process may have open, so that a room stays below: at the limit nobody can be
/// turned away any more, and a server spins over connections that it cannot take.
enum DescriptorBudget {
    /// What is left for operators, databases, and connections that are being closed.
    static let reserve = 24

    /// How many connections a room may hold that wants so many. Raises the process's own limit for it, as far as the
    /// system's allows.
    static func connections(wanted: Int) -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return wanted }
        let used = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? reserve
        let needed = rlim_t(used + wanted + reserve)
        if limit.rlim_cur < needed {
            limit.rlim_cur = min(needed, limit.rlim_max)
            _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return wanted }
        }
        let free = Int(clamping: limit.rlim_cur) - used - reserve
        return max(1, min(wanted, free))
    }
}
