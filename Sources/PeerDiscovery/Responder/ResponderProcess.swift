internal import CAvahi
internal import Glibc

/// A responder's process that we started, and the socket to it.
@AvahiThread
final class ResponderProcess {
    /// How long one whose end is waited for may take to say its goodbyes.
    private static let patience = Duration.seconds(1)

    private let pid: pid_t
    private let received: (ResponderReport) -> Void
    private let ended: () -> Void
    private var channel: ResponderChannel?
    private var finished: (() -> Void)?
    private var alarm: Task<Void, Never>?

    /// Starts it. `ended` is called once if it ends by itself, or says what makes no sense.
    init(
        received: @escaping (ResponderReport) -> Void, ended: @escaping () -> Void
    ) throws(ResponderProblem) {
        let (pid, socket) = try Self.start()
        self.pid = pid
        self.received = received
        self.ended = ended
        channel = ResponderChannel(socket, .givesUp) { [weak self] in
            self?.took($0)
        } ended: { [weak self] in
            self?.hasEnded()
        }
        AvahiCensus.add(1, to: .process)
    }

    /// The process, and our end of the socket to it.
    nonisolated static func start() throws(ResponderProblem) -> (pid: pid_t, socket: CInt) {
        guard let program = ResponderProgram.find() else { throw ResponderProblem(ResponderProgram.missing) }
        var pid: pid_t = 0
        var socket: CInt = -1
        let error = roomful_responder_start(program.path, &pid, &socket)
        guard error == 0 else {
            let reason = strerror(error).map { String(cString: $0) } ?? "error \(error)"
            throw ResponderProblem("\(program.path.displayed) cannot be started: \(reason)")
        }
        return (pid, socket)
    }

    func send(_ request: ResponderRequest) { channel?.send(request.message) }

    /// Lets it say its goodbyes and end, and hears nothing more of it.
    func close() {
        guard letGo() else { return }
        EndingProcesses.await(pid)
    }

    /// The same; `done` is called once it has ended, or after a second.
    func finish(done: @escaping () -> Void) {
        guard let channel else { return done() }
        finished = done
        channel.finish()
        // Kept by what it waits for.
        alarm = Task {
            try? await Task.sleep(for: Self.patience)
            if !Task.isCancelled { hasEnded() }
        }
    }

    /// Ends it without a goodbye.
    func kill() {
        guard letGo() else { return }
        _ = Glibc.kill(pid, SIGKILL)
        EndingProcesses.await(pid)
    }

    private func took(_ message: ArraySlice<UInt8>) {
        guard finished == nil else { return }
        do throws(ResponderWireError) {
            received(try ResponderReport(message))
        } catch {
            hasEnded()
        }
    }

    private func hasEnded() {
        kill()
        alarm?.cancel()
        alarm = nil
        guard let finished else { return ended() }
        self.finished = nil
        finished()
    }

    /// False if it was let go before.
    private func letGo() -> Bool {
        guard let channel else { return false }
        channel.close()
        self.channel = nil
        AvahiCensus.add(-1, to: .process)
        return true
    }
}

/// Why there is no responder, in a line for people.
struct ResponderProblem: Error {
    let reason: String
    init(_ reason: String) { self.reason = reason }
}

/// Collects what is left of responders' processes once they have ended, and kills those that do not end.
@AvahiThread
enum EndingProcesses {
    private static var tasks: [pid_t: Task<Void, Never>] = [:]

    static func await(_ pid: pid_t) {
        tasks[pid] = Task {
            for tick in 1...10 {
                guard isThere(pid) else { break }
                try? await Task.sleep(for: .milliseconds(20 * tick))
            }
            // It is ours until it was collected, so the number means nobody else.
            if isThere(pid) {
                kill(pid, SIGKILL)
                while isThere(pid) { try? await Task.sleep(for: .milliseconds(20)) }
            }
            tasks[pid] = nil
        }
    }

    /// False once it was collected, here or by a program that collects whatever it started.
    private static func isThere(_ pid: pid_t) -> Bool { waitpid(pid, nil, WNOHANG) == 0 }
}
