// Which module owns a C declaration depends on what the compiler reads first: this holds either way.
import CAvahi
internal import Glibc

/// Starts a responder's process only to hear whether it can serve.
enum ResponderTrial {
    private static let limit: CInt = 5_000

    static var problem: String? {
        do throws(ResponderProblem) {
            let (pid, socket) = try ResponderProcess.start()
            defer {
                close(socket)
                kill(pid, SIGKILL)
                while waitpid(pid, nil, 0) < 0, errno == EINTR {}
            }
            return try firstWord(from: socket)
        } catch {
            return error.reason
        }
    }

    private static func firstWord(from socket: CInt) throws(ResponderProblem) -> String? {
        let role = ResponderRequest.Role(publishes: false, interface: nil)
        let hello = ResponderFrames.framed(
            ResponderRequest.hello(version: ResponderRequest.version, role).message)
        guard let hello, send(socket, hello, hello.count, CInt(MSG_NOSIGNAL)) == hello.count else {
            throw ResponderProblem(ProcessLink.noResponder)
        }
        var frames = ResponderFrames()
        while true {
            var wish = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            var buffer = [UInt8](repeating: 0, count: 1_024)
            guard poll(&wish, 1, limit) > 0, case let count = recv(socket, &buffer, buffer.count, 0), count > 0 else {
                throw ResponderProblem(ProcessLink.noResponder)
            }
            frames.take(buffer.prefix(count))
            do throws(ResponderWireError) {
                guard let message = try frames.next() else { continue }
                if case .hello(ResponderRequest.version, let problem) = try ResponderReport(message) {
                    return problem?.displayed
                }
            } catch {}
            throw ResponderProblem(ProcessLink.noResponder)
        }
    }
}
