import Foundation
import NIOCore
import NIOPosix
import Testing
import WireProtocol

@testable import Roomful

@Suite("The operator's socket", .serialized, .timeLimit(.minutes(1)))
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
        try await withRoom(house.options()) { room in
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
                try await client.follow(after: 0, motion: false) { event, _ in
                    types.append(event.type)
                    return event.type != "room" || types.filter { $0 == "room" }.count < 2
                }
                #expect(types.first == "hello")
                #expect(types.contains("player"))
                #expect(types.filter { $0 == "room" }.count == 2)
            }
            _ = try await client.ask(OperatorRequest(.stop))
            await room.untilClosed()
        }
    }

    /// Waits until the socket is there.
    private static func socketPath(of room: Room, in house: TestHouse) async throws -> String {
        let path = try house.state("host").runtimeFolder().socketPath(roomFolderName(room.name) + ".sock")
        for _ in 0..<250 {
            if let mode = try? FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int, mode == 0o600 {
                return path
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw RoomError(.network, "the operator's socket did not appear at \(path)")
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
