import ControllerSession
import Synchronization
import WireProtocol

/// What runs on the link's thread: receive, take what was left, send what is due, sleep.
final class LinkLoop {
    /// Datagrams in the log at most: two hours at 140 a second.
    private static let longestLog = 1_000_000
    /// The goodbye is said several times within this time; then the thread ends.
    private static let farewellLimit = Duration.milliseconds(200)

    private let thread: LinkThread
    private var link: ControllerLink
    private var cipher = LinkCipher.preferred(for: .aes256gcm)
    private var opening: LinkThread.Opening?
    private let incoming = IncomingBatch()
    private let outgoing = OutgoingBatch()
    private var samples: [(Sample, StreamID)] = []
    /// Taken from the mailbox, but the link has no room for them yet.
    private var letters: ArraySlice<LinkThread.Letter> = []
    private var drained: [LinkThread.Letter] = []
    private var lastSent: UInt32?
    private var unsent = 0
    private var log: [LoggedDatagram] = []
    private var leavesBy: DeviceTime?

    init(_ thread: LinkThread) {
        self.thread = thread
        var configuration = ControllerLink.Configuration()
        configuration.recordsRuns = thread.logsDatagrams
        link = ControllerLink(streams: thread.streams, configuration: configuration, now: DeviceClock.now())
    }

    func run() {
        while !isOver {
            let wake = thread.socket.wait(orFor: thread.bell, atMost: timeToSleep)
            if wake.contains(.datagrams) { receive() }
            takeOrders()
            takeSamples()
            takeLetters()
            send()
            publish()
            answerReports()
        }
        end()
    }

    private var isOver: Bool {
        guard let leavesBy else { return false }
        if case .ended = link.state { return true }
        return DeviceClock.now() >= leavesBy
    }

    private var timeToSleep: Duration? {
        let next = [link.nextDeadline, leavesBy].compactMap { $0 }.min()
        return next.map { $0 - DeviceClock.now() }
    }

    private func receive() {
        guard let count = try? thread.socket.receive(into: incoming) else {
            // A socket that fails fails again at once: rather a late datagram than a busy thread.
            return DeviceClock.sleep(.milliseconds(10))
        }
        let now = DeviceClock.now()
        for place in 0..<count where incoming.length(at: place) <= IncomingBatch.capacity {
            for event in link.receive(incoming[place], cipher: cipher, arrivedAt: now, now: now) {
                if let reply = thread.deliver(event) { try? link.send(reply) }
            }
        }
    }

    private func takeOrders() {
        let (opening, farewell) = thread.orders.withLock { orders in
            defer { orders.opening = nil }
            return (orders.opening, orders.farewell)
        }
        if let (opening, continuation) = opening {
            cipher = .preferred(for: opening.suite)
            link.open(opening.epoch, continues: opening.continues, now: DeviceClock.now())
            self.opening = opening
            lastSent = nil
            send()
            publish()
            continuation.resume()
        }
        if let farewell, leavesBy == nil {
            let now = DeviceClock.now()
            leavesBy = now + Self.farewellLimit
            link.goodbye(farewell, now: now)
        }
    }

    private func takeSamples() {
        thread.samples.drain(into: &samples)
        guard !samples.isEmpty else { return }
        let now = DeviceClock.now()
        // What the link does not take, it counts.
        for (sample, stream) in samples { _ = try? link.append(sample, to: stream, now: now) }
    }

    private func takeLetters() {
        if letters.isEmpty {
            thread.letters.drain(into: &drained)
            letters = drained[...]
        }
        while let letter = letters.first {
            do throws(SendError) {
                switch letter {
                case .message(let message): try link.send(message)
                case .newest(let bytes, let channel): try link.sendNewest(bytes, channel: channel)
                }
            } catch {
                // Receipts make room; letters keep their order until then.
                if error.code == .tooManyWaiting { return }
            }
            letters.removeFirst()
        }
    }

    private func send() {
        guard let opening else { return }
        while true {
            if outgoing.isFull { flush() }
            let now = DeviceClock.now()
            let isGoodbye = if case .leaving = link.state { true } else { false }
            guard let sent = link.nextDatagram(into: outgoing.room, cipher: cipher, now: now) else { break }
            outgoing.append(sent.size, to: opening.address)
            lastSent = sent.number
            guard thread.logsDatagrams, log.count < Self.longestLog else { continue }
            log.append(
                LoggedDatagram(
                    connection: opening.epoch.connection.rawValue, number: sent.number, sentAt: now, size: sent.size,
                    isHeartbeat: sent.isHeartbeat, isGoodbye: isGoodbye, runs: sent.runs))
        }
        flush()
    }

    private func flush() {
        guard !outgoing.isEmpty else { return }
        let tally = thread.socket.send(outgoing)
        unsent += tally.crowdedOut + tally.refused
    }

    private func publish() {
        let standing = LinkThread.Standing(state: link.state, lastSent: lastSent)
        if thread.standing.value != standing { thread.standing.change { $0 = standing } }
    }

    private var books: LinkThread.Books {
        LinkThread.Books(report: link.report, unsentDatagrams: unsent, waitingLetters: letters.count, log: log)
    }

    private func answerReports() {
        let waiting = thread.orders.withLock { orders in
            defer { orders.reports.removeAll() }
            return orders.reports
        }
        for continuation in waiting { continuation.resume(returning: books) }
    }

    private func end() {
        publish()
        let (books, lastSent) = (books, lastSent)
        let orders = thread.orders.withLock { orders in
            defer { orders = LinkThread.Orders(farewell: orders.farewell, last: books) }
            return orders
        }
        orders.opening?.1.resume()
        for continuation in orders.reports { continuation.resume(returning: books) }
        for continuation in orders.leavers { continuation.resume(returning: lastSent) }
    }
}
