import ArgumentParser
import Foundation
import LinkEmulation
import PrivateFiles
import Roomful
import WireProtocol

extension Lab {
    /// A bad network in a process of its own, with books of what it did to each datagram.
    struct Relay: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "relay",
            abstract: "Passes a room's datagrams on as a bad network would, and reports the fate of each.",
            discussion: """
                Example:  roomful lab relay --listen 127.0.0.1:5000 --to 127.0.0.1:4000 --seed 7 \\
                            --network "loss=5%,dup=1%,reorder=1%" --report sums.json --fates each.bin
                TCP needs no relay: controllers join the host itself, and send their datagrams here. On SIGTERM or
                Ctrl-C it takes nothing more, delivers at once what was still on its way, and writes the report.
                """)

        enum Direction: String, ExpressibleByArgument, CaseIterable {
            case up, down, both
        }

        @Option(help: "HOST:PORT to take datagrams at; port 0 takes any that is free.") var listen: String
        @Option(help: "HOST:PORT of the room.") var to: String
        @Option(help: "What the network does: loss=5%,dup=1%,reorder=1%:40ms,delay=20±10ms,rate=2Mbit …")
        var network = ""
        @Option(help: "The same seed and datagrams give the same fates.") var seed: UInt64 = 1
        @Option(help: "Which way is bad: up (to the room), down or both.") var direction = Direction.up
        @Option(help: "Where the sums go, as JSON.") var report: String
        @Option(help: "Where the fate of each datagram goes, 12 bytes each.") var fates: String?
        @Flag(help: "End when standard input ends: when the program that started it does.") var whileInput = false

        func run() async throws {
            try await Failure.explained {
                let setup = RelaySetup(
                    listen: try address(listen, of: "--listen"), host: try address(to, of: "--to"),
                    up: direction == .down ? NetworkConditions() : try conditions(),
                    down: direction == .up ? NetworkConditions() : try conditions(), seed: seed, fates: fates)
                // Who may not write there learns it before a long run, not after.
                let book = try openNamed(report, O_WRONLY | O_CREAT | O_CLOEXEC, to: "write")
                DescriptorLimit.raise()
                let loop = try RelayLoop(setup)
                let interruption = Interruption()
                interruption.onInterrupt { loop.stop() }
                defer { withExtendedLifetime(interruption) {} }
                Terminal.print("relay: listening on \(loop.address), passing on to \(setup.host)")
                if whileInput { Self.stop(loop) }
                let sums = try await withCheckedThrowingContinuation { continuation in
                    Thread { continuation.resume(with: Result { try loop.run() }) }.start()
                }
                let text = try Terminal.json(sums) + "\n"
                do throws(StorageError) {
                    ftruncate(book.number, 0)
                    try book.writeAll(Array(text.utf8), path: report)
                } catch {
                    throw error.ofNamedFile
                }
            }
        }

        /// When standard input ends.
        private static func stop(_ loop: RelayLoop) {
            let thread = Thread {
                while case let bytes = FileHandle.standardInput.availableData, !bytes.isEmpty {}
                loop.stop()
            }
            thread.start()
        }

        private func address(_ text: String, of option: String) throws -> PeerAddress {
            if let address = PeerAddress(text) { return address }
            Failure.say("\(option) takes an address and a port, such as 127.0.0.1:4000, not \"\(text)\"")
            throw Failure.usage
        }

        private func conditions() throws -> NetworkConditions {
            do {
                return try NetworkConditions(parsing: network)
            } catch {
                Failure.say("--network: \(error)")
                throw Failure.usage
            }
        }
    }
}
