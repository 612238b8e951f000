import Foundation
import Testing
import WireProtocol

@testable import Datagrams
@testable import Identity
@testable import RoomDoctor
@testable import RoomRecords
@testable import RoomServer
@testable import Roomful

@Suite("What the doctor gathers", .timeLimit(.minutes(3)))
struct GatheringTests {
    private let question = MulticastQuestion(id: 0xA55A, known: [PeerAddress(ipv4: 0x0A4D_0002, port: 0)])

    @Test("The question asks for kinds of services, for rooms, and for the names of known devices")
    func questionBytes() {
        let bytes = question.bytes
        #expect(Array(bytes.prefix(12)) == [0xA5, 0x5A, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0])
        func name(_ labels: [String]) -> [UInt8] { labels.flatMap { [UInt8($0.utf8.count)] + $0.utf8 } + [0] }
        let expected =
            name(["_services", "_dns-sd", "_udp", "local"]) + [0, 12, 0, 1]
            + name(["_roomful", "_tcp", "local"]) + [0, 12, 0, 1]
            + name(["2", "0", "77", "10", "in-addr", "arpa"]) + [0, 12, 0, 1]
        #expect(Array(bytes.dropFirst(12)) == expected)
    }

    @Test("Its own copy, an answer and everything else are told apart, whatever their length")
    func judge() {
        #expect(question.judge(question.bytes) == .ownCopy)
        #expect(question.judge(MulticastQuestion(id: 1).bytes) == .other)
        #expect(question.judge([0, 0, 0x84, 0, 0, 0, 0, 1, 0, 0, 0, 0]) == .response)
        #expect(question.judge([0, 0, 0x84, 0, 0, 0, 0, 0, 0, 0, 0, 1]) == .other)
        for length in 0..<12 { #expect(question.judge([UInt8](repeating: 0xFF, count: length)) == .other) }
    }

    @Test("A line of /proc/net/udp gives port, user and inode; its heading and what is cut off give nothing")
    func sockets() {
        let text = """
              sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode ref pointer drops
             1214: 00000000:14E9 00000000:0000 07 00000000:00000000 00:00000000 00000000   105        0 21345 2 0 0
             9481: 00000000000000000000000000000000:E115 00000000000000000000000000000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 21346 2 0 0
             1214: 00000000:14E9 00000000:0000 07
            """
        let lines = UDPSocketLine.all(in: text)
        #expect(lines.map(\.port) == [5_353, 57_621] && lines.map(\.user) == [105, 0])
        #expect(lines.map(\.inode) == [21_345, 21_346])
    }

    @Test("Of the devices spoken to lately only those count that have answered, on the interface in question")
    func arp() {
        let text = """
            IP address       HW type     Flags       HW address            Mask     Device
            10.77.0.2        0x1         0x2         0a:00:00:00:00:02     *        eth0
            10.77.0.3        0x1         0x0         00:00:00:00:00:00     *        eth0
            10.78.0.2        0x1         0x2         0a:00:00:00:00:03     *        eth1
            """
        #expect(ARPTable.addresses(in: text, on: "eth0").map(\.host) == ["10.77.0.2"])
    }

    @Test("A D-Bus is there when somebody listens at its socket")
    func bus() throws {
        #expect(SystemBus.look(environment: ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nowhere/bus"]).error == ENOENT)
        #expect(SystemBus.look(environment: [:]).path == "/var/run/dbus/system_bus_socket")
        let long = String(repeating: "x", count: 200)
        #expect(SystemBus.look(environment: ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/\(long)"]).error == ENAMETOOLONG)
    }

    @Test("A room of which no responder has said anything yet is looked for; one that is hidden is not")
    func announced() {
        func room(_ line: String, _ word: String?) -> OwnRoom {
            OwnRoom(
                RoomStatus(
                    name: "Hall", room: "00", policy: "open", mode: "encrypted", seats: 4, freeSeats: 4,
                    isLocked: false,
                    port: 7_777, pin: "00", discovery: line, discoveryState: word, sealing: "libsodium", uptimeMs: 0,
                    peers: [], waiting: [], newcomers: [], strangers: .init(badAuth: 0, unknown: 0, malformed: 0)))
        }
        #expect(room("not advertised yet", "pending").isAnnounced)
        #expect(room("not published: no daemon", "failed").isAnnounced)
        #expect(!room("not advertised (discovery is off)", "off").isAnnounced)
        // Hosts of older versions say no word of it.
        #expect(!room("not advertised (discovery is off)", nil).isAnnounced)
        #expect(room("not advertised yet", nil).isAnnounced)
    }

    @Test("Of the certificates that rooms show only their operators' are looked at")
    func certificates() {
        var status = RoomStatus(
            name: "Hall", room: "00", policy: "open", mode: "encrypted", seats: 4, freeSeats: 4, isLocked: false,
            port: 7_777, pin: "00", discovery: "", sealing: "libsodium", uptimeMs: 0, peers: [], waiting: [],
            newcomers: [], strangers: .init(badAuth: 0, unknown: 0, malformed: 0))
        #expect(ShownCertificate(status) == nil)
        status.certificate = RoomStatus.Certificate(ends: 1_798_070_400, isOperators: false)
        #expect(ShownCertificate(status) == nil)
        status.certificate?.isOperators = true
        let shown = ShownCertificate(status)
        #expect(shown?.room == "Hall" && shown?.end == "2026-12-24")
    }

    @Test("A room has the receive buffer that the doctor says that its seats get", arguments: [4, 1_000])
    func receiveBuffer(seats: Int) throws {
        var options = RoomOptions(name: "Room", seats: seats)
        options.http = .off
        options.legacyPort = 0
        let ports = try RoomPorts(options, kept: nil)
        let facts = MachineFacts.now(seats: seats, state: nil)
        #expect(ports.link.receiveBufferBytes == facts.bufferGranted)
        #expect(ports.legacy?.receiveBufferBytes == facts.bufferGranted)
        // The system may grant less than is asked for, but grants what it can.
        #expect(facts.bufferGranted >= min(facts.bufferWanted, facts.bufferLimit ?? 0))
    }

    @Test("This machine's facts are real ones: a date, a buffer, descriptors, a state folder")
    func thisMachine() throws {
        let house = try TestHouse()
        defer { house.remove() }
        let facts = MachineFacts.now(seats: 4, state: house.folder + "/state")
        #expect(facts.year >= 2_025 && facts.date.hasPrefix("\(facts.year)-"))
        #expect(facts.bufferGranted > 0 && facts.bufferWanted == 4 << 20)
        // As much as a room of so many asks for.
        #expect(MachineFacts.now(seats: 1_000, state: nil).bufferWanted == 1_000 * (16 << 10))
        #expect(MachineFacts.now(seats: .max, state: nil).bufferWanted == 64 << 20)
        #expect(facts.descriptors > 0)
        guard case .usable(let path, let free) = facts.state else {
            Issue.record("\(facts.state)")
            return
        }
        #expect(path.hasSuffix("/state") && free > 0)
        let file = house.folder + "/file"
        try Data().write(to: URL(filePath: file))
        guard case .unusable = MachineFacts.now(seats: 4, state: file).state else {
            Issue.record("a file is no folder")
            return
        }
    }

    @Test("A state folder in which no more files can be made is no use, however many bytes are free")
    func inodes() {
        var space = statvfs()
        (space.f_frsize, space.f_bavail) = (4_096, 1 << 20)
        let free = MachineFacts.State.usable(path: "/x", freeBytes: 1 << 32)
        #expect(MachineFacts.state(of: "/x", on: space) == free, "its file system counts no files")
        (space.f_files, space.f_favail) = (65_536, 60_000)
        #expect(MachineFacts.state(of: "/x", on: space) == free)
        space.f_favail = 0
        guard case .unusable(let reason) = MachineFacts.state(of: "/x", on: space) else {
            Issue.record("no file can be made there")
            return
        }
        #expect(reason.contains("inodes"))
    }

    @Test("Who else has a UDP port is found in /proc, with the program's name where this user may look")
    func holders() throws {
        let socket = try DatagramSocket()
        // Our own do not count.
        #expect(PortHolder.others(at: socket.address.port).isEmpty)
        let program = Process()
        program.executableURL = URL(filePath: "/usr/bin/python3")
        program.arguments = [
            "-c",
            """
            import socket, sys
            sockets = [socket.socket(type=socket.SOCK_DGRAM) for _ in range(300)]
            for one in sockets: one.bind(("127.0.0.1", 0))
            print(*(one.getsockname()[1] for one in sockets), flush=True)
            sys.stdin.read()
            """,
        ]
        let (output, input) = (Pipe(), Pipe())
        program.standardOutput = output
        program.standardInput = input
        try program.run()
        defer { try? input.fileHandleForWriting.close() }
        var said = ""
        while !said.hasSuffix("\n"), case let more = output.fileHandleForReading.availableData, !more.isEmpty {
            said += String(decoding: more, as: UTF8.self)
        }
        // So many that the kernel's table has several pages: each is found, wherever it stands.
        let ports = said.split(whereSeparator: \.isWhitespace).compactMap { UInt16($0) }
        #expect(ports.count == 300)
        for port in stride(from: 0, to: 300, by: 20).map({ ports[$0] }) {
            let holder = try #require(PortHolder.others(at: port).first)
            #expect(holder.pid == program.processIdentifier && !holder.user.isEmpty)
            #expect(holder.program?.hasPrefix("python3") == true)
        }
    }
}
