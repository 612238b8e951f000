import Foundation
import Testing

/// A network of our own: hosts in network namespaces on one switch, `Scripts/lan.sh`. Host I is 10.77.0.I and fd77::I.
struct Lan: Sendable {
    private static let isRequired = ProcessInfo.processInfo.environment["ROOMFUL_REQUIRE_AVAHI"] == "1"
    /// Network namespaces need root.
    static let isPossible = isRequired || getuid() == 0

    private let name: String
    private let folder: String
    private var environment: [String: String] { ["ROOMFUL_LAN_STATE": folder] }

    /// Runs `body` in a network of so many hosts, and removes it.
    static func with<Result: Sendable>(
        hosts: Int, _ body: (Lan) async throws -> Result
    ) async throws -> Result {
        let name = "f\(getpid() % 1_000_000)"
        let lan = Lan(name: name, folder: NSTemporaryDirectory() + "roomful-lan-\(name)")
        try await lan.script("down", name)
        try await lan.script("up", name, "\(hosts)", "--no-avahi")
        do {
            let result = try await body(lan)
            try await lan.script("down", name)
            return result
        } catch {
            try? await lan.script("down", name)
            throw error
        }
    }

    /// Starts a program on a host.
    func start(
        _ program: String, _ arguments: [String], on host: Int, environment more: [String: String] = [:]
    ) throws -> RunningProgram {
        try RunningProgram(
            repositoryPath("Scripts/lan.sh"), ["in", name, "\(host)", program] + arguments,
            environment: environment.merging(more) { $1 })
    }

    /// Runs a command on a host and returns what it said.
    @discardableResult
    func run(_ command: String..., on host: Int) async throws -> String {
        let program = try start("/usr/bin/env", command, on: host)
        let said = try await program.ended()
        guard program.status == 0 else { throw RunningProgram.Missing(description: "\(command): \(said)") }
        return said
    }

    /// Pulls a host's cable at the switch, or plugs it in again.
    func cut(_ host: Int) async throws { try await script("cable", name, "\(host)", "cut") }
    func heal(_ host: Int) async throws { try await script("cable", name, "\(host)", "heal") }

    private func script(_ arguments: String...) async throws {
        let program = try RunningProgram(repositoryPath("Scripts/lan.sh"), arguments, environment: environment)
        let said = try await program.ended(within: .seconds(20))
        guard program.status == 0 else { throw RunningProgram.Missing(description: "lan.sh \(arguments): \(said)") }
    }
}

extension Trait where Self == ConditionTrait {
    static var needsNamespaces: Self { .enabled(if: Lan.isPossible, "network namespaces need root") }
}
