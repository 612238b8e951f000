import Dispatch
import Foundation
import Synchronization

/// A program of the machine, which speaks English, whatever its user's language is.
struct ChildProgram: Sendable {
    struct Answer: Sendable {
        var status: Int32
        var output: String
        var errors: String
    }

    private let path: String

    /// `nil` where `PATH` leads to none of this name.
    init?(named name: String) {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        let path = folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
        guard let path else { return nil }
        self.path = path
    }

    /// Runs it to its end; a task that is cancelled ends it, too.
    ///
    /// - Parameter input: what it reads: less than a pipe holds.
    func run(_ words: [String], input: String = "") async throws -> Answer {
        let (child, path) = (Child(), path)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Answer, any Error>) in
                DispatchQueue.global().async {
                    do {
                        continuation.resume(returning: try child.run(path, words, input))
                    } catch { continuation.resume(throwing: error) }
                }
            }
        } onCancel: {
            child.end()
        }
    }
}

private final class Child: Sendable {
    private struct State {
        var number: Int32?
        var isEnded = false
    }

    private let state = Mutex(State())

    func run(_ path: String, _ words: [String], _ input: String) throws -> ChildProgram.Answer {
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = words
        // The first is for letters beyond ASCII; with it alone gettext would still look at a user's LANGUAGE.
        process.environment = ProcessInfo.processInfo.environment
            .merging(["LC_ALL": "C.UTF-8", "LANGUAGE": "C"]) { _, ours in ours }
        let (source, output, errors) = (Pipe(), Pipe(), Pipe())
        process.standardInput = source
        process.standardOutput = output
        process.standardError = errors
        // Before anybody could close the other end.
        try source.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        guard !state.withLock({ $0.isEnded }) else { throw CancellationError() }
        try process.run()
        begin(process.processIdentifier)
        try source.fileHandleForWriting.close()
        let said = try output.fileHandleForReading.readToEnd() ?? Data()
        let complained = try errors.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard finish() else { throw CancellationError() }
        return ChildProgram.Answer(
            status: process.terminationStatus, output: String(decoding: said, as: UTF8.self),
            errors: String(decoding: complained, as: UTF8.self))
    }

    private func begin(_ number: Int32) {
        state.withLock { state in
            state.number = number
            if state.isEnded { kill(number, SIGKILL) }
        }
    }

    /// Whether it came to its own end.
    private func finish() -> Bool {
        state.withLock { state in
            state.number = nil
            return !state.isEnded
        }
    }

    func end() {
        state.withLock { state in
            state.isEnded = true
            if let number = state.number { kill(number, SIGKILL) }
        }
    }
}
