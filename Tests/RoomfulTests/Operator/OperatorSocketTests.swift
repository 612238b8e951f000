import Foundation
import NIOCore
import NIOPosix
import SiteRecords
import Synchronization
import Testing
import WireProtocol

@testable import ControllerClient
@testable import OperatorFront
@testable import PrivateFiles
@testable import RoomRecords
@testable import RoomServer
@testable import Roomful

@Suite("The operator's socket", .serialized, .timeLimit(.minutes(3)))
struct OperatorSocketTests {
    @Test("Only its owner can open it: 0600 in a folder of 0700, and it is gone with the room")
    func modes() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        let path = try await withRoom(house.options()) { room in
            let path = try await Self.socketPath(of: room, in: house)
            let socket = try FileManager.default.attributesOfItem(atPath: path)
            #expect((socket[.posixPermissions] as? Int) == 0o600)
            let folder = try FileManager.default.attributesOfItem(atPath: (path as NSString).deletingLastPathComponent)
            #expect((folder[.posixPermissions] as? Int) == 0o700)
            return path
        }
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("A client finds the only room, asks which of several is meant, and says when there is none")
    func choosing() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        let state = try house.state("host")
        await #expect(throws: OperatorClient.Unreachable.noRoom) { try await OperatorClient(room: nil, state: state) }
        try await withRoom(house.options("One")) { one in
            _ = try await Self.socketPath(of: one, in: house)
            let client = try await OperatorClient(room: nil, state: state)
            #expect(try await client.ask(OperatorRequest(.status)).status?.name == "One")
            try await withRoom(house.options("Two")) { two in
                _ = try await Self.socketPath(of: two, in: house)
                await #expect {
                    try await OperatorClient(room: nil, state: state)
                } throws: { error in
                    guard case .whichRoom(let running) = error as? OperatorClient.Unreachable else { return false }
                    return Set(running) == ["One", "Two"]
                }
                let named = try await OperatorClient(room: "Two", state: state)
                #expect(try await named.ask(OperatorRequest(.status)).status?.name == "Two")
                await #expect {
                    try await OperatorClient(room: "Three", state: state)
                } throws: { error in
                    if case .noSuchRoom = error as? OperatorClient.Unreachable { true } else { false }
                }
            }
        }
    }

    @Test("Two rooms of one name in one runtime folder have a socket each; who says whose state is meant finds it")
    func sameName() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        let (run, services) = (house.folder + "/run", ServiceFolders(house.folder + "/none"))
        try FileManager.default.createDirectory(atPath: run, withIntermediateDirectories: false)
        let states = try ["first", "second"].map {
            try StateFolder(environment: ["ROOMFUL_STATE": house.folder + "/" + $0, "XDG_RUNTIME_DIR": run])
        }
        let nobodys = try StateFolder(environment: ["XDG_STATE_HOME": house.folder + "/third", "XDG_RUNTIME_DIR": run])
        let options = try states.map { state in
            var options = try house.options()
            options.state = state
            return options
        }
        try await withRoom(options[0]) { one in
            try await withRoom(options[1]) { two in
                for (room, state) in zip([one, two], states) {
                    let path = try state.operatorSocket(ofRoom: room.name)
                    try await until("a socket at \(path)") { FileManager.default.fileExists(atPath: path) }
                    let client = try await OperatorClient(room: room.name, state: state, services: services)
                    #expect(try await client.ask(OperatorRequest(.status)).status?.port == Int(room.port))
                }
                await #expect {
                    try await OperatorClient(room: "Living Room", state: nobodys, services: services)
                } throws: { error in
                    guard case .sameName(_, let paths) = error as? OperatorClient.Unreachable else { return false }
                    return paths.count == 2
                }
            }
            // The second one took nothing of the first one's away with it.
            let client = try await OperatorClient(room: nil, state: nobodys, services: services)
            #expect(try await client.ask(OperatorRequest(.status)).status?.port == Int(one.port))
        }
    }

    @Test("A room that runs as a service is found by root, unless somebody says whose rooms are meant")
    func services() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        // As `roomful@.service` sets it up: a runtime folder for each instance.
        let place = house.folder + "/run"
        for instance in ["hall", "living-room"] {
            try FileManager.default.createDirectory(
                atPath: "\(place)/\(instance)", withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o755])
        }
        let (state, services) = (house.folder + "/service", ServiceFolders(place))
        let ofService = try StateFolder(
            environment: ["ROOMFUL_STATE": state, "XDG_RUNTIME_DIR": "\(place)/living-room"])
        let ofRoot = try StateFolder(environment: ["XDG_STATE_HOME": house.folder + "/root"])
        #expect(services.instances == ["hall", "living-room"] && services.sockets.isEmpty)
        var options = try house.options("Living Room")
        options.state = ofService
        try await withRoom(options) { room in
            try await until("its socket is there") { services.sockets.count == 1 }
            let client = try await OperatorClient(room: nil, state: ofRoot, services: services)
            #expect(try await client.ask(OperatorRequest(.status)).status?.name == "Living Room")
            let chosen = try StateFolder(house.folder + "/root/roomful")
            await #expect(throws: OperatorClient.Unreachable.noRoom) {
                try await OperatorClient(room: nil, state: chosen, services: services)
            }
            // Another one that says nothing holds nobody up.
            let silent = "\(place)/hall/roomful/hall.sock"
            try FileManager.default.createDirectory(atPath: "\(place)/hall/roomful", withIntermediateDirectories: true)
            let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .bind(unixDomainSocketPath: silent).get()
            let other = try await OperatorClient(room: nil, state: ofRoot, services: services)
            #expect(try await other.ask(OperatorRequest(.status)).status?.name == "Living Room")
            try await listener.close()
            try? FileManager.default.removeItem(atPath: silent)
            // What others than root could have put there is not looked at.
            try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: place)
            #expect(services.sockets.isEmpty)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: place)
            let socket = try #require(services.sockets.first).path
            try FileManager.default.createSymbolicLink(atPath: socket + ".sock", withDestinationPath: socket)
            #expect(services.sockets.map(\.path) == [socket])
        }
    }

    @Test(
        "Root asks nobody but the service's own user, and makes nothing in another user's runtime folder",
        .enabled(if: geteuid() == 0, "needs root, for folders of others"))
    func whoAnswers() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        let place = house.folder + "/run"
        let folder = "\(place)/living-room"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        var options = try house.options("Living Room")
        options.state = try StateFolder(environment: ["ROOMFUL_STATE": place + "-state", "XDG_RUNTIME_DIR": folder])
        let ofRoot = try StateFolder(environment: ["XDG_STATE_HOME": house.folder + "/root"])
        let services = ServiceFolders(place)
        try await withRoom(options) { _ in
            try await until("its socket is there") { services.sockets.count == 1 }
            _ = try await OperatorClient(room: nil, state: ofRoot, services: services)
            // As if the service's user were another than who answers there.
            #expect(chown(folder + "/roomful", 12_345, 12_345) == 0)
            await #expect(throws: OperatorClient.Unreachable.noRoom) {
                try await OperatorClient(room: nil, state: ofRoot, services: services)
            }
            #expect(chown(folder + "/roomful", 0, 0) == 0)
        }
        // What `su` leaves in the environment.
        #expect(chown(folder, 12_345, 12_345) == 0)
        let afterSu = try StateFolder(
            environment: ["XDG_STATE_HOME": house.folder + "/root", "XDG_RUNTIME_DIR": folder])
        #expect(try afterSu.runtimeFolder().path == house.folder + "/root/roomful/run")
    }

    @Test("Of what another user's room says, nothing moves a terminal; a ticket keeps its lines")
    func printableWords() throws {
        let said = Data(
            #"{"a":["\u001b[2J\u009bred",{"b\u0007":"one\ntwo\u202e"}],"n":18446744073709551615,"x":0.1}"#.utf8)
        let heard = try JSONSerialization.jsonObject(with: printableJSON(said, keepsLines: true)) as? [String: Any]
        let list = try #require(heard?["a"] as? [Any])
        #expect(list.first as? String == "[2Jred")
        #expect((list.last as? [String: String])?.values.first == "one\ntwo")
        #expect(heard?["n"] as? UInt64 == .max && heard?["x"] as? Double == 0.1)
        #expect(try String(decoding: printableJSON(said), as: UTF8.self).contains("onetwo"))
    }

    @Test("Garbage and over-long lines are answered with a reason, and the room plays on")
    func garbage() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        try await withRoom(house.options()) { room in
            let path = try await Self.socketPath(of: room, in: house)
            #expect(try await Self.say("what?\n", to: path).contains("that is no command"))
            #expect(try await Self.say("{\"task\":\"fly\"}\n", to: path).contains("that is no command"))
            let long = String(repeating: "x", count: OperatorRequest.longestLine + 1)
            #expect(try await Self.say(long, to: path).contains("longer than"))
            #expect(await room.status().seats == 4)
        }
    }

    @Test("Commands about nobody say who is here; lock, unlock and events do what they say")
    func commands() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        let stopping = try await withRoom(house.options()) { room in
            _ = try await Self.socketPath(of: room, in: house)
            let client = try await OperatorClient(room: nil, state: house.state("host"))
            try await withController(house.controller("Blue"), joining: room.local) { controller in
                controller.send(Sample(sampledAt: Controller.deviceTimeNow()))
                _ = try await room.peers { $0.first?.state == "active" }
                await #expect {
                    try await client.ask(OperatorRequest(.kick, who: "Green"))
                } throws: { ($0 as? RoomError)?.candidates.first?.contains("Blue") == true }
                #expect(try await client.ask(OperatorRequest(.peers, who: "blue")).peers?.first?.seat == 1)
                _ = try await client.ask(OperatorRequest(.lock))
                #expect(await room.status().isLocked)
                _ = try await client.ask(OperatorRequest(.unlock))
                var types: [String] = []
                try await client.follow(after: EventPlace(0), motion: false) { event, _ in
                    types.append(event.type)
                    return event.type != "room" || types.filter { $0 == "room" }.count < 2
                }
                #expect(types.first == "hello")
                #expect(types.contains("player"))
                #expect(types.filter { $0 == "room" }.count == 2)
            }
            // Answered once everybody is forgotten, which is after this.
            let asked = Task { try await client.ask(OperatorRequest(.stop)) }
            await room.untilClosed()
            return asked
        }
        _ = try await stopping.value
    }

    @Test("What goes wrong on the way to another room is told in its own words, as the page and the site tell it")
    func wayToAnotherRoom() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        try await withRoom(house.options()) { room in
            _ = try await Self.socketPath(of: room, in: house)
            room.useMessenger(BrokenWay())
            let client = try await OperatorClient(room: nil, state: house.state("host"))
            try await withController(house.controller("Blue"), joining: room.local) { controller in
                controller.send(Sample(sampledAt: Controller.deviceTimeNow()))
                _ = try await room.peers { $0.first?.state == "active" }
                var request = OperatorRequest(.move, who: "Blue")
                request.to = "Hall"
                let move = request
                await #expect {
                    try await client.ask(move)
                } throws: { ($0 as? RoomError)?.message == "the broker's connection has ended" }
            }
        }
    }

    @Test(
        "A10: another user is turned away by the folder's mode, and by name where the modes were opened; a planted link is not followed",
        .enabled(if: Lan.isPossible))
    func otherUsers() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        let place = try house.state("host").operatorSocket(ofRoom: "Living Room")
        // Somebody planted a link where the socket will stand.
        let victim = house.folder + "/victim"
        try "precious".write(toFile: victim, atomically: true, encoding: .utf8)
        try FileManager.default.createSymbolicLink(atPath: place, withDestinationPath: victim)
        try await withRoom(house.options()) { room in
            let path = try await Self.socketPath(of: room, in: house)
            #expect(try FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType == .typeSocket)
            #expect(try String(contentsOfFile: victim, encoding: .utf8) == "precious")
            func asNobody() async throws -> String {
                let script = """
                    import socket, sys
                    one = socket.socket(socket.AF_UNIX); one.settimeout(60)
                    try:
                        one.connect(sys.argv[1]); one.sendall(b'{"task":"status"}\\n'); print("heard", one.recv(9))
                    except OSError as error: print(type(error).__name__)
                    """
                let program = try RunningProgram(
                    "/usr/bin/setpriv",
                    ["--reuid=65534", "--regid=65534", "--clear-groups", "/usr/bin/python3", "-c", script, path])
                return try await program.ended().trimmingCharacters(in: .whitespacesAndNewlines)
            }
            #expect(try await asNobody() == "PermissionError")
            // Though every mode on the way is opened, whom the kernel names is not answered.
            var way = path
            while way.count > 1 {
                chmod(way, way == path ? 0o666 : 0o755)
                way = (way as NSString).deletingLastPathComponent
                if way == house.folder { break }
            }
            chmod(house.folder, 0o755)
            #expect(["heard b''", "ConnectionResetError", "BrokenPipeError"].contains(try await asNobody()))
            #expect(try await Self.say("{\"task\":\"status\"}\n", to: path).contains("Living Room"))
        }
    }

    @Test("O5: two operators at once: each command has one answer and a line in the log, and no seat is had twice")
    func twoOperators() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        try await withRoom(house.options()) { room in
            _ = try await Self.socketPath(of: room, in: house)
            let state = try house.state("host")
            try await withController(house.controller("Blue"), joining: room.local) { _ in
                try await withController(house.controller("Red"), joining: room.local) { _ in
                    try await withThrowingTaskGroup(of: Int.self) { group in
                        for (name, seats) in [("Blue", [1, 2, 3, 4]), ("Red", [4, 3, 2, 1])] {
                            group.addTask {
                                let client = try await OperatorClient(room: "Living Room", state: state)
                                var answers = 0
                                for step in 0..<100 {
                                    var request = OperatorRequest(.seatMove, who: name)
                                    request.seat = seats[step % 4]
                                    _ = try await client.ask(request)
                                    answers += 1
                                }
                                return answers
                            }
                        }
                        for try await answers in group { #expect(answers == 100) }
                    }
                    let peers = try await room.peers()
                    #expect(Set(peers.map(\.seat)).count == 2 && peers.count == 2)
                    #expect(await room.status().freeSeats == 2)
                }
            }
            // The wrong room is not meant by anybody who does not name it: one that is not there changes nothing.
            await #expect(throws: OperatorClient.Unreachable.self) {
                try await OperatorClient(room: "Another", state: state)
            }
            #expect(await !room.status().isLocked)
        }
    }

    @Test("40 connections that say nothing lock nobody out: the longest silent makes room, who follows does not")
    func silentCrowd() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        try await withRoom(house.options()) { room in
            let path = try await Self.socketPath(of: room, in: house)
            let client = try await OperatorClient(room: nil, state: house.state("host"))
            let heard = Atomic(0)
            let follower = Task {
                try await client.follow(after: nil, motion: false) { _, _ in
                    heard.add(1, ordering: .relaxed)
                    return true
                }
                Issue.record("it was let go")
            }
            try await until("an event") { heard.load(ordering: .relaxed) > 0 }
            // Each has its loop at the host: those that come at once get their places in any order.
            var crowd: [any Channel] = []
            for number in 0..<40 {
                crowd.append(try await Self.connect(to: path))
                // Half a command is none.
                if number % 2 == 0 { try await crowd[number].writeAndFlush(ByteBuffer(string: "{\"task\":")) }
                if number >= 38 {
                    let silent = crowd
                    try await until("places made") { silent.count { !$0.isActive } == number + 1 - OperatorPlaces.most }
                }
            }
            #expect(try await client.ask(OperatorRequest(.status)).status?.name == room.name)
            let silent = crowd
            try await until("places made for all") { silent.count { !$0.isActive } == 41 - OperatorPlaces.most }
            #expect(crowd[39].isActive)
            follower.cancel()
            for channel in crowd { channel.close(promise: nil) }
        }
    }

    @Test("More followers than there are places are told so in words, and one that went gives its place back")
    func followers() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        try await withRoom(house.options()) { room in
            let path = try await Self.socketPath(of: room, in: house)
            let client = try await OperatorClient(room: nil, state: house.state("host"))
            func follow() async throws { try await client.follow(after: nil, motion: false) { _, _ in false } }
            var followers: [any Channel] = []
            for _ in 0..<OperatorPlaces.most {
                followers.append(try await Self.follower(at: path))
            }
            try await until("no place for one more") {
                do { try await follow() } catch let error as RoomError {
                    #expect(error.code == .full && error.message.contains("end one of them"))
                    return true
                }
                return false
            }
            #expect(try await client.ask(OperatorRequest(.status)).status?.name == room.name)
            // Nothing happens in the room that could show that they have gone.
            for follower in followers { try await follower.close() }
            try await until("a place that was given back") {
                do { try await follow() } catch is RoomError { return false }
                return true
            }
        }
    }

    /// Waits until the socket is there.
    private static func socketPath(of room: Room, in house: TestHouse) async throws -> String {
        let path = try house.state("host").operatorSocket(ofRoom: room.name)
        try await until("the operator's socket at \(path)") {
            (try? FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int) == 0o600
        }
        return path
    }

    private static func connect(to path: String) async throws -> any Channel {
        try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connect(unixDomainSocketPath: path)
            .get()
    }

    /// One that follows the events, and was told the first: until then it is one that says nothing, and makes room.
    private static func follower(at path: String) async throws -> any Channel {
        let heard = Heard<ByteBuffer>()
        let channel = try await connect(to: path)
        try await channel.pipeline.addHandler(Ear(heard: heard))
        try await channel.writeAndFlush(ByteBuffer(string: "{\"task\":\"events\"}\n"))
        try await until("a follower's first event") { !heard.all.isEmpty }
        return channel
    }

    private final class Ear: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer
        private let heard: Heard<ByteBuffer>
        init(heard: Heard<ByteBuffer>) { self.heard = heard }
        func channelRead(context: ChannelHandlerContext, data: NIOAny) { heard.note(unwrapInboundIn(data)) }
    }

    private static func say(_ text: String, to path: String) async throws -> String {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(unixDomainSocketPath: path) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(string: text))
            for try await answer in inbound { return String(buffer: answer) }
            return ""
        }
    }
}

/// A site whose broker goes as it is asked.
private struct BrokenWay: SiteMessenger {
    private struct Gone: Error, CustomStringConvertible { let description = "the broker's connection has ended" }

    func rooms() async throws -> [SiteRoom] { throw Gone() }
    func room(_ word: String) async throws -> SiteRoom { throw Gone() }
    func ask(_ request: HostRequest, of room: SiteRoom, within patience: Duration) async throws -> HostReply {
        throw Gone()
    }
}
