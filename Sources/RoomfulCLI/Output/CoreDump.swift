import Foundation

/// The memory that a crash would leave behind as a file.
enum CoreDump {
    /// From now on there is none of this process: keys, names and motion would be in it.
    static func forbid() {
        var nothing = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(UInt32(RLIMIT_CORE.rawValue)), &nothing)
    }
}
