import Foundation
import Roomful
import ServiceLifecycle
import UnixSignals

/// Reads the configuration anew when the program is sent SIGHUP, as other daemons do.
///
/// A terminal that is closed sends the same signal: then the program ends, as it would without a configuration. Signals
/// that come while the file is read, or within 200 ms, are one.
struct ReloadSignals: NamedService {
    var description: String { "reload signals" }
    let reloader: ConfigurationReloader
    /// Ends the program with its goodbyes.
    let end: @Sendable () -> Void
    /// Whether the program was begun on a terminal.
    private let hadTerminal = ReloadSignals.hasTerminal

    init(_ reloader: ConfigurationReloader, end: @escaping @Sendable () -> Void) {
        self.reloader = reloader
        self.end = end
    }

    func run() async throws {
        let hangUps = await UnixSignalsSequence(trapping: .sighup)
        let (wishes, wish) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        await cancelWhenGracefulShutdown {
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    for await _ in hangUps { wish.yield() }
                    wish.finish()
                }
                group.addTask {
                    await reloader.untilAllClosed()
                    wish.finish()
                }
                for await _ in wishes {
                    if hadTerminal, !Self.hasTerminal { end() } else { await reload() }
                    try? await Task.sleep(for: .milliseconds(200))
                }
                group.cancelAll()
            }
        }
    }

    private func reload() async {
        do {
            _ = try await reloader.reload()
        } catch is CancellationError {
        } catch {
            PatientOutput.errors.post("roomful: nothing was taken over: \(error)")
        }
    }

    /// Whether there is a terminal that could be closed: tty(4).
    private static var hasTerminal: Bool {
        let terminal = open("/dev/tty", O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        if terminal >= 0 { close(terminal) }
        return terminal >= 0
    }
}
