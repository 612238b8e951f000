import Foundation
import Synchronization
import Testing

/// A network of our own: hosts in network namespaces on one switch, `Scripts/lan.sh`. Host I is 10.77.0.I and fd77::I, and
/// has neither a bus nor a daemon until it is given them.
struct Lan: Sendable {
    /// Network namespaces need root.
    static let isPossible = Tools.areDemanded || getuid() == 0

    /// Suites may run side by side.
    private static let count = Atomic<Int>(0)

    private let name: String
    private let folder: String
    private var environment: [String: String] { ["ROOMFUL_LAN_STATE": folder] }

    /// Runs `body` in a network of so many hosts, and removes it.
    static func with<Result: Sendable>(
        hosts: Int, _ body: (Lan) async throws -> Result
    ) async throws -> Result {
        let number = Self.count.add(1, ordering: .relaxed).oldValue
        let name = "f\(getpid() % 100_000)" + String(number % 36, radix: 36)
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

    /// Gives a host a second interface, eth1, to a second switch: 10.78.0.I and fd78::I.
    func addSecondCable(to host: Int) async throws { try await script("cable", name, "\(host)", "second") }

    /// Tells a host's avahi-daemon to `start`, to `stop` with a goodbye, or kills it (`kill`) without.
    func avahi(_ command: String, on host: Int) async throws { try await script("avahi", name, "\(host)", command) }

    /// Has a host take in, or send, nothing that fits this expression of nftables, until `allowAll`.
    func drop(_ way: String, _ expression: String..., on host: Int) async throws {
        try await run("nft", "add table inet faults", on: host)
        try await run("nft", "add chain inet faults \(way) { type filter hook \(way) priority 0; }", on: host)
        for rule in expression { try await run("nft", "add rule inet faults \(way) \(rule) drop", on: host) }
    }

    func allowAll(on host: Int) async throws { try await run("nft", "delete table inet faults", on: host) }

    private func script(_ arguments: String...) async throws {
        let program = try RunningProgram(repositoryPath("Scripts/lan.sh"), arguments, environment: environment)
        let said = try await program.ended()
        guard program.status == 0 else { throw RunningProgram.Missing(description: "lan.sh \(arguments): \(said)") }
    }
}

extension Trait where Self == ConditionTrait {
    static var needsNamespaces: Self { .enabled(if: Lan.isPossible, "network namespaces need root") }
}
