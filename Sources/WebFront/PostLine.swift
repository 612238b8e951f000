import ControlPort
import Datagrams
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization
import WireProtocol

/// How the host speaks to a browser that POSTs: nothing is lost that is said before the stream opens, up to a bound.
final class PostLine: ConversationLine {
    private struct State {
        var channel: (any Channel)?
        var waiting: [ByteBuffer] = []
        var isClosed = false
        /// The last word was written: the connection takes a moment more to end, and nothing may follow.
        var hasEnded = false
        /// Ends its session, while that has no stream which could end.
        var unopened: (@Sendable () -> Void)?
    }

    private static let mostWaiting = 64
    private static let openingLimit: TimeAmount = .seconds(12)
    private static let pulse: TimeAmount = .seconds(5)
    private let state = Mutex(State())

    /// Calls back once, if the stream is not opened in time.
    func whenLate(_ late: @escaping @Sendable () -> Void) {
        state.withLock { $0.unopened = late }
        MultiThreadedEventLoopGroup.singleton.next().scheduleTask(in: Self.openingLimit) { [self] in
            giveUp()
        }
    }

    func giveWay() {
        close()
        giveUp()
    }

    private func giveUp() {
        let unopened = state.withLock { state in
            defer { state.unopened = nil }
            return state.channel == nil ? state.unopened : nil
        }
        unopened?()
    }

    func open(_ channel: any Channel) {
        let (waiting, isClosed) = state.withLock { state in
            state.channel = channel
            defer { state.waiting = [] }
            return (state.waiting, state.isClosed)
        }
        for text in waiting { write(text, to: channel) }
        if isClosed { return end(channel) }
        let pulses = channel.eventLoop.scheduleRepeatedTask(initialDelay: Self.pulse, delay: Self.pulse) { [self] _ in
            write(ByteBuffer(string: ": \n\n"), to: channel)
        }
        channel.closeFuture.whenComplete { _ in pulses.cancel() }
    }

    func say(_ message: ControlMessage) {
        guard let json = try? JSONEncoder().encode(message) else { return }
        send(text: ByteBuffer(string: "event: message\ndata: " + String(decoding: json, as: UTF8.self) + "\n\n"))
    }

    func send(_ datagram: ByteBuffer) {
        guard let channel = state.withLock({ $0.channel }), channel.isWritable else { return }
        let base64 = Data(datagram.readableBytesView).base64EncodedString()
        write(ByteBuffer(string: "event: frame\ndata: \(base64)\n\n"), to: channel)
    }

    func close() {
        let channel = state.withLock { state in
            state.isClosed = true
            return state.channel
        }
        if let channel { end(channel) }
    }

    func drop() async { try? await state.withLock({ $0.channel })?.close() }

    private func send(text: ByteBuffer) {
        let channel = state.withLock { state in
            if state.channel == nil, state.waiting.count < Self.mostWaiting { state.waiting.append(text) }
            return state.channel
        }
        if let channel { write(text, to: channel) }
    }

    /// Ends the stream, after all that was said.
    private func end(_ channel: any Channel) {
        channel.eventLoop.execute { [self] in
            let isFirst = state.withLock { state in
                defer { state.hasEnded = true }
                return !state.hasEnded
            }
            guard isFirst else { return }
            channel.writeAndFlush(HTTPServerResponsePart.end(nil)).whenComplete { _ in channel.close(promise: nil) }
            channel.closeSoon()
        }
    }

    private func write(_ text: ByteBuffer, to channel: any Channel) {
        channel.eventLoop.execute { [self] in
            // A part of a response after its end would trap in NIO.
            guard !state.withLock({ $0.hasEnded }) else { return }
            // Who reads nothing is let go, before what it is told piles up.
            guard channel.isWritable else { return channel.close(promise: nil) }
            channel.writeAndFlush(HTTPServerResponsePart.body(.byteBuffer(text)), promise: nil)
        }
    }
}
