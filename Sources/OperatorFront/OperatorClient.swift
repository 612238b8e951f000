import Connections
import Foundation
import Identity
import NIOCore
import NIOPosix
package import PrivateFiles
import RoomEngine
package import RoomRecords

/// An operator's program's way to a room on this machine.
package struct OperatorClient: Sendable {
    /// Why no room can be reached.
    package enum Unreachable: Error, Hashable, Sendable, CustomStringConvertible {
        case noRoom
        case noSuchRoom(String, running: [String])
        case whichRoom(running: [String])
        case notAllowed(path: String)
        case onlyServices([String])

        package var description: String {
            switch self {
            case .noRoom: "no room runs on this machine; start one with: roomful host \"Living Room\""
            case .noSuchRoom(let name, let running):
                "no room called \"\(name)\" runs here; these do: " + running.map { "\"\($0)\"" }.joined(separator: ", ")
            case .whichRoom(let running):
                "several rooms run here; say which with --room: "
                    + running.map { "\"\($0)\"" }.joined(separator: ", ")
            case .onlyServices(let names):
                "rooms run on this machine as services (\(names.joined(separator: ", "))), and only root may ask them: say sudo roomful …"
            case .notAllowed(let path): "only the user who hosts the room may open \(path); become that user"
            }
        }
    }

    private let path: String
    /// Another user's program answers: root trusts it no further than that.
    private let isOthers: Bool

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
        let state = try state ?? StateFolder()
        let folder = try state.runtimeFolder()
        var running: [(name: String, path: String, program: Int?)] = []
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        let own = try files.sorted().filter { $0.hasSuffix(".sock") }.map { try folder.socketPath($0) }
        let others = state.isChosen ? [] : services.sockets
        for path in own + others {
            do {
                let client = OperatorClient(path: path, isOthers: others.contains(path))
                guard let status = try await client.ask(OperatorRequest(.status)).status else { continue }
                running.append((status.name, path, status.pid))
            } catch let error as IOError where error.errnoCode == EACCES {
                if room == nil { throw Unreachable.notAllowed(path: path) }
            } catch {
                continue  // Left behind by a host that was killed.
            }
        }
        let names = running.map(\.name)
        if running.isEmpty, !state.isChosen, geteuid() != 0, !services.instances.isEmpty {
            throw Unreachable.onlyServices(services.instances.map { printable($0) })
        }
        if let room {
            guard let found = running.first(where: { $0.name == room }) else {
                throw running.isEmpty ? Unreachable.noRoom : .noSuchRoom(printable(room), running: names)
            }
            path = found.path
        } else {
            guard let only = running.first else { throw Unreachable.noRoom }
            let isOneProgram =
                anyOfOneProgram && only.program != nil && running.allSatisfy { $0.program == only.program }
            guard running.count == 1 || isOneProgram else { throw Unreachable.whichRoom(running: names) }
            path = only.path
        }
        isOthers = others.contains(path)
    }

    private init(path: String, isOthers: Bool) { (self.path, self.isOthers) = (path, isOthers) }

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

    /// Follows the room's events until `isMore` says no, or the room closes.
    /// `begun` is called once the room's `hello` is here: nothing that follows from it is missed.
    package func follow(
        after: Int?, motion: Bool, _ isMore: (EventRecord, _ lost: Int) throws -> Bool,
        begun: () async throws -> Void = {}
    ) async throws {
        try await converse(OperatorRequest(.events, after: after, motion: motion)) { reply in
            guard let event = reply.event else { return true }
            if case .hello = event { try await begun() }
            return try isMore(event, reply.lost ?? 0)
        }
    }

    private func converse(_ request: OperatorRequest, _ isMore: (OperatorReply) async throws -> Bool) async throws {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(unixDomainSocketPath: path) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        try await channel.executeThenClose { inbound, outbound in
            var line = ByteBuffer(bytes: try JSONEncoder().encode(request))
            line.writeInteger(UInt8(ascii: "\n"))
            try await outbound.write(line)
            var reader = LineReader(limit: 64 << 20)
            for try await buffer in inbound {
                for line in try reader.take(buffer) {
                    let said = isOthers ? try printableJSON(Data(line), keepsLines: true) : Data(line)
                    let reply = try JSONDecoder().decode(OperatorReply.self, from: said)
                    if let failure = reply.error {
                        throw RoomError(
                            RoomError.Code(rawValue: failure.code), failure.message, candidates: failure.candidates)
                    }
                    guard try await isMore(reply) else { return }
                }
            }
        }
    }
}
