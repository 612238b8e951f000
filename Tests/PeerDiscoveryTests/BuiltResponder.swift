import Foundation
import Glibc
import PeerDiscovery
import PrivateFiles

/// The program `roomful` as it was built beside the tests, which serves as the responder's process here: the tests
/// themselves run in a program of the toolchain's.
enum BuiltResponder {
    /// Names it to whatever looks for one in this process.
    static func use() {
        if let path { setenv("ROOMFUL_RESPONDER", path, 1) }
    }

    static var path: String? {
        let places = [
            Bundle.main.bundlePath, Bundle.main.executableURL?.deletingLastPathComponent().path ?? "",
            URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().path,
        ]
        return places.map { $0 + "/roomful" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Why no room could be published by it; nil if it can.
    static var problem: String? {
        use()
        return DiscoverySupport.embeddedProblem
    }

    /// The responders that this process has started and that have not ended.
    static var running: [pid_t] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc"))?.compactMap(pid_t.init) ?? []
        return all.filter { pid in
            // "pid (name) state parent …": the name may hold anything.
            guard let stat = kernelTable("/proc/\(pid)/stat"),
                let rest = stat.lastIndex(of: ")").map({ stat[$0...].split(separator: " ") }), rest.count > 2,
                rest[1] != "Z", rest[2] == "\(getpid())",
                let words = kernelTable("/proc/\(pid)/cmdline")
            else { return false }
            return words.split(separator: "\0") == ["roomful", "responder"]
        }
    }
}
