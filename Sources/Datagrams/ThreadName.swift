import Glibc

/// Gives the calling thread the name by which `top -H` and `/proc` show it, of 15 bytes at most.
///
/// Foundation keeps a thread's name to itself, and Swift's Glibc does not show `pthread_setname_np`, which does the same.
package func nameThisThread(_ name: String) {
    let file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
    guard file >= 0 else { return }
    defer { close(file) }
    var name = name
    name.withUTF8 { _ = write(file, $0.baseAddress, $0.count) }
}
