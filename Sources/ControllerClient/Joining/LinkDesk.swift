package import Connections
package import ControllerSession
package import Datagrams
import Synchronization
package import WireProtocol

/// Where others leave what a controller's link is to do: the thread that works for the link alone touches it and its
/// UDP socket.
///
/// Samples and messages go into bounded mailboxes, without anyone ever waiting; orders are answered.
package final class LinkDesk: Sendable {
    /// How the link stands, for whoever keeps the seat.
    package struct Standing: Hashable, Sendable {
        package var state = LinkState.closed
        /// The highest number of this link epoch.
        package var lastSent: UInt32?
        /// The highest of them that the host says to have heard.
        package var lastHeard: UInt32?
        /// Anything of the host has come on this link epoch.
        package var isHeard = false
        /// Where the host's newest datagram of it came from.
        package var heardFrom: PeerAddress?
        /// The host has every sample and message that the link took.
        package var isSettled = true
    }

    /// Something to send once and in order, or newest-wins.
    package enum Letter: Sendable {
        case message(LinkMessage)
        case newest([UInt8], channel: UInt8)
    }

    /// A new link epoch, and where it leads.
    package struct Opening: Sendable {
        package var epoch: LinkEpoch
        var suite: CipherSuite
        package var address: PeerAddress
        var continues: Bool
        /// How long the host keeps the seat of somebody whom it does not hear.
        var patience = Duration.seconds(40)
    }

    /// What the thread is asked to do before anything else; who asked is answered when it is done.
    struct Orders: Sendable {
        var opening: (Opening, CheckedContinuation<Void, Never>)?
        var reports: [CheckedContinuation<Books, Never>] = []
        var logs: [CheckedContinuation<DatagramLog, Never>] = []
        /// The control connection is gone, and no goodbye was said on it.
        var hasHungUp = false
        /// The host has said that it closes for a while.
        var hasPaused = false
        var farewell: GoodbyeReason?
        var leavers: [CheckedContinuation<UInt32?, Never>] = []
        /// The link's work is done; these are its last books.
        var last: (Books, DatagramLog)?
    }

    /// What the thread knows of its work.
    package struct Books: Sendable {
        package var report: ControllerReport
        /// The controller's word at its goodbye.
        package var sentInAll: SenderTally
        /// Datagrams that the system did not take.
        var unsentDatagrams = 0
    }

    package let standing = Watched(Standing())
    package let samples: Mailbox<(Sample, StreamID)>
    package let letters: Mailbox<Letter>
    let orders = Mutex(Orders())
    package let socket: DatagramSocket
    package let bell: Doorbell
    package let streams: [StreamDeclaration]
    package let logsDatagrams: Bool
    /// Told what came from the host; what it returns is sent back.
    package let deliver: @Sendable (LinkEvent) -> LinkMessage?

    /// Opens the socket; a ``LinkThread`` then works for it.
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

    /// Whether the link's work is done.
    var hasEnded: Bool { orders.withLock { $0.last != nil } }

    /// Begins a link epoch; returns when datagrams flow.
    package func open(_ opening: Opening) async {
        await withCheckedContinuation { continuation in
            if order({ $0.opening = (opening, continuation) }) != nil { continuation.resume() }
        }
    }

    /// The link's books; what was posted before is in them.
    package func books() async -> Books {
        await withCheckedContinuation { continuation in
            if let (books, _) = order({ $0.reports.append(continuation) }) { continuation.resume(returning: books) }
        }
    }

    /// The sender's own log so far. Costs a copy while the link goes on.
    package func log() async -> DatagramLog {
        await withCheckedContinuation { continuation in
            if let (_, log) = order({ $0.logs.append(continuation) }) { continuation.resume(returning: log) }
        }
    }

    /// The host has said that it closes for a while.
    func controlPaused() { _ = order { $0.hasPaused = true } }

    /// The host has hung up the control connection, without a goodbye.
    func controlHungUp() { _ = order { $0.hasHungUp = true } }

    /// Says goodbye and ends the link's work; returns the last number used when it is done.
    package func leave(_ reason: GoodbyeReason) async -> UInt32? {
        await withCheckedContinuation { continuation in
            let isOver = order { orders in
                orders.farewell = orders.farewell ?? reason
                orders.leavers.append(continuation)
            }
            if isOver != nil { continuation.resume(returning: standing.value.lastSent) }
        }
    }

    /// Leaves an order; when the work is done already, returns what was left of it instead.
    private func order(_ change: (inout Orders) -> Void) -> (Books, DatagramLog)? {
        let last = orders.withLock { orders in
            if orders.last == nil { change(&orders) }
            return orders.last
        }
        if last == nil { bell.ring() }
        return last
    }
}
