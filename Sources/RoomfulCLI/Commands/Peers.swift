import ArgumentParser
import Foundation
import OperatorFront
import PrivateFiles
import Roomful

struct Peers: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "peers",
        abstract: "Who is here, and how their links stand.",
        discussion: """
            Examples:  roomful peers --watch
                       roomful peers Blue
                       roomful peers --json --status
                       roomful peers --waiting      # controllers nearby that can be invited
                       roomful peers --latency --csv latency.csv
                       roomful peers --site         # of all rooms of a site
            """)
    @OptionGroup var choice: RoomChoice
    @Argument(help: "P3, a name, or the beginning of an id: everything about that one.") var who: String?
    @Flag(help: "Again every second.") var watch = false
    @Flag(help: "Controllers nearby that wait to be called in: roomful invite NAME.") var waiting = false
    @Flag(help: "The last 1,000 frames by the paper's method, beside our own figures.") var latency = false
    @Option(
        help: """
            With --latency: write every frame's stamps to this file: sent_ns by the device's clock, arrived_ns by the \
            host's, and transit_ns between them, by what is known of the two clocks now (empty while nothing is).
            """)
    var csv: String?
    @Flag(help: "With --json: the room itself, whether it is locked, its seats, who waits, and in peers who is here.")
    var status = false

    func validate() throws {
        if status, !choice.json || who != nil || waiting || latency {
            throw ValidationError("--status goes with --json, and with neither a name, --waiting nor --latency")
        }
        if status, choice.isAcrossSite, choice.room == nil {
            throw ValidationError("--status is one room's, so say --room; of a whole site: roomful site --json")
        }
        if latency, watch { throw ValidationError("--latency answers once: leave --watch out") }
    }

    func run() async throws {
        try await Failure.explained {
            if choice.isAcrossSite, choice.room == nil, who == nil, !waiting, !latency {
                return try await SitePeers(options: try choice.place.options(), json: choice.json).show(again: watch)
            }
            let client = try await choice.client()
            if csv != nil, !latency {
                Failure.say("--csv belongs to --latency")
                throw Failure.usage
            }
            if latency { return try await showLatency(client) }
            var isAway = false
            repeat {
                do {
                    try await waiting ? showWaiting(client) : status ? showRoom(client) : showPeers(client)
                    isAway = false
                } catch {
                    // A host that is started anew is there again in a moment, behind the same door.
                    guard watch, Self.isOfAbsence(error) else { throw error }
                    if !isAway { Failure.say("\(error); waiting for it") }
                    isAway = true
                }
                if watch { try await Task.sleep(for: .seconds(1)) }
            } while watch
        }
    }

    private static func isOfAbsence(_ error: any Error) -> Bool {
        error is OperatorClient.Unreachable || (error as? RoomError)?.code == .closed
    }

    private func showPeers(_ client: any RoomOperator) async throws {
        let peers = try await client.ask(OperatorRequest(.peers, who: who)).peers ?? []
        let status = try await client.ask(OperatorRequest(.status)).status
        let books = Accounts(peers: peers, room: who == nil ? status : nil)
        let text: String
        if choice.json {
            text = try Terminal.json(peers)
        } else if who != nil {
            text = peers.map(PeerPage.text).joined(separator: "\n") + PeerTables.standstill(status)
        } else {
            let note = NewcomerTable.note(status?.newcomers ?? [])
            let nearby = try await client.ask(OperatorRequest(.nearby)).nearby ?? []
            let accounts = books.contradictions.isEmpty ? "" : "\n" + books.verdict
            let site = status?.site.map { "\n\n" + $0.line } ?? ""
            let notes =
                PeerTables.door(status) + PeerTables.recording(status) + PeerTables.network(status)
                + PeerTables.standstill(status)
            text = PeerTables.overview(peers) + note + WaitingTable.note(nearby) + notes + site + accounts
        }
        watch && Terminal.isInteractive && !choice.json ? Terminal.redraw(text + "\n") : Terminal.print(text)
        if !watch, !books.ownContradictions.isEmpty { throw Failure.refused }
    }

    private func showRoom(_ client: any RoomOperator) async throws {
        guard let status = try await client.ask(OperatorRequest(.status)).status else { return }
        Terminal.print(try Terminal.json(status))
    }

    private func showWaiting(_ client: any RoomOperator) async throws {
        let nearby = try await client.ask(OperatorRequest(.nearby)).nearby ?? []
        if choice.json { return Terminal.print(try Terminal.json(nearby)) }
        let text = WaitingTable.text(nearby)
        watch && Terminal.isInteractive ? Terminal.redraw(text + "\n") : Terminal.print(text)
    }

    private func showLatency(_ client: any RoomOperator) async throws {
        let latencies = try await client.ask(OperatorRequest(.latency, who: who)).latency ?? []
        if let csv {
            let text = LatencyTable.csv(latencies)
            try PrivateFile.write(text, to: csv)
        }
        Terminal.print(choice.json ? try Terminal.json(latencies) : LatencyTable.text(latencies))
    }
}
