import Foundation
import Testing

/// A network of our own with real Avahi daemons, up for as long as a suite runs.
///
/// As root it is a LAN of two hosts in network namespaces (`Scripts/lan.sh`): this process speaks to the daemon of the
/// first, and the second looks on. Otherwise it is one daemon on a loopback (`Scripts/avahi-loopback.sh`) that looks on
/// itself.
struct PrivateNetwork: SuiteTrait, TestScoping {
    /// Nothing stands aside in `make test`, nor where `CI` is set.
    static let isRequired: Bool = {
        let environment = ProcessInfo.processInfo.environment
        return environment["ROOMFUL_REQUIRE_AVAHI"] == "1" || !["", "0", "false"].contains(environment["CI"] ?? "")
    }()
    static let isPossible = isInstalled("avahi-daemon") && isInstalled("dbus-daemon") && isInstalled("avahi-browse")
    static let isLAN = getuid() == 0

    private static let name = "t\(getpid() % 1_000_000)"
    private static let folder = FileManager.default.temporaryDirectory.path + "/roomful-\(name)"
    private static let scripts = URL(filePath: #filePath).deletingLastPathComponent().appending(
        path: "../../Scripts", directoryHint: .isDirectory)

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        setenv("ROOMFUL_LAN_STATE", Self.folder, 1)
        do {
            if Self.isLAN {
                try Self.script("lan.sh", "up", Self.name, "2")
                setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=\(Self.folder)/\(Self.name)/1/bus", 1)
            } else {
                try Self.script("avahi-loopback.sh", "start", Self.folder, "--own-network")
                setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=\(Self.folder)/bus", 1)
            }
            try await function()
        } catch {
            try? Self.tearDown()
            throw error
        }
        try Self.tearDown()
    }

    private static func tearDown() throws {
        if isLAN { try script("lan.sh", "down", name) } else { try script("avahi-loopback.sh", "stop", folder) }
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Tells this process's daemon to `start`, to `stop` with a goodbye, or kills it (`kill`) without.
    static func daemon(_ command: String) throws {
        if isLAN {
            try script("lan.sh", "avahi", name, "1", command)
        } else {
            try script("avahi-loopback.sh", "daemon", folder, command)
        }
    }

    /// Starts this process's D-Bus (`start`), or kills it (`kill`).
    static func bus(_ command: String) throws {
        if isLAN {
            try script("lan.sh", "bus", name, "1", command)
        } else {
            try script("avahi-loopback.sh", "bus", folder, command)
        }
    }

    /// Has the neighbour publish a service of our type for as long as `body` runs.
    static func whileNeighbourPublishes(
        _ name: String, port: UInt16, _ strings: [String], body: () async throws -> Void
    ) async throws {
        let command = ["avahi-publish", "--service", name, "_roomful._tcp", "\(port)"] + strings
        let process =
            isLAN
            ? Self.process(scripts.appending(path: "lan.sh").path, ["in", Self.name, "2"] + command)
            : Self.process("/usr/bin/env", command)
        try start(process)
        defer {
            process.terminate()
            process.waitUntilExit()
        }
        try await body()
    }

    /// Runs a command as the neighbour, who shares nothing with us but the cable, and returns what it printed.
    @discardableResult
    static func neighbour(_ command: String...) throws -> String { try neighbour(command) }

    @discardableResult
    static func neighbour(_ command: [String]) throws -> String {
        isLAN ? try script("lan.sh", ["in", name, "2"] + command) : try run("/usr/bin/env", command)
    }

    /// What the neighbour's `avahi-browse` sees of our rooms, one line for each resolved announcement: as soon as it is
    /// as wanted, or after a minute.
    static func seenByNeighbour(until isWanted: ([Substring]) -> Bool) throws -> [Substring] {
        let deadline = ContinuousClock.now + patience
        while true {
            let lines = try neighbour(
                "avahi-browse", "--resolve", "--parsable", "--no-db-lookup", "--terminate", "_roomful._tcp"
            ).split(separator: "\n").filter { $0.hasPrefix("=") }
            if isWanted(lines) || ContinuousClock.now >= deadline { return lines }
        }
    }

    /// Whether the neighbour sees none of our rooms any more. A goodbye takes effect after a second (RFC 6762, 10.1);
    /// without one their records would last for two minutes at least.
    static func isForgottenByNeighbour() throws -> Bool { try seenByNeighbour { $0.isEmpty }.isEmpty }

    @discardableResult
    private static func script(_ name: String, _ arguments: String...) throws -> String {
        try script(name, arguments)
    }

    private static func script(_ name: String, _ arguments: [String]) throws -> String {
        try run(scripts.appending(path: name).path, arguments)
    }

    private static func run(_ path: String, _ arguments: [String]) throws -> String {
        let process = Self.process(path, arguments)
        let output = Pipe()
        process.standardOutput = output
        try start(process)
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "\(path) \(arguments) failed: \(text)")
        return text
    }

    private static func process(_ path: String, _ arguments: [String]) -> Process {
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        return process
    }

    /// Swift's own threads block signals; what we start must not inherit that, or SIGTERM would not end it.
    private static func start(_ process: Process) throws {
        var all = sigset_t()
        var usual = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_UNBLOCK, &all, &usual)
        defer { pthread_sigmask(SIG_SETMASK, &usual, nil) }
        try process.run()
    }

    private static func isInstalled(_ program: String) -> Bool {
        ["/usr/sbin/", "/usr/bin/"].contains { FileManager.default.isExecutableFile(atPath: $0 + program) }
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips where there is no Avahi, unless whoever runs the tests insists.
    static var needsAvahi: Self {
        .enabled(
            if: PrivateNetwork.isRequired || PrivateNetwork.isPossible,
            "Avahi is not installed; on Debian: apt-get install avahi-daemon avahi-utils dbus")
    }
}
