public import ControllerSession
import Foundation
import Synchronization
public import WireProtocol

/// The controller's own thread: it alone touches the link and its UDP socket.
///
/// Others leave samples and messages in bounded mailboxes, without ever waiting, and orders that it answers. It sleeps
/// until a datagram comes, something is left for it, or the link's next deadline.
final class LinkThread: Sendable {
    /// How the link stands, for whoever keeps the seat.
    struct Standing: Hashable, Sendable {
        var state = LinkState.closed
        /// The highest number of this link epoch.
        var lastSent: UInt32?
    }

    /// Something to send once and in order, or newest-wins.
    enum Letter: Sendable {
        case message(LinkMessage)
        case newest([UInt8], channel: UInt8)
    }

    /// A new link epoch, and where it leads.
    struct Opening: Sendable {
        var epoch: LinkEpoch
        var suite: CipherSuite
        var address: PeerAddress
        var continues: Bool
    }

    /// What the thread is asked to do before anything else; who asked is answered when it is done.
    struct Orders: Sendable {
        var opening: (Opening, CheckedContinuation<Void, Never>)?
        var reports: [CheckedContinuation<Books, Never>] = []
        var farewell: GoodbyeReason?
        var leavers: [CheckedContinuation<UInt32?, Never>] = []
        /// The thread has ended; these are its last books.
        var last: Books?
    }

    /// What the thread knows of its work.
    struct Books: Sendable {
        var report: ControllerReport
        /// Datagrams that the system did not take.
        var unsentDatagrams = 0
        /// Messages posted that have not been handed to the link yet.
        var waitingLetters = 0
        var log: [LoggedDatagram] = []
    }

    let standing = Watched(Standing())
    let samples: Mailbox<(Sample, StreamID)>
    let letters: Mailbox<Letter>
    let orders = Mutex(Orders())
    let socket: DatagramSocket
    let bell: Doorbell
    let streams: [StreamDeclaration]
    let logsDatagrams: Bool
    /// Told what came from the host; what it returns is sent back.
    let deliver: @Sendable (LinkEvent) -> LinkMessage?

    /// Opens the socket; the thread starts with ``start()``.
    init(
        streams: [StreamDeclaration], logsDatagrams: Bool, deliver: @escaping @Sendable (LinkEvent) -> LinkMessage?
    ) throws(SocketError) {
        var options = DatagramSocket.Options()
        options.receiveBufferBytes = 256 << 10
        socket = try DatagramSocket(options: options)
        bell = try Doorbell()
        samples = Mailbox(capacity: 4_096, bell: bell)
        letters = Mailbox(capacity: 256, bell: bell)
        self.streams = streams
        self.logsDatagrams = logsDatagrams
        self.deliver = deliver
    }

    /// Whether the thread has done its last work.
    var hasEnded: Bool { orders.withLock { $0.last != nil } }

    /// Begins to work; ``leave(_:)`` must follow some time.
    func start() {
        let thread = Thread { LinkLoop(self).run() }
        thread.name = "roomful-link"
        thread.start()
    }

    /// Begins a link epoch; returns when datagrams flow.
    func open(_ opening: Opening) async {
        await withCheckedContinuation { continuation in
            order { $0.opening = (opening, continuation) } ?? continuation.resume()
        }
    }

    func books() async -> Books {
        await withCheckedContinuation { continuation in
            let last = orders.withLock { orders in
                if orders.last == nil { orders.reports.append(continuation) }
                return orders.last
            }
            if let last { continuation.resume(returning: last) } else { bell.ring() }
        }
    }

    /// Says goodbye and ends the thread; returns the last number used when it has ended.
    func leave(_ reason: GoodbyeReason) async -> UInt32? {
        await withCheckedContinuation { continuation in
            let isOver = orders.withLock { orders in
                orders.farewell = orders.farewell ?? reason
                if orders.last == nil { orders.leavers.append(continuation) }
                return orders.last != nil
            }
            if isOver { continuation.resume(returning: standing.value.lastSent) } else { bell.ring() }
        }
    }

    /// Leaves an order; `nil` when the thread has ended.
    private func order(_ change: (inout Orders) -> Void) -> Void? {
        let isRunning = orders.withLock { orders in
            guard orders.last == nil else { return false }
            change(&orders)
            return true
        }
        guard isRunning else { return nil }
        bell.ring()
        return ()
    }
}

/// One datagram in the sender's own log.
public struct LoggedDatagram: Hashable, Sendable {
    /// The link epoch's connection id.
    public var connection: UInt32
    public var number: UInt32
    public var sentAt: DeviceTime
    /// Bytes, header and tag included.
    public var size: Int
    /// It was sent only because nothing else was.
    public var isHeartbeat: Bool
    /// It says goodbye: the host's books close with the first of these that arrives.
    public var isGoodbye: Bool
    public var runs: [RunRecord]
}
