import Foundation
import Testing

@testable import Identity
@testable import PrivateFiles
@testable import RoomServer
@testable import Roomful

@Suite("Known hosts")
struct KnownHostsTests {
    let temporary = TemporaryFolder()
    static let day = Date(timeIntervalSince1970: 1_795_251_600)

    static func entry(_ id: UInt8, pin: UInt8? = nil, name: String = "Living Room") throws -> KnownHosts.Entry {
        KnownHosts.Entry(
            roomID: try #require(RoomID(bytes: Array(repeating: id, count: 16))),
            pin: try #require(Pin(bytes: Array(repeating: pin ?? id, count: 32))), name: name, firstSeen: day,
            lastAddress: "192.168.1.5:7777")
    }

    static func decision(_ hosts: KnownHosts, on entry: KnownHosts.Entry) -> KnownHosts.Decision {
        hosts.decision(on: entry.roomID, called: entry.name, presenting: entry.pin)
    }

    @Test("A room is unknown until it is remembered, and known from then on, whatever it is called")
    func known() throws {
        var hosts = KnownHosts()
        let room = try KnownHostsTests.entry(1)
        #expect(KnownHostsTests.decision(hosts, on: room) == .unknown)
        hosts.remember(room)
        #expect(KnownHostsTests.decision(hosts, on: room) == .known(room))
        #expect(KnownHostsTests.decision(hosts, on: try KnownHostsTests.entry(1, name: "Kitchen")) == .known(room))
    }

    @Test("A known room with another key is a hard stop that names the file and the line to remove")
    func changed() throws {
        var hosts = KnownHosts(text: "# my rooms\n")
        let room = try KnownHostsTests.entry(1)
        hosts.remember(room)
        let impostor = try KnownHostsTests.entry(1, pin: 2)
        let decision = KnownHostsTests.decision(hosts, on: impostor)
        #expect(decision == .changed(known: room, presented: impostor.pin, line: 2))
        let refusal = decision.refusal(called: room.name, file: "/state/known_hosts")
        #expect(refusal?.code == .pinChanged)
        #expect(refusal?.description.contains("remove line 2 of /state/known_hosts") == true)
        #expect(refusal?.description.contains(impostor.pin.short) == true)
    }

    @Test("Another room under a known room's name does not take its place, in whatever case it writes it")
    func spoofed() throws {
        var hosts = KnownHosts()
        let room = try KnownHostsTests.entry(1)
        hosts.remember(room)
        let impostor = try KnownHostsTests.entry(2, name: "LIVING room")
        let decision = KnownHostsTests.decision(hosts, on: impostor)
        #expect(decision == .nameBelongsToAnother(known: room, presented: impostor.pin, line: 1))
        #expect(decision.refusal(called: "LIVING room", file: "f")?.code == .nameBelongsToAnother)
    }

    @Test("A trusted room that takes over another trusted room's name is stopped as well")
    func renamed() throws {
        var hosts = KnownHosts()
        let living = try KnownHostsTests.entry(1)
        hosts.remember(living)
        hosts.remember(try KnownHostsTests.entry(2, name: "Kitchen"))
        let decision = KnownHostsTests.decision(hosts, on: try KnownHostsTests.entry(2))
        #expect(decision == .nameBelongsToAnother(known: living, presented: try KnownHostsTests.entry(2).pin, line: 1))
    }

    @Test("Two rooms of one name that were both trusted are both known")
    func namesakes() throws {
        var hosts = KnownHosts()
        for id in UInt8(1)...2 { hosts.remember(try KnownHostsTests.entry(id)) }
        for id in UInt8(1)...2 {
            let room = try KnownHostsTests.entry(id)
            #expect(KnownHostsTests.decision(hosts, on: room) == .known(room))
        }
        #expect(hosts.entries(named: "living room").count == 2)
    }

    @Test("The same key under the same name is the same host, though its id is new")
    func newID() throws {
        var hosts = KnownHosts()
        let room = try KnownHostsTests.entry(1)
        hosts.remember(room)
        #expect(KnownHostsTests.decision(hosts, on: try KnownHostsTests.entry(2, pin: 1)) == .known(room))
    }

