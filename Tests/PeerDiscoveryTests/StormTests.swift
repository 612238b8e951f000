import Foundation
import PeerDiscovery
import PrivateFiles
import Testing

/// Forged rooms on the network around a browser: `Scripts/faults/forge-rooms.py`.
private struct Storm: Sendable {
    /// Starts the forger with these words and waits for its end.
    var forge: @Sendable ([String]) throws -> Void
    var browser: RoomBrowser
    /// The one room that is there.
    var truth: RoomRecord

    /// Open sockets but Unix ones. Foundation opens the rest for the programs that the test starts: two Unix sockets for
    /// each, and a run loop's files for each thread that waits for one. What the browser has on D-Bus, the census counts.
    static var descriptors: Int {
        get throws {
            let unix = try #require(kernelTable("/proc/self/net/unix")).split(separator: "\n")
                .compactMap { line in line.split(separator: " ").dropFirst(6).first.map { "socket:[\($0)]" } }
            let isUnix = Set(unix)
            return openFiles.count { $0.hasPrefix("socket:") && !isUnix.contains($0) }
        }
    }

    /// What they are, for whoever wonders.
    static var openFiles: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return names.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0) }
    }

    /// 200 rooms appear and vanish, then 10,000: the list is bounded all the while, and in the end it and all that was
    /// held for it is as before. Forged rooms lie at addresses of others, so none is asked whether it answers.
    func pass() async throws {
        #expect(await browser.snapshot { $0.rooms.map(\.record) == [truth] }.rooms.map(\.record) == [truth])
        // What starting a program leaves open the first time is not the browser's.
        try forge(["rooms", "0"])
        let before = try (AvahiCensus.total, Self.descriptors)
        let most = Task.detached { [browser] in
            var most = 0
            while !Task.isCancelled {
                most = max(most, browser.snapshot().rooms.count)
                try? await Task.sleep(for: .milliseconds(5))
            }
            return most
        }
        // A responder hears but a part of it, and may miss goodbyes: these rooms' records last for 6 s.
        try forge(["rooms", "200", "--seed", "2", "--ttl", "6"])
        try forge(["withdraw", "200", "--seed", "2"])
        try forge(["rooms", "10000", "--seconds", "4", "--ttl", "6"])
        // A swamped daemon gets round to resolving only after it.
        let over = ContinuousClock.now
        while browser.snapshot().rooms.count < 500, ContinuousClock.now - over < .seconds(3) {
            try await Task.sleep(for: .milliseconds(20))
        }
        try forge(["withdraw", "10000", "--seconds", "2"])
        let gone = ContinuousClock.now
        // A record of which one packet was lost is asked for again before it expires.
        while ContinuousClock.now - gone < .seconds(60),
            browser.snapshot().rooms.map(\.record) != [truth]
                || AvahiCensus.total != before.0 || (try? Self.descriptors <= before.1) != true
        { try await Task.sleep(for: .milliseconds(20)) }
        let took = ContinuousClock.now - gone
        most.cancel()
        let peak = await most.value
        // How many a swamped responder resolves at all is its own affair.
        #expect(peak <= 1_000)
        #expect(browser.snapshot().rooms.map(\.record) == [truth])
        #expect(AvahiCensus.total == before.0)
        #expect(try Self.descriptors <= before.1, "\(Self.openFiles)")
        print("A8: at most \(peak) rooms were listed; the list was right \(took) after the last goodbye")
    }
}

extension AvahiTests {
    @Test(
        "A8: of 10,000 forged rooms at most 1,000 are listed, and once they are gone the true one alone",
        .enabled(if: PrivateNetwork.isLAN, "network namespaces need root"))
    func storm() async throws {
        let truth = RoomRecord(id: roomID(.random(in: .min ... .max)), totalSeats: 4)
        let advertiser = RoomAdvertiser(name: try RoomName("Yard"), port: 7777, record: truth, discovery: .daemon)
        let browser = RoomBrowser(discovery: .daemon, asksRooms: false)
        let forge: @Sendable ([String]) throws -> Void = { try PrivateNetwork.neighbourForges("eth0", $0) }
        try await Storm(forge: forge, browser: browser, truth: truth).pass()
        await browser.stop()
        await advertiser.stop()
        // A swamped responder is waited for no longer than a second: the rest is freed when it answers.
        #expect(try await eventually { AvahiCensus.total == 0 })
    }
}

extension EmbeddedTests {
    @Test("A8: of 10,000 forged rooms at most 1,000 are listed, and once they are gone the true one alone")
    func storm() async throws {
        let truth = RoomRecord(id: roomID(.random(in: .min ... .max)), totalSeats: 4)
        let advertiser = RoomAdvertiser(
            name: try RoomName("Yard"), port: 7777, record: truth, interface: "lo", discovery: .embedded)
        let browser = RoomBrowser(discovery: .embedded, interface: "lo", asksRooms: false)
        try await Storm(forge: { try forgeRooms(["lo"] + $0) }, browser: browser, truth: truth).pass()
        await browser.stop()
        await advertiser.stop()
        // A swamped responder is waited for no longer than a second: the rest is freed when it answers.
        #expect(try await eventually { AvahiCensus.total == 0 })
    }
}

private let forgerPath = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Scripts/faults/forge-rooms.py").path

private func forgeRooms(_ words: [String]) throws {
    let forger = Process()
    forger.executableURL = URL(filePath: "/usr/bin/python3")
    forger.arguments = [forgerPath] + words
    forger.standardOutput = FileHandle.nullDevice
    try forger.run()
    forger.waitUntilExit()
    try #require(forger.terminationStatus == 0)
}

extension PrivateNetwork {
    fileprivate static func neighbourForges(_ interface: String, _ words: [String]) throws {
        try neighbour(["/usr/bin/python3", forgerPath, interface] + words)
    }
}
