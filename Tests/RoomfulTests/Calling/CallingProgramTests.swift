import Foundation
import Testing

@testable import RoomServer
@testable import Roomful

@Suite(
    "roomful invite, peers --waiting and join --wait, between machines without a daemon", .serialized, .needsNamespaces,
    .enabled(if: Tools.areDemanded || BuiltProgram.embeddedProblem == nil, "libavahi-core is not installed"),
    .timeLimit(.minutes(4)))
struct CallingProgramTests {
    private static let replay = ["--replay", repositoryPath("Recordings/demo/tilt.csv"), "--loop"]

    /// Runs the program on a host of the network, and returns what it said and its exit code.
    private func run(
        _ lan: Lan, _ house: TestHouse, on host: Int, _ arguments: String...
    ) async throws -> (said: String, code: Int32) {
        let program = try lan.start(
            BuiltProgram.path, arguments, on: host, environment: ["ROOMFUL_STATE": house.folder + "/host"])
        let said = try await program.ended()
        return (said, program.status)
    }

    private func wait(_ lan: Lan, _ house: TestHouse, as name: String, _ more: [String]) throws -> RunningProgram {
        try lan.start(
            BuiltProgram.path, ["join", "--wait", "--as", name, "--discovery", "embedded"] + Self.replay + more, on: 2,
            environment: ["ROOMFUL_STATE": house.folder + "/" + name])
    }

    /// Waits until the host sees who waits.
    private func seen(_ name: String, _ lan: Lan, _ house: TestHouse) async throws {
        try await until("\(name) among those who wait") {
            try await run(lan, house, on: 1, "peers", "--waiting").said.contains(name)
        }
    }

    @Test(
        "A waiting controller is seen, called by name, and plays; a stranger's call is declined; who is gone is unreachable"
    )
    func calledIn() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        try await Lan.with(hosts: 2) { lan in
            let ticket = house.folder + "/ticket"
            let host = try lan.start(
                BuiltProgram.path,
                ["host", "Living Room", "--seats", "3", "--discovery", "embedded", "--code-file", ticket], on: 1,
                environment: ["ROOMFUL_STATE": house.folder + "/host"])
            try await host.says("published as")

            // Trusted by the ticket's pin: joins the seat that is kept, and its samples arrive.
            let blue = try wait(lan, house, as: "Blue", ["--code-file", ticket])
            try await seen("Blue", lan, house)
            let accepted = try await run(lan, house, on: 1, "invite", "Blue", "--seat", "2", "--message", "Round two")
            #expect(accepted.code == 0 && accepted.said == "Blue accepted: seat 2, player P2\n", "\(accepted)")
            try await blue.says("calls from .*:\\d+, to seat 2: Round two")
            try await blue.says("Blue has seat 2")
            let peers = try await run(lan, house, on: 1, "peers", "--json")
            #expect(peers.said.contains(#""seat":2"#), "\(peers.said)")
            // It does not wait any more, and is not invited twice.
            let again = try await run(lan, house, on: 1, "invite", "Blue")
            #expect(again.code == 1, "\(again)")

            // Nobody vouches for the room here, and nobody is at the screen.
            let red = try wait(lan, house, as: "Red", [])
            try await seen("Red", lan, house)
            let declined = try await run(lan, house, on: 1, "invite", "Red")
            #expect(declined.code == 1 && declined.said.contains("untrusted"), "\(declined)")
            #expect(red.isRunning)

            // Killed without a goodbye, it is listed still; the call says that nobody answers there. Where all of this
            // took its time, the list knows by itself that it is gone.
            red.kill(SIGKILL)
            try await red.ended()
            let gone = try await run(lan, house, on: 1, "invite", "Red")
            let isListed = try await run(lan, house, on: 1, "peers", "--waiting").said.contains("Red")
            #expect(
                gone.code == 3 || (gone.code == 1 && !isListed && gone.said.contains("no controller waits")), "\(gone)")

            // Cut off: nothing answers, within the limits of a call.
            let green = try wait(lan, house, as: "Green", [])
            try await seen("Green", lan, house)
            try await lan.cut(2)
            let cut = try await run(lan, house, on: 1, "invite", "Green")
            #expect(cut.code == 3, "\(cut)")
            try await lan.heal(2)

            // Called by its address, as where multicast does not reach; in order, it leaves nothing announced.
            let port = try await green.says("at port (\\d+)")
            let byAddress = try await run(lan, house, on: 1, "invite", "--at", "10.77.0.2:\(port)")
            #expect(byAddress.code == 1 && byAddress.said.contains("untrusted"), "\(byAddress)")
            green.kill(SIGTERM)
            try await green.ended()

            host.kill(SIGINT)
            try await host.ended()
            try await blue.ended()
            #expect(blue.status == 0, "\(blue.output)")
        }
    }
}
