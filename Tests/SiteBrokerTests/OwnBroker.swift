import Foundation
import SiteBroker
import SiteRecords

/// A nats-server of a test's own, on 127.0.0.1, ended by its pid.
final class OwnBroker {
    /// Whether this machine can have one, or must: in `make test`, and where `CI` is set, tests do not stand aside.
    static let isPossible = isDemanded || program != nil && hasLibrary

    private static let isDemanded: Bool = {
        let environment = ProcessInfo.processInfo.environment
        return environment["ROOMFUL_REQUIRE_AVAHI"] == "1" || !["", "0", "false"].contains(environment["CI"] ?? "")
    }()
    private static let program = ["/usr/sbin/nats-server", "/usr/local/bin/nats-server", "/usr/bin/nats-server"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }
    private static let hasLibrary: Bool = {
        guard let nowhere = BrokerAddress("nats://127.0.0.1:1"),
            let place = try? BrokerPlace(nowhere, credentials: nil, authorities: nil)
        else { return false }
        do throws(BrokerError) {
            _ = try BrokerConnection(place, name: "test")
            return true
        } catch {
            return error.code != .noLibrary
        }
    }()

    /// It has ended, or said nothing, before it listened.
    struct NotThere: Error {}

    private let process: Process
    private let folder: URL
    let text: String

    /// Waits until it has said at which port it listens: the kernel gives it one that is nobody's.
    init(keepsStreams: Bool = true) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("broker-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Self.program ?? "")
        process.arguments =
            ["-a", "127.0.0.1", "-p", "-1", "--ports_file_dir", folder.path]
            + (keepsStreams ? ["-js", "-sd", folder.path] : [])
        process.standardError = FileHandle.nullDevice
        try process.run()
        let file = folder.appendingPathComponent("nats-server_\(process.processIdentifier).ports")
        let deadline = ContinuousClock.now + .seconds(60)
        var said = ""
        while !said.contains("]"), process.isRunning, ContinuousClock.now < deadline {
            usleep(10_000)
            said = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        }
        guard said.contains("]"), let address = said.split(separator: "\"").first(where: { $0.hasPrefix("nats://") })
        else {
            process.terminate()
            throw NotThere()
        }
        (self.process, self.folder, text) = (process, folder, String(address))
    }

    deinit {
        thaw()
        process.terminate()
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: folder)
    }

    /// A connection to it, as soon as it listens.
    func connection() async throws -> BrokerConnection {
        let options = SiteOptions(broker: text)
        for _ in 0..<200 {
            if let connection = try? await BrokerConnection.open(options, name: "test") { return connection }
            try await Task.sleep(for: .milliseconds(50))
        }
        return try await BrokerConnection.open(options, name: "test")
    }

    func end() { process.terminate() }

    /// Neither refuses nor answers once this has returned: on a busy machine one of its threads may answer somebody after the
    /// signal was sent, and before another has heard it.
    func freeze() {
        kill(process.processIdentifier, SIGSTOP)
        let tasks = "/proc/\(process.processIdentifier)/task"
        func stands(_ task: String) -> Bool {
            guard let said = try? String(contentsOfFile: "\(tasks)/\(task)/stat", encoding: .utf8) else { return true }
            return said.split(separator: ")").last?.hasPrefix(" T") ?? true
        }
        while let all = try? FileManager.default.contentsOfDirectory(atPath: tasks), !all.allSatisfy(stands) {
            usleep(1_000)
        }
    }
    func thaw() { kill(process.processIdentifier, SIGCONT) }
}
