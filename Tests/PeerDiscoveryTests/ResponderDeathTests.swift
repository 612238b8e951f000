import Foundation
import Glibc
import PeerDiscovery
import PrivateFiles
import Testing

extension EmbeddedTests {
    @Test("A responder's process that is killed is started again: what it published and listened for is there again")
    func killed() async throws {
        let record = RoomRecord(id: roomID(.random(in: .min ... .max)), totalSeats: 4)
        let browser = RoomBrowser(discovery: .embedded, interface: "lo", asksRooms: false)
        let advertiser = RoomAdvertiser(
            name: try RoomName("Phoenix"), port: 7777, record: record, interface: "lo", discovery: .embedded)
        #expect(await browser.room("Phoenix")?.record == record)
        // One that only says whether it could serve may be ending still.
        #expect(try await eventually { BuiltResponder.running.count == 2 })
        let first = BuiltResponder.running
        for pid in first { kill(pid, SIGKILL) }
        let missing = await advertiser.first { if case .daemonMissing = $0 { true } else { false } }
        guard case .daemonMissing(let reason) = missing else {
            Issue.record("\(String(describing: missing))")
            return
        }
        #expect(reason.contains("ended unexpectedly") && reason.contains("started again in 1 s"), "\(reason)")
        #expect(await browser.room("Phoenix") { $0.liveness == .unconfirmed } != nil)

        let fewer = record.changed { $0.freeSeats = 1 }
        await advertiser.update(fewer)
        #expect(await advertiser.publishedName() == "Phoenix")
        #expect(await browser.room("Phoenix") { $0.liveness == .announced && $0.record == fewer } != nil)
        #expect(Set(BuiltResponder.running).isDisjoint(with: first))
        await advertiser.stop()
        await browser.stop()
        #expect(AvahiCensus.total == 0)
        #expect(try await noneIsLeft())
    }

    @Test("libavahi-core is nowhere in this process, and nothing of this process in its responder's")
    func apart() async throws {
        setenv("ROOMFUL_TEST_SECRET", "hush", 1)
        defer { unsetenv("ROOMFUL_TEST_SECRET") }
        let browser = RoomBrowser(discovery: .embedded, interface: "lo", asksRooms: false)
        #expect(try await eventually { browser.snapshot().availability == .running })
        func libraries(of process: String) throws -> Bool {
            try #require(kernelTable("/proc/\(process)/maps")).contains("libavahi-core")
        }
        // One that only says whether it could serve may be ending still.
        func serving() -> pid_t? { BuiltResponder.running.first { (try? libraries(of: "\($0)")) ?? false } }
        #expect(try await eventually { serving() != nil })
        let pid = try #require(serving())
        #expect(try !libraries(of: "self"))
        #expect(try libraries(of: "\(pid)"))
        #expect(try !#require(kernelTable("/proc/\(pid)/environ")).contains("hush"))
        // Its own files alone: the socket to us, nothing twice over, an eventfd, what Avahi opened.
        let ours = Set(try links(of: "self").filter { $0.hasPrefix("socket:") || $0.hasPrefix("/") })
        #expect(Set(try links(of: "\(pid)").filter { $0 != "/dev/null" }).isDisjoint(with: ours))
        await browser.stop()
        #expect(try await noneIsLeft())
    }

    @Test("Where no program can serve as the responder, that is said in words, and nothing else goes wrong")
    func noProgram() async throws {
        defer { BuiltResponder.use() }
        for (path, words) in [("/nowhere/roomful", "ROOMFUL_RESPONDER"), ("/bin/true", "does not")] {
            setenv("ROOMFUL_RESPONDER", path, 1)
            #expect(DiscoverySupport.embeddedProblem?.contains(words) == true)
            let advertiser = RoomAdvertiser(
                name: try RoomName("Nowhere"), port: 7777, record: RoomRecord(id: roomID(3)), interface: "lo",
                discovery: .embedded)
            let state = await advertiser.first { _ in true }
            guard case .daemonMissing(let reason) = state else {
                Issue.record("\(path): \(String(describing: state))")
                continue
            }
            #expect(reason.contains(words), "\(reason)")
            await advertiser.stop()
        }
        #expect(AvahiCensus.total == 0)
        #expect(try await noneIsLeft())
    }

    private func links(of process: String) throws -> [String] {
        let folder = "/proc/\(process)/fd"
        return try FileManager.default.contentsOfDirectory(atPath: folder).compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: folder + "/" + $0)
        }
    }

    /// Whether all responders' processes end.
    private func noneIsLeft() async throws -> Bool { try await eventually { BuiltResponder.running.isEmpty } }
}