    @Test("Remembering again notes name and address and keeps the first date")
    func remembering() throws {
        var hosts = KnownHosts()
        hosts.remember(try KnownHostsTests.entry(1))
        var later = try KnownHostsTests.entry(1, name: "Kitchen")
        later.firstSeen += 86_400
        later.lastAddress = "[fe80::1%2]:1"
        hosts.remember(later)
        #expect(hosts.entries.map(\.firstSeen) == [KnownHostsTests.day])
        #expect(hosts.entries.map(\.name) == ["Kitchen"])
        #expect(hosts.entries.map(\.lastAddress) == ["[fe80::1%2]:1"])
    }

    @Test(
        "Names come back as they were",
        arguments: ["Living Room", "🎉 \"x\"", "100 % sure", "a\tb\nc\r\u{2028}", "", "-", "# no comment", "\u{1B}[2J"])
    func names(name: String) throws {
        var hosts = KnownHosts()
        hosts.remember(try KnownHostsTests.entry(1, name: name))
        hosts.remember(try KnownHostsTests.entry(2, name: "after"))
        let again = KnownHosts(text: hosts.text)
        #expect(again.entries.map(\.name) == [name.isEmpty ? "-" : name, "after"])
        #expect(hosts.text.unicodeScalars.allSatisfy { $0 == "\n" || (0x20...0x7E).contains($0.value) })
    }

    @Test("Broken lines and comments are ignored and kept")
    func brokenLines() throws {
        let room = try KnownHostsTests.entry(1)
        var hosts = KnownHosts()
        hosts.remember(room)
        let broken = [
            "# a comment", "", "garbage", "\(room.roomID) \(room.pin) x yesterday h:1",
            "\(room.roomID) 00 x 2026-11-21T09:00:00Z h:1",
            "\(room.roomID) \(room.pin) %G0 2026-11-21T09:00:00Z h:1", String(repeating: "x ", count: 10_000),
        ]
        try temporary.plant("known_hosts", broken.joined(separator: "\n") + "\n" + hosts.text)
        try KnownHosts.update(in: temporary.folder) { hosts in
            #expect(hosts.entries == [room])
            hosts.remember((try? KnownHostsTests.entry(2, name: "Kitchen")) ?? room)
        }
        let content = try #require(temporary.content("known_hosts"))
        #expect(content.hasPrefix(broken.joined(separator: "\n") + "\n" + hosts.text))
        #expect(try KnownHosts.load(from: temporary.folder).entries.count == 2)
        #expect(try temporary.mode("known_hosts") == 0o600)
    }

    @Test("Bytes that are no text, or far too many, do not crash")
    func hostileFile() throws {
        try temporary.plant("known_hosts", bytes: (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        #expect(try KnownHosts.load(from: temporary.folder).entries.isEmpty)
        try temporary.plant("known_hosts", bytes: Array(repeating: 0x0A, count: 3 << 20))
        #expect(failure(StorageError.self) { try KnownHosts.load(from: temporary.folder) }?.code == .tooLarge)
    }

    @Test("A symbolic link planted as the file is refused")
    func plantedLink() throws {
        symlink("/etc/passwd", temporary.path + "/known_hosts")
        #expect(failure(StorageError.self) { try KnownHosts.load(from: temporary.folder) }?.code == .symbolicLink)
    }

    @Test("What is known already is not written, so that it may lie where nothing can be")
    func unwritable() throws {
        let room = try KnownHostsTests.entry(1)
        try KnownHosts.update(in: temporary.folder) { $0.remember(room) }
        // A lock that cannot be opened for writing, whoever asks: it is a folder.
        let lock = temporary.path + "/.known_hosts.lock"
        try FileManager.default.removeItem(atPath: lock)
        try FileManager.default.createDirectory(atPath: lock, withIntermediateDirectories: false)
        try KnownHosts.update(in: temporary.folder) { $0.remember(room) }
        let other = try KnownHostsTests.entry(2, name: "Kitchen")
        let error = failure(StorageError.self) { try KnownHosts.update(in: temporary.folder) { $0.remember(other) } }
        #expect(error != nil)
        #expect(try KnownHosts.load(from: temporary.folder).entries == [room])
    }

    @Test("Controllers that learn rooms at the same moment lose none")
    func concurrently() async throws {
        let folder = try temporary.folder
        try await withThrowingTaskGroup(of: Void.self) { group in
            for id in UInt8(1)...12 {
                group.addTask {
                    let room = try KnownHostsTests.entry(id, name: "Room \(id)")
                    try KnownHosts.update(in: folder) { $0.remember(room) }
                }
            }
            try await group.waitForAll()
        }
        #expect(try KnownHosts.load(from: folder).entries.count == 12)
    }
}
