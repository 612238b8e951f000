import ControllerSession
import Foundation
import NIOCore
import NIOWebSocket
import WireProtocol

/// What a phone itself has counted.
struct PhoneBooks: Sendable {
    var controller: String
    var samples: Int
    var datagrams: Int
    /// Samples that the host did not confirm within the link's 10 s; all others it has.
    var abandoned: Int
}

/// One browser's phone: joins, sends what its sensor reads, repeats what is not confirmed, and says goodbye.
///
/// Everything happens on the connection's event loop.
final class Phone: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    struct Failed: Error, CustomStringConvertible { let description: String }

    private enum Activity { case joining, waiting, playing(since: DeviceTime), settling, leaving }

    private let number: Int
    private let rate: Double
    private let code: String?
    let controller: String
    private let seated: EventLoopPromise<Void>
    private let done: EventLoopPromise<PhoneBooks>
    private let gone: EventLoopPromise<Void>
    private var link: ControllerLink
    private var activity = Activity.joining
    private var tick: Scheduled<Void>?
    private var tickDue = NIODeadline.now()
    private var played = 0
    private var wanted = 0
    private let room = UnsafeMutableRawBufferPointer.allocate(
        byteCount: WireFormat.maximumDatagramSize + sealTagLength, alignment: 16)

    init(
        number: Int, rate: Double, code: String?, seated: EventLoopPromise<Void>, done: EventLoopPromise<PhoneBooks>,
        gone: EventLoopPromise<Void>
    ) {
        self.number = number
        self.rate = rate
        self.code = code
        (self.seated, self.done, self.gone) = (seated, done, gone)
        controller = String(format: "%016lx%016lx", UInt.random(in: 0 ... .max), UInt.random(in: 0 ... .max))
        link = ControllerLink(streams: [StreamDeclaration(nominalRate: rate)], now: Self.now())
    }

    deinit { room.deallocate() }

    static func now() -> DeviceTime {
        DeviceTime(nanoseconds: Int64(clamping: DispatchTime.now().uptimeNanoseconds))
    }

    // MARK: What the crowd says

    func play(samples: Int) {
        wanted = samples
        activity = .playing(since: Self.now())
    }

    func leave(_ context: ChannelHandlerContext) {
        activity = .leaving
        link.goodbye(.left, now: Self.now())
        pump(context)
    }

    // MARK: The connection

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        switch frame.opcode {
        case .text: read(frame.unmaskedData, context)
        case .binary: hear(frame.unmaskedData, context)
        case .ping: write(frame.unmaskedData, .pong, context)
        case .connectionClose: context.close(promise: nil)
        default: break
        }
    }

    func channelInactive(context _: ChannelHandlerContext) {
        fail("the connection ended")
        gone.succeed()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Browsers and hosts end TLS as they like: what counts is whether the phone was done.
        context.close(promise: nil)
    }

    private func fail(_ reason: String) {
        tick?.cancel()
        seated.fail(Failed(description: "phone \(number): \(reason)"))
        done.fail(Failed(description: "phone \(number): \(reason)"))
    }

    private func read(_ text: ByteBuffer, _ context: ChannelHandlerContext) {
        guard let message = try? JSONDecoder().decode(ControlMessage.self, from: Data(text.readableBytesView)) else {
            return fail("the host said what is no control message")
        }
        switch message {
        case .hello:
            say(
                .invite(
                    Invitation(
                        controller: controller, process: String(controller.prefix(16)), name: "Phone \(number)",
                        streams: [StreamOffer(StreamDeclaration(nominalRate: rate))], haptics: false, code: code)),
                context)
        case .seated(let seat):
            let epoch = LinkEpoch(
                connection: ConnectionID(rawValue: seat.link.connection), sendKey: BareCipher.noKey,
                receiveKey: BareCipher.noKey)
            link.open(epoch, continues: seat.continues, now: Self.now())
            activity = .waiting
            // Anywhere within a sample's time, as those of phones begin.
            tickDue = .now() + .nanoseconds(Int64.random(in: 0..<Int64(1e9 / rate)))
            awaitTick(context)
            seated.succeed()
        case .refused(let refusal): fail("refused: \(refusal.message)")
        case .goodbye(let farewell): fail("the host said goodbye: \(farewell.reason.rawValue)")
        default: break
        }
    }

    private func hear(_ datagram: ByteBuffer, _ context: ChannelHandlerContext) {
        let size = datagram.readableBytes
        guard size + sealTagLength <= room.count else { return fail("a datagram was too long") }
        datagram.withUnsafeReadableBytes { room.copyMemory(from: $0) }
        guard BareCipher.dress(room, size: size) else { return fail("a datagram was of a wrong kind") }
        let whole = UnsafeMutableRawBufferPointer(rebasing: room[..<(size + sealTagLength)])
        let now = Self.now()
        for event in link.receive(whole, cipher: BareCipher(), arrivedAt: now, now: now) {
            if case .goodbye = event { fail("the host ended the link") }
        }
    }

    // MARK: The sensor

    /// A sensor has its own clock: after a tick that came late the next is due when it was.
    private func awaitTick(_ context: ChannelHandlerContext) {
        let this = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        tick = context.eventLoop.scheduleTask(deadline: tickDue) {
            let (phone, context) = this.value
            let (now, interval) = (NIODeadline.now(), TimeAmount.nanoseconds(Int64(1e9 / phone.rate)))
            var readings = 0
            while phone.tickDue <= now {
                phone.tickDue = phone.tickDue + interval
                readings += 1
            }
            phone.awaitTick(context)
            phone.turn(context, readings)
        }
    }

    /// - Parameter readings: what the sensor has read since the last turn: one, unless that was late.
    private func turn(_ context: ChannelHandlerContext, _ readings: Int) {
        if case .playing(let start) = activity {
            let now = Self.now()
            let due = min(wanted, played + readings)
            while played < due {
                let at = start + .nanoseconds(Int64(Double(played) / rate * 1e9))
                guard at <= now else { break }
                do { try link.append(sample(at: at), to: 0, now: now) } catch { return fail("\(error)") }
                played += 1
            }
            if played == wanted { activity = .settling }
        }
        pump(context)
        if case .settling = activity, link.isSettled {
            activity = .waiting
            let report = link.report
            done.succeed(
                PhoneBooks(
                    controller: controller, samples: played, datagrams: report.sentDatagrams,
                    abandoned: report.streams[0].abandoned))
        }
        if case .leaving = activity, case .ended = link.state {
            tick?.cancel()
            context.close(promise: nil)
        }
    }

    /// Rest, and a jump each second, each phone at its own moment.
    private func sample(at time: DeviceTime) -> Sample {
        let phase = (played + number * 7) % Int(rate)
        let isJumping = phase < Int(rate * 0.08) + 1
        let sway = Float((played + number) % 50) / 500
        return Sample(
            sampledAt: time, acceleration: SIMD3(sway, isJumping ? -9.81 : 0, 9.81),
            rotationRate: SIMD3(sway, -sway, sway / 2))
    }

    private func pump(_ context: ChannelHandlerContext) {
        // A browser that is behind waits, and sends what is newest then.
        guard context.channel.isWritable else { return }
        while let sent = link.nextDatagram(into: room, cipher: BareCipher(), now: Self.now()) {
            let size = BareCipher.undress(room, size: sent.size)
            write(ByteBuffer(bytes: room[..<size]), .binary, context)
        }
    }

    private func say(_ message: ControlMessage, _ context: ChannelHandlerContext) {
        guard let json = try? JSONEncoder().encode(message) else { return }
        write(ByteBuffer(bytes: json), .text, context)
    }

    private func write(_ data: ByteBuffer, _ opcode: WebSocketOpcode, _ context: ChannelHandlerContext) {
        let frame = WebSocketFrame(fin: true, opcode: opcode, maskKey: .random(), data: data)
        context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
    }
}
