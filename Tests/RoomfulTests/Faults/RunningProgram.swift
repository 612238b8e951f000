import Foundation
import Synchronization

/// A program in a process of its own: what it says, and how it ends. Killed when nobody holds it any more.
final class RunningProgram: Sendable {
    struct Missing: Error, CustomStringConvertible { let description: String }

    private let process = Process()
    private let said = Mutex(Data())
    private let isSilent = Mutex(false)
    private let name: String

    /// - Parameter environment: added to ours; `XDG_RUNTIME_DIR` is left out, so that nobody meets this user's rooms.
    init(_ path: String, _ arguments: [String], environment: [String: String] = [:]) throws {
        name = ([path] + arguments).joined(separator: " ")
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        var all = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        all["XDG_RUNTIME_DIR"] = nil
        process.environment = all
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        process.standardInput = FileHandle.nullDevice
        output.fileHandleForReading.readabilityHandler = { [weak self] handle in
            let data = handle.availableData
            if data.isEmpty {
                handle.readabilityHandler = nil
                self?.isSilent.withLock { $0 = true }
            }
            self?.said.withLock { $0 += data }
        }
        try Self.start(process)
    }

    /// Swift's own threads block signals; what we start must not inherit that, or SIGTERM would not end it.
    private static func start(_ process: Process) throws {
        var all = sigset_t()
        var usual = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_UNBLOCK, &all, &usual)
        defer { pthread_sigmask(SIG_SETMASK, &usual, nil) }
        try process.run()
    }

    deinit { if process.isRunning { kill(SIGKILL) } }

    /// Everything that it printed so far, errors too.
    var output: String { String(decoding: said.withLock { $0 }, as: UTF8.self) }
    var pid: pid_t { process.processIdentifier }
    var isRunning: Bool { process.isRunning }
    /// Once it has ended.
    var status: Int32 { process.terminationStatus }

    func kill(_ signal: Int32) { _ = Foundation.kill(pid, signal) }

    /// Waits until it has said this, and returns the first group of the match, or all of it.
    @discardableResult
    func says(_ pattern: String, within limit: Duration = patience) async throws -> String {
        let expression = try NSRegularExpression(pattern: pattern)
        let deadline = ContinuousClock.now + limit
        var silence: ContinuousClock.Instant?
        while true {
            // Its last words come through the pipe after it has ended; a child of its own may hold the pipe open.
            if !process.isRunning { silence = silence ?? .now + .seconds(5) }
            let hasEnded = silence.map { isSilent.withLock { $0 } || ContinuousClock.now >= $0 } ?? false
            let text = output
            if let match = expression.firstMatch(in: text, range: NSRange(text.startIndex..., in: text)) {
                let group = match.range(at: match.numberOfRanges > 1 ? 1 : 0)
                return Range(group, in: text).map { String(text[$0]) } ?? ""
            }
            guard !hasEnded, ContinuousClock.now < deadline else {
                let end = hasEnded ? "before it ended with \(process.terminationStatus)" : "within \(limit)"
                throw Missing(description: "\(name) did not say \(pattern) \(end), but:\n\(text)")
            }
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    /// Waits until it has ended, and returns everything that it said.
    @discardableResult
    func ended(within limit: Duration = patience) async throws -> String {
        let deadline = ContinuousClock.now + limit
        while process.isRunning {
            guard ContinuousClock.now < deadline else { throw Missing(description: "\(name) did not end:\n\(output)") }
            try await Task.sleep(for: .milliseconds(10))
        }
        // Its last words may still be on their way; a child of its own may hold the pipe open for longer.
        let last = ContinuousClock.now + .seconds(5)
        while !isSilent.withLock({ $0 }), ContinuousClock.now < last {
            try await Task.sleep(for: .milliseconds(10))
        }
        return output
    }
}

/// A file of the repository.
func repositoryPath(_ path: String) -> String {
    var root = URL(filePath: #filePath)
    for _ in 0..<4 { root.deleteLastPathComponent() }
    return root.appending(path: path).path
}
