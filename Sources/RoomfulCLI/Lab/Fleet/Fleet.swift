import ArgumentParser
import Foundation
import LinkEmulation
import Roomful
import WireProtocol

extension Lab {
    /// Will my room hold? A fleet of simulated controllers tries it, over a network as bad as is asked for.
    struct Fleet: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "fleet",
            abstract: "Try a room with many simulated controllers over a bad network.",
            discussion: """
                Example:  roomful host "Hall" --seats 200 --policy open
                          roomful lab fleet --room Hall --controllers 200 --rate 100 --for 60s --seed 7 \\
                            --network "loss=5%,burst=3,delay=20±10ms,reorder=1%,dup=0.5%"
                Each controller really joins, and sends through a relay that loses, delays and repeats. At the end the
                host's books are compared, line by line, with what relay and controllers wrote down themselves. Ends with
                0 if they are equal, 1 if not, 2 for wrong use, 3 if the room cannot be reached.
                """)

        @Option(help: "The room's name; may be left out where one room runs on this machine.") var room: String?
        @Option(help: "HOST:PORT of a room that cannot be searched for.") var at: String?
        @Option(help: "A ticket: address, pin and code; with --at for another address.") var codeFile: String?
        @Option(help: "The room's pin, all 64 digits: whom to trust at the first meeting.", transform: Pin.ofOption)
        var fingerprint: Pin?
        @Option(help: "1 to 10000.") var controllers = 20
        @Option(help: "Samples a second of each controller, 0.1 to 4000.") var rate = 100.0
        @Option(
            help: "What the network does: loss=5%,burst=3,delay=20±10ms,reorder=1%:40ms,dup=1%,corrupt=1%,rate=2Mbit …")
        var network = ""
        @Option(help: "The same seed gives the same motion and the same network.") var seed: UInt64 = 1
        @Option(name: .customLong("for"), help: "How long they play, from 1s to 2h.") var duration = "10s"
        @Option(help: "Writes all of it to this file, as JSON.") var report: String?
        @Flag(help: "Print JSON.") var json = false

        func validate() throws {
            if !(1...10_000).contains(controllers) { throw ValidationError("--controllers is 1 to 10000") }
            if !(0.1...4_000).contains(rate) { throw ValidationError("--rate is 0.1 to 4000 samples a second") }
            _ = try seconds()
            do {
                _ = try NetworkConditions(parsing: network)
            } catch {
                throw ValidationError("--network: \(error)")
            }
        }

        func run() async throws {
            try await Failure.explained {
                let target = try await FleetTarget.find(
                    room: room, at: at, codeFile: codeFile, fingerprint: fingerprint)
                let plan = FleetReport.Plan(
                    controllers: controllers, rate: rate, seconds: try seconds(), network: network, seed: seed)
                let isQuiet = json
                let outcome = try await FleetRun(plan: plan, target: target) { line in
                    if !isQuiet { Terminal.print(line) }
                }.run(stoppingWith: Interruption())
                let text = try Terminal.json(outcome)
                if let report { try Data((text + "\n").utf8).write(to: URL(fileURLWithPath: report), options: .atomic) }
                Terminal.print(json ? text : FleetText(report: outcome).text)
                if !outcome.isEqual { throw Failure.refused }
            }
        }

        private func seconds() throws -> Double {
            guard let time = Figures.duration(duration), (Duration.seconds(1)...Duration.seconds(7_200)).contains(time)
            else {
                throw ValidationError("--for takes a time from 1s to 2h, not \"\(duration)\"")
            }
            return time.milliseconds / 1_000
        }
    }
}
