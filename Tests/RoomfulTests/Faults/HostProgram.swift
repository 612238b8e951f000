import Foundation

@testable import Identity
@testable import OperatorFront
@testable import PrivateFiles
@testable import RoomRecords
@testable import Roomful

/// `roomful host` in a process of its own, which an operator's program asks how it stands.
struct HostProgram: Sendable {
    let program: RunningProgram
    let state: StateFolder

    /// How to start it: in a network namespace, under another limit, with another clock …
    typealias Start = (_ program: String, _ arguments: [String], _ environment: [String: String]) throws ->
        RunningProgram

    /// Opens a room for everyone, with nothing advertised unless told otherwise; returns when it is open. It watches for
    /// the paper's jump, too: who plays in these tests pushes, and does not leave the ground.
    ///
    /// - Parameter folder: where it keeps what it keeps, in the house; one for each room of a name.
    init(
        in house: TestHouse, name: String = "Fault", folder: String? = nil, discovery: String = "none",
        options: [String] = [], environment: [String: String] = [:],
        start: Start = { try RunningProgram($0, $1, environment: $2) }
    ) async throws {
        state = try StateFolder(house.folder + "/" + (folder ?? "host-" + name), environment: [:])
        let arguments =
            [
                "host", name, "--policy", "open", "--discovery", discovery, "--gestures",
                repositoryPath("Examples/keepcalm.toml"),
            ] + options
        program = try start(
            BuiltProgram.path, arguments, environment.merging(["ROOMFUL_STATE": state.folder.path]) { $1 })
        try await program.says("\"hello\"|with \\d+ seat")
        // The room is open before its operator's socket is.
        let deadline = ContinuousClock.now + patience
        while (try? await status) == nil, ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    var status: RoomStatus {
        get async throws { try await ask(.status).status! }
    }

    var departed: [PeerStatus] {
        get async throws { try await ask(.departed).peers ?? [] }
    }

    @discardableResult
    func ask(_ task: OperatorRequest.Task) async throws -> OperatorReply {
        try await OperatorClient(room: nil, state: state).ask(OperatorRequest(task))
    }

    /// Waits until the room looks as expected, for at most `limit`, and returns how it looked last.
    func status(
        within limit: Duration = patience, until isSo: (RoomStatus) -> Bool
    ) async throws -> RoomStatus {
        let deadline = ContinuousClock.now + limit
        while true {
            let status = try await status
            if isSo(status) || ContinuousClock.now >= deadline { return status }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// What a controller program needs to join at this address of the host.
    func joining(
        at host: String = "127.0.0.1", as name: String, replay file: String, loop: Bool = true
    ) async throws -> [String] {
        let status = try await status
        return ["join", "--at", "\(host):\(status.port)", "--fingerprint", status.pin, "--as", name, "--replay", file]
            + (loop ? ["--loop"] : [])
    }

    /// Ends it, and returns all that it said, its closing table last.
    func close() async throws -> String {
        program.kill(SIGINT)
        return try await program.ended()
    }
}

extension TestHouse {
    /// A recording of somebody who stands still and jumps each second, 100 samples a second.
    func recording(seconds: Int) throws -> String {
        let path = folder + "/jumper-\(seconds).csv"
        let lines = (0..<seconds * 100).map { tick in
            String(
                format: "%.2f,0,%@,9.80665,0,0,0", Double(tick) / 100, (50..<58).contains(tick % 100) ? "-9.81" : "0")
        }
        try (["t_s,ax,ay,az,gx,gy,gz"] + lines).joined(separator: "\n").write(
            toFile: path, atomically: true, encoding: .utf8)
        return path
    }
}

extension RoomStatus.Strangers {
    /// Arrivals that belong to nobody's ledger.
    var total: Int { badAuth + unknown + malformed }
}
