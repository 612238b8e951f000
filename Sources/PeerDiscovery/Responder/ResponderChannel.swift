internal import CAvahi
internal import Glibc

/// One end of the socket between a program and its responder's process: whole messages in, whole messages out.
@AvahiThread
final class ResponderChannel {
    /// What to do when the other end takes nothing and this much waits for it.
    enum Patience {
        /// Wait until it does: the responder's way, which hears nothing meanwhile, and is held up as it should be.
        case waits
        /// Take it for dead: the program's way, which must not be held up.
        case givesUp
    }

    /// Bytes on their way out. A program asks for much less: half a thousand resolvers are a tenth of it.
    private static let most = 1 << 20

    private let socket: CInt
    private let patience: Patience
    private let received: (ArraySlice<UInt8>) -> Void
    private let ended: () -> Void
    private var watch: OpaquePointer?
    private var frames = ResponderFrames()
    private var waiting: [UInt8] = []
    private var isFinishing = false

    /// Takes the socket over. `ended` is called once, when the other end has closed, or has sent what is no message;
    /// neither it nor `received` is called after ``close()``.
    init(
        _ socket: CInt, _ patience: Patience, received: @escaping (ArraySlice<UInt8>) -> Void,
        ended: @escaping () -> Void
    ) {
        self.socket = socket
        self.patience = patience
        self.received = received
        self.ended = ended
        _ = fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) | O_NONBLOCK)
        let context = Unmanaged.passUnretained(self).toOpaque()
        watch = AvahiThread.poll.flatMap { $0.pointee.watch_new?($0, socket, AVAHI_WATCH_IN, channelIsReady, context) }
        if watch == nil { AvahiThread.later { [weak self] in self?.end() } }
    }

    private(set) var isOpen = true

    func send(_ message: [UInt8]) {
        guard isOpen, !isFinishing, let bytes = ResponderFrames.framed(message) else { return }
        waiting += bytes
        flush()
        guard waiting.count > Self.most else { return }
        switch patience {
        case .givesUp: AvahiThread.later { [weak self] in self?.end() }
        case .waits:
            while isOpen, !waiting.isEmpty {
                var wish = pollfd(fd: socket, events: Int16(POLLOUT), revents: 0)
                guard poll(&wish, 1, -1) > 0 || errno == EINTR else { return end() }
                flush()
            }
        }
    }

    /// Sends nothing more, and says so; what the other end still has to say is heard until it closes.
    func finish() {
        guard isOpen, !isFinishing else { return }
        isFinishing = true
        shutdown(socket, CInt(SHUT_WR))
    }

    func close() {
        guard isOpen else { return }
        isOpen = false
        if let watch { AvahiThread.poll?.pointee.watch_free?(watch) }
        watch = nil
        Glibc.close(socket)
    }

    private func end() {
        guard isOpen else { return }
        close()
        ended()
    }

    fileprivate func isReady(_ events: AvahiWatchEvent) {
        flush()
        guard events.rawValue & ~AVAHI_WATCH_OUT.rawValue != 0 else { return }
        readMore()
    }

    private func flush() {
        guard isOpen else { return }
        while !waiting.isEmpty {
            let sent = waiting.withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT))
            }
            if sent > 0 { waiting.removeFirst(sent) } else if errno != EINTR { break }
        }
        // That the other end is gone, reading tells.
        let wishes = waiting.isEmpty ? AVAHI_WATCH_IN.rawValue : AVAHI_WATCH_IN.rawValue | AVAHI_WATCH_OUT.rawValue
        if let watch { AvahiThread.poll?.pointee.watch_update?(watch, AvahiWatchEvent(rawValue: wishes)) }
    }

    /// One read for each call, so that others get their turn.
    private func readMore() {
        guard isOpen else { return }
        let (count, error) = withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 1) { buffer in
            let count = recv(socket, buffer.baseAddress, buffer.count, CInt(MSG_DONTWAIT))
            if count > 0 { frames.take(buffer.prefix(count)) }
            return (count, errno)
        }
        guard count > 0 else {
            if count == 0 || (error != EAGAIN && error != EINTR) { end() }
            return
        }
        do throws(ResponderWireError) {
            while isOpen, let message = try frames.next() { received(message) }
        } catch {
            end()
        }
    }
}

private func channelIsReady(
    _: OpaquePointer?, _: CInt, _ events: AvahiWatchEvent, _ context: UnsafeMutableRawPointer?
) {
    guard let context else { return }
    let channel = Unmanaged<ResponderChannel>.fromOpaque(context).takeUnretainedValue()
    AvahiThread.assumeIsolated { channel.isReady(events) }
    AvahiThread.catchUp()
}
