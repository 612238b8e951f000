import ArgumentParser
import Foundation
import OperatorFront
import Roomful
import UnixSignals
import WireProtocol

struct Invite: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "invite",
        abstract: "Call a controller in that waits nearby, and say how that ended.",
        discussion: """
            Examples:  roomful invite Blue --seat 2 --message "Round two"
                       roomful invite --all
            Who waits: roomful peers --waiting. On the other machine: roomful join --wait --as Blue --replay FILE.csv
            Ctrl-C takes the invitation back.
            Exit code 0: accepted; 1: declined, refused or expired; 3: it cannot be reached.
            """)
    @OptionGroup var choice: RoomChoice
    @Argument(help: "A name, or the beginning of an id.") var who: String?
    @Flag(help: "Everyone who waits nearby, as far as there are seats.") var all = false
    @Option(help: "HOST:PORT of a controller that cannot be found by its name.") var at: String?
    @Option(help: "The seat that is kept for it, from 1; else the lowest that is free.") var seat: Int?
    @Option(help: "What its screen, or its program, is told: at most 1024 bytes.") var message: String?
    @Option(help: "How long the invitation stands: 1s to 10m.") var timeout = "120s"

    func validate() throws {
        guard [who != nil, all, at != nil].count(where: { $0 }) == 1 else {
            throw ValidationError("whom? Give a name, --at HOST:PORT, or --all")
        }
        if all, seat != nil { throw ValidationError("--seat is for one controller, not for --all") }
    }

    func run() async throws {
        try await Failure.explained {
            let limit = try Figures.time(timeout, "--timeout", such: "120s or 2m")
            var request = OperatorRequest(.invite, who: who, message: message)
            (request.at, request.seat, request.all) = (at, seat, all ? true : nil)
            request.timeout = limit.milliseconds
            let client = try await choice.client()
            if Terminal.isInteractive, !choice.json { Failure.say("calling; waiting up to \(timeout) for the answer") }
            let outcomes = try await ask(request, client)
            if choice.json {
                Terminal.print(try Terminal.json(outcomes))
            } else if outcomes.isEmpty {
                Terminal.print(WaitingTable.text([]))
            } else {
                for outcome in outcomes { Terminal.print(outcome.message) }
            }
            let failed = outcomes.filter { !$0.isAccepted }
            if outcomes.isEmpty || failed.contains(where: { !$0.isUnreachable }) { throw Failure.refused }
            if !failed.isEmpty { throw Failure.unreachable }
        }
    }

    /// Asks, and takes the invitation back when the operator does not want to wait any more.
    private func ask(_ request: OperatorRequest, _ client: any RoomOperator) async throws -> [InvitationOutcome] {
        try await withThrowingTaskGroup(of: [InvitationOutcome]?.self) { group in
            group.addTask { try await client.ask(request).invited ?? [] }
            group.addTask {
                for await _ in await UnixSignalsSequence(trapping: EndSignals.all) {
                    var withdrawal = request
                    withdrawal.task = .withdraw
                    _ = try await client.ask(withdrawal)
                }
                return nil
            }
            defer { group.cancelAll() }
            while let outcomes = try await group.next() { if let outcomes { return outcomes } }
            return []
        }
    }
}

/// Who waits nearby.
enum WaitingTable {
    /// Below the peers; nothing when nobody waits.
    static func note(_ controllers: [NearbyController]) -> String {
        guard let first = controllers.first else { return "" }
        let more = controllers.count > 8 ? " and \(controllers.count - 8) more" : ""
        let names = controllers.prefix(8).map { TerminalText.isolated($0.name) }.joined(separator: ", ")
        // Never a name behind the command: it is a stranger's, and this line is there to be pasted.
        return "\nnearby:  \(names)\(more)\ncall the first in:  roomful invite \(shortID(first, among: controllers))"
    }

    private static func shortID(_ one: NearbyController, among all: [NearbyController]) -> String {
        NewcomerTable.shortID(one.id, among: all.map(\.id))
    }

    static func text(_ controllers: [NearbyController]) -> String {
        guard !controllers.isEmpty else {
            return "no controller waits nearby; on its machine: roomful join --wait --as NAME --replay FILE.csv"
        }
        var table = Table(["NAME", "ID", "ADDRESS", "HAPTICS", ">WAITS"])
        for controller in controllers {
            table.add([
                controller.name, shortID(controller, among: controllers), controller.addresses.first ?? "-",
                controller.haptics ? "yes" : "no", String(format: "%.0f s", controller.waitedFor),
            ])
        }
        return table.text
    }
}
