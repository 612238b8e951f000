import Connections
import Foundation
import Identity
import Logging
import NIOCore
import NIOPosix
package import PrivateFiles
package import RoomRecords
import Synchronization
import WireProtocol

/// Answers operators on the host's own machine, over a Unix socket that only the room's owner can open.
///
/// The socket is 0600 in a 0700 folder, and whoever connects must be the same user, or root. Each command leaves a line
/// in the log.
package final class OperatorServer: Sendable {
    private let room: any HostedRoom
    private let logger: Logger
    private let channel: NIOAsyncChannel<CallerPipe, Never>
    private let path: String
    private let places = OperatorPlaces()
    /// Whether the room has closed: then connections end by themselves.
    private let isOver = Mutex(false)
    /// How many asked it to close, and wait to hear what came of that.
    private let stops = Mutex(0)

    private init(_ room: any HostedRoom, _ channel: NIOAsyncChannel<CallerPipe, Never>, path: String) {
        self.room = room
        logger = Logger("roomful.operator", ofRoom: room.name)
        self.channel = channel
        self.path = path
    }

    /// Lets operators on this machine knock; `nil`, and a line in the log, where that cannot be.
    package static func open(_ room: any HostedRoom, in state: StateFolder?) async -> OperatorServer? {
        do {
            let home = try state ?? StateFolder()
            return try await open(
                room, path: home.operatorSocket(ofRoom: room.name),
                making: home.operatorSocket(ofRoom: room.name, ending: "soon"))
        } catch {
            Logger("roomful.operator", ofRoom: room.name).error("no operator can reach this room: \(error)")
            return nil
        }
    }

    /// Opens the room's socket, in place of one that a dead host left behind: the lock of the room's folder is held by
    /// now, and no other folder's room has a socket of this name, so no living host has it. It is made under another
    /// name: where a `.sock` is, somebody listens.
    private static func open(
        _ room: any HostedRoom, path: String, making unfinished: String
    ) async throws -> OperatorServer {
        unlink(unfinished)
        let logger = Logger("roomful.operator", ofRoom: room.name)
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(unixDomainSocketPath: unfinished) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let limit = UnreadLimit {
                        logger.notice("an operator's program takes nothing for 30 s, and is let go")
                    }
                    try channel.pipeline.syncOperations.addHandler(limit)
                    return CallerPipe(try NIOAsyncChannel(wrappingChannelSynchronously: channel))
                }
            }
        guard chmod(unfinished, 0o600) == 0, rename(unfinished, path) == 0 else {
            unlink(unfinished)
            try? await channel.executeThenClose { _ in }
            throw RoomError(.network, "cannot keep the operator's socket to its owner: \(path)")
        }
        return OperatorServer(room, channel, path: path)
    }

    /// Answers operators until the room closes.
    package func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [self] in
                await room.untilClosed()
                // Whoever follows the events shall read the last of them.
                try? await Task.sleep(for: .milliseconds(100))
                while stops.withLock({ $0 > 0 }), (try? await Task.sleep(for: .milliseconds(20))) != nil {}
            }
            group.addTask { [self] in await accept() }
            await group.next()
            isOver.withLock { $0 = true }
            group.cancelAll()
            try? await channel.channel.close()
        }
        unlink(path)
    }

    private func accept() async {
        try? await channel.executeThenClose { connections in
            try await withThrowingDiscardingTaskGroup { group in
                for try await connection in connections {
                    group.addTask { [self] in
                        try? await serve(connection.take())
                    }
                }
            }
        }
    }

    private func serve(_ connection: NIOAsyncChannel<ByteBuffer, ByteBuffer>) async throws {
        let user = try await peerUser(of: connection.channel)
        let channel = connection.channel
        try await connection.executeThenClose { inbound, writer in
            guard user == getuid() || user == 0 else {
                logger.warning("user \(user) was turned away")
                return
            }
            let place = places.enter { channel.close(promise: nil) }
            defer { places.leave(place) }
            let outbound = Reader(channel: channel, outbound: writer, place: place)
            var reader = LineReader(limit: OperatorRequest.longestLine)
            for try await buffer in inbound {
                let lines: [[UInt8]]
                do {
                    lines = try reader.take(buffer)
                } catch {
                    let problem = RoomError(.badOption, "a line is longer than \(OperatorRequest.longestLine) bytes")
                    return try await Self.write(OperatorReply(problem), to: outbound)
                }
                for line in lines {
                    places.note(place, isBusy: true)
                    defer { places.note(place, isBusy: false) }
                    try await answer(line, outbound)
                }
            }
        }
    }

    private func answer(_ line: [UInt8], _ outbound: Reader) async throws {
        guard let request = try? JSONDecoder().decode(OperatorRequest.self, from: Data(line)) else {
            let problem = RoomError(.badOption, "that is no command that this version knows")
            return try await Self.write(OperatorReply(problem), to: outbound)
        }
        room.audit(request, by: "socket")
        if request.task == .events {
            return try await follow(request, outbound)
        }
        if request.task == .stop, request.backIn == nil {
            return try await stop(request, outbound)
        }
        let reply: OperatorReply
        do {
            let isTied = request.task == .recordStart && request.tied == true
            reply = try await isTied ? record(request, outbound) : room.answer(request)
        } catch { reply = OperatorReply(.of(error)) }
        try await Self.write(reply, to: outbound)
    }

    /// Answers once it is known whether anything is kept of those who played.
    private func stop(_ request: OperatorRequest, _ outbound: Reader) async throws {
        stops.withLock { $0 += 1 }
        defer { stops.withLock { $0 -= 1 } }
        let reply: OperatorReply
        do {
            let done = try await room.answer(request)
            try await room.untilForgotten()
            reply = done
        } catch { reply = OperatorReply(.of(error)) }
        try await Self.write(reply, to: outbound)
    }

    /// Records for as long as whoever asked is there, who keeps its place meanwhile like those who follow.
    private func record(_ request: OperatorRequest, _ outbound: Reader) async throws -> OperatorReply {
        guard places.follow(outbound.place) else {
            throw RoomError(.full, "\(OperatorPlaces.most) programs follow this room already: end one of them")
        }
        let reply = try await room.answer(request)
        if let path = reply.recording?.path {
            outbound.channel.closeFuture.whenComplete { [self] _ in Task { await leave(recording: path) } }
        }
        return reply
    }

    /// Whoever wanted this recording is gone: where it did not end it, nobody else will, and nobody will read it.
    private func leave(recording path: String) async {
        guard !isOver.withLock({ $0 }), let standing = try? await room.answer(OperatorRequest(.recordStatus)).recording,
            standing.path == path, standing.state == .recording
        else { return }
        logger.notice("the program that had the room recorded is gone: the recording is ended and removed")
        _ = try? await room.answer(OperatorRequest(.recordStop))
        unlink(path)
    }

    private func follow(_ request: OperatorRequest, _ outbound: Reader) async throws {
        guard places.follow(outbound.place) else {
            let problem = RoomError(
                .full, "\(OperatorPlaces.most) programs follow this room's events already: end one of them")
            return try await Self.write(OperatorReply(problem), to: outbound)
        }
        let events = await room.records(after: request.place, motion: request.motion ?? false)
        // Who has gone gives its place back also while nothing happens.
        outbound.channel.closeFuture.whenComplete { _ in events.end() }
        for await event in events {
            try await Self.write(
                OperatorReply(event: event, lost: events.lost > 0 ? events.lost : nil), to: outbound)
        }
        outbound.outbound.finish()
    }

    /// Whom a connection's answers go to.
    private struct Reader {
        let channel: any Channel
        let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
        let place: Int
    }

    private static func write(_ reply: OperatorReply, to reader: Reader) async throws {
        var line = ByteBuffer(bytes: try JSONEncoder().encode(reply))
        line.writeInteger(UInt8(ascii: "\n"))
        try await reader.outbound.write(line)
    }
}
