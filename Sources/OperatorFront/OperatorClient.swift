import Connections
import Foundation
import Identity
import NIOCore
import NIOPosix
package import PrivateFiles
package import RoomRecords
import WireProtocol

/// An operator's program's way to a room on this machine.
package struct OperatorClient: Sendable {
    /// Why no room can be reached.
    package enum Unreachable: Error, Hashable, Sendable, CustomStringConvertible {
        case noRoom
        /// A host of this machine takes part in it, and it is not open here.
        case standsBy(String)
        case noSuchRoom(String, running: [String])
        case whichRoom(running: [String])
        case notAllowed(path: String)
        case onlyServices([String])
        case sameName(String, paths: [String])
        /// A host listens there and answers nothing, and none that answers is the one that is meant.
        case silent(paths: [String])
        /// It was followed, and ended without a word that it closes.
        case gone

        package var description: String {
            switch self {
            case .noRoom: "no room runs on this machine; start one with: roomful host \"Living Room\""
            case .standsBy(let name):
                "a host of this machine takes part in \"\(name)\", which is not open here now: its log says how it stands; whoever has it is asked by: roomful peers --site"
            case .noSuchRoom(let name, let running):
                "no room called \"\(name)\" runs here; these do: " + running.map { "\"\($0)\"" }.joined(separator: ", ")
            case .whichRoom(let running):
                "several rooms run here; say which with --room: "
                    + running.map { "\"\($0)\"" }.joined(separator: ", ")
            case .onlyServices(let names):
                "rooms run on this machine as services (\(names.joined(separator: ", "))), and only root may ask them: say sudo roomful …"
            case .sameName(let name, let paths):
                "several rooms called \"\(name)\" run here, with sockets at \(paths.joined(separator: " and ")); set ROOMFUL_STATE to the state folder of the one that you mean, or become its user"
            case .silent(let paths):
                "a host that runs here has not answered for \(Int(OperatorClient.patience / .seconds(1))) s, at \(paths.joined(separator: " and ")): it stands still, or has too much to do"
            case .gone:
                "the room's host has gone without closing the room, or let go of this program, which read nothing for 30 s"
            case .notAllowed(let path): "only the user who hosts the room may open \(path); become that user"
            }
        }
    }

    /// How long a host may take to say what its room is called.
    private static let patience: Duration = .seconds(5)

    private let path: String
    /// Whose program must answer, where the folder is not our own: root trusts it no further than that user.
    private let owner: uid_t?

    /// Finds the room: the one that is named, or the only one.
    ///
    /// - Parameters:
    ///   - state: whose rooms are meant; `nil` leaves it to the environment, and where that names no folder, rooms that run
    ///     as services are meant, too.
    ///   - anyOfOneProgram: where no name is given and all that run are one program's, the first of them will do.
    /// - Throws: ``Unreachable``, or a ``StorageError`` about the folder.
    package init(
        room: String?, state: StateFolder? = nil, services: ServiceFolders = .ofThisMachine,
        anyOfOneProgram: Bool = false
    ) async throws {
        let mine = Result { try state ?? StateFolder() }
        let isChosen = (try? mine.get().isChosen) ?? false
        let others = isChosen ? [] : services.sockets
        let own = Result { try OperatorClient.sockets(of: mine.get()) }
        // Who has no place of their own, as root in a timer's unit, asks services all the same.
        let places = try others.isEmpty ? own.get() : (try? own.get()) ?? []
        let clients =
            places.map { OperatorClient(path: $0, owner: nil) }
            + others.map { OperatorClient(path: $0.path, owner: $0.owner) }
        var running: [(name: String, client: OperatorClient, program: Int?)] = []
        var silent: [OperatorClient] = []
        for (client, answer) in zip(clients, await OperatorClient.answers(of: clients)) {
            do {
                guard let status = try answer.get() else {
                    silent.append(client)
                    continue
                }
                running.append((status.name, client, status.pid))
            } catch let error as IOError where error.errnoCode == EACCES {
                if room == nil { throw Unreachable.notAllowed(path: client.path) }
            } catch {
                continue  // Left behind by a host that was killed.
            }
        }
        let names = running.map(\.name)
        let isMissing = room.map { !names.contains($0) } ?? names.isEmpty
        if isMissing, !silent.isEmpty { throw Unreachable.silent(paths: silent.map(\.path)) }
        if isMissing, let shared = try? mine.get().sharedRoom(named: room) {
            throw Unreachable.standsBy(printable(room ?? shared))
        }
        if running.isEmpty, !isChosen, geteuid() != 0, !services.instances.isEmpty {
            throw Unreachable.onlyServices(services.instances.map { printable($0) })
        }
        if let room {
            let named = running.filter { $0.name == room }
            guard let first = named.first else {
                throw running.isEmpty ? Unreachable.noRoom : .noSuchRoom(printable(room), running: names)
            }
            // Of several, the one that was opened with the folder that somebody said is meant.
            let ours = isChosen ? try? mine.get().operatorSocket(ofRoom: room) : nil
            guard let one = named.count == 1 ? first : named.first(where: { $0.client.path == ours }) else {
                throw Unreachable.sameName(printable(room), paths: named.map(\.client.path))
            }
            self = one.client
        } else {
            guard let only = running.first else { throw Unreachable.noRoom }
            let isOneProgram =
                anyOfOneProgram && only.program != nil && running.allSatisfy { $0.program == only.program }
            // One of our own that says nothing may be the one that is meant.
            let isClear = silent.allSatisfy { $0.owner != nil } && (running.count == 1 || isOneProgram)
            guard isClear else { throw Unreachable.whichRoom(running: names) }
            self = only.client
        }
    }

    private static func sockets(of state: StateFolder) throws -> [String] {
        let folder = try state.runtimeFolder()
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return try files.sorted().filter { $0.hasSuffix(".sock") }.map { try folder.socketPath($0) }
    }

    /// What each room says of itself, in their order: all are asked at once, so that hosts that stand still cost one wait.
    private static func answers(of clients: [OperatorClient]) async -> [Result<RoomStatus?, any Error>] {
        let questions = clients.map { client in Task { try await client.status() } }
        var answers: [Result<RoomStatus?, any Error>] = []
        for question in questions { answers.append(await question.result) }
        return answers
    }

    /// What the room says of itself; `nil` where its program does not say it in time: it may hang, and other rooms are to be
    /// reached all the same.
    private func status() async throws -> RoomStatus? {
        try await withThrowingTaskGroup(of: RoomStatus?.self) { group in
            group.addTask { try await ask(OperatorRequest(.status)).status }
            group.addTask {
                try await Task.sleep(for: Self.patience)
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }

    private init(path: String, owner: uid_t?) { (self.path, self.owner) = (path, owner) }

    /// Asks one thing.
    ///
    /// - Throws: ``RoomError`` when the room says no.
    package func ask(_ request: OperatorRequest) async throws -> OperatorReply {
        var reply: OperatorReply?
        try await converse(request) { line in
            reply = line
            return false
        }
        guard let reply else { throw RoomError(.closed, "the room closed before it answered") }
        return reply
    }

    /// Asks for what lasts as long as its connection, and holds that while `body` runs: it ends with this program, however
    /// that ends.
    ///
    /// - Throws: ``RoomError`` when the room says no, and what `body` throws.
    package func hold(_ request: OperatorRequest, _ body: (OperatorReply) async throws -> Void) async throws {
        var isHeld = false
        try await converse(request) { reply in
            isHeld = true
            try await body(reply)
            return false
        }
        guard isHeld else { throw RoomError(.closed, "the room closed before it answered") }
    }

    /// Follows the room's events until `isMore` says no, or the room closes; a host that ends without a word of that throws
    /// ``Unreachable/gone``.
    /// `begun` is called once the room's `hello` is here: nothing that follows from it is missed.
    package func follow(
        after place: EventPlace?, motion: Bool, _ isMore: (EventRecord, _ lost: Int) throws -> Bool,
        begun: () async throws -> Void = {}
    ) async throws {
        var isOver = false
        try await converse(OperatorRequest(.events, after: place, motion: motion)) { reply in
            guard let event = reply.event else { return true }
            if case .hello = event { try await begun() }
            if case .room(let door) = event, door.state == .closing { isOver = true }
            guard try isMore(event, reply.lost ?? 0) else {
                isOver = true
                return false
            }
            return true
        }
        guard isOver else {
            try Task.checkCancellation()
            throw Unreachable.gone
        }
    }

    private func connected() async throws -> NIOAsyncChannel<ByteBuffer, ByteBuffer> {
        do {
            return try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connect(unixDomainSocketPath: path) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                    }
                }
        } catch let error as IOError where [ECONNREFUSED, ENOENT].contains(error.errnoCode) {
            // A host that was killed leaves its socket behind, one that ended takes it away.
            throw Unreachable.noRoom
        }
    }

    private func converse(_ request: OperatorRequest, _ isMore: (OperatorReply) async throws -> Bool) async throws {
        let channel = try await connected()
        do {
            try await channel.executeThenClose { inbound, outbound in
                if let owner, try await peerUser(of: channel.channel) != owner {
                    throw RoomError(.closed, "at \(path) another user's program answers than the service's")
                }
                var line = ByteBuffer(bytes: try JSONEncoder().encode(request))
                line.writeInteger(UInt8(ascii: "\n"))
                try await outbound.write(line)
                var reader = LineReader(limit: 64 << 20)
                for try await buffer in inbound {
                    for line in try reader.take(buffer) {
                        let said = owner != nil ? try printableJSON(Data(line), keepsLines: true) : Data(line)
                        let reply = try JSONDecoder().decode(OperatorReply.self, from: said)
                        if let failure = reply.error { throw failure.error }
                        guard try await isMore(reply) else { return }
                    }
                }
            }
        } catch let error as IOError where [ECONNRESET, EPIPE].contains(error.errnoCode) {
            // Of a host that is killed not all is read: that is an end as any other.
        }
    }
}
