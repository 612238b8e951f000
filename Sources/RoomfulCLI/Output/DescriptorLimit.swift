import Foundation

/// How many descriptors this process may have open.
enum DescriptorLimit {
    /// Raises the limit as far as it goes without privilege, and returns it.
    @discardableResult
    static func raise() -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit) == 0 else { return 1_024 }
        if limit.rlim_cur < limit.rlim_max {
            var raised = limit
            raised.rlim_cur = limit.rlim_max
            if setrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &raised) == 0 { limit = raised }
        }
        return Int(clamping: limit.rlim_cur)
    }
}
