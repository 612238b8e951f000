import Foundation
import PeerDiscovery
import Testing

/// A network of our own with real Avahi daemons, up for as long as a suite runs.
///
/// As root it is a LAN of two hosts in network namespaces (`Scripts/lan.sh`): this process speaks to the daemon of the
/// first, and the second looks on. Otherwise it is one daemon on a loopback (`Scripts/avahi-loopback.sh`) that looks on
/// itself.
struct PrivateNetwork: SuiteTrait, TestScoping {
    static let isRequired = ProcessInfo.processInfo.environment["ROOMFUL_REQUIRE_AVAHI"] == "1"
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

    /// Runs a command as the neighbour, who shares nothing with us but the cable, and returns what it printed.
    @discardableResult
    static func neighbour(_ command: String...) throws -> String {
        isLAN ? try script("lan.sh", ["in", name, "2"] + command) : try run("/usr/bin/env", command)
    }

    /// What the neighbour's `avahi-browse` sees of our rooms right now, one line for each resolved announcement.
    static func seenByNeighbour() throws -> [Substring] {
        try neighbour("avahi-browse", "--resolve", "--parsable", "--no-db-lookup", "--terminate", "_roomful._tcp")
            .split(separator: "\n").filter { $0.hasPrefix("=") }
    }

    /// Whether the neighbour sees none of our rooms any more. A goodbye takes effect after a second (RFC 6762, 10.1).
    static func isForgottenByNeighbour() throws -> Bool {
        let deadline = ContinuousClock.now + .seconds(5)
        while ContinuousClock.now < deadline {
            if try seenByNeighbour().isEmpty { return true }
        }
        return false
    }

    @discardableResult
    private static func script(_ name: String, _ arguments: String...) throws -> String {
        try script(name, arguments)
    }

    private static func script(_ name: String, _ arguments: [String]) throws -> String {
        try run(scripts.appending(path: name).path, arguments)
    }

    private static func run(_ path: String, _ arguments: [String]) throws -> String {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.standardOutput = output
        // Swift's own threads block signals; what we start must not inherit that, or SIGTERM will not end it.
        var all = sigset_t()
        var usual = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_UNBLOCK, &all, &usual)
        defer { pthread_sigmask(SIG_SETMASK, &usual, nil) }
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "\(path) \(arguments) failed: \(text)")
        return text
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

extension RoomAdvertiser {
    /// The next state of that kind; nil if the advertiser stopped before.
    func first(_ isWanted: (AdvertiserState) -> Bool) async -> AdvertiserState? {
        for await state in states where isWanted(state) { return state }
        return nil
    }

    /// The name under which the room is published, once it is.
    func publishedName() async -> String? {
        guard case .published(let name) = await first({ if case .published = $0 { true } else { false } }) else {
            return nil
        }
        return name
    }
}

extension RoomBrowser {
    /// The room of that name, as soon as it is there and as wanted. Rooms of earlier tests may still be listed.
    func room(_ name: String, when isWanted: (DiscoveredRoom) -> Bool = { _ in true }) async -> DiscoveredRoom? {
        await snapshot { $0.rooms(named: name).contains(where: isWanted) }.rooms(named: name).first
    }

    /// The list, as soon as it is as wanted.
    func snapshot(when isWanted: (RoomSnapshot) -> Bool) async -> RoomSnapshot {
        var latest = snapshot()
        if isWanted(latest) { return latest }
        for await _ in changes {
            latest = snapshot()
            if isWanted(latest) { break }
        }
        return latest
    }
}
