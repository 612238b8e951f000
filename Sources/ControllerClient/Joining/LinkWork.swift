import Connections
import ControllerSession
import Datagrams
import Identity
import InputMerge
import Synchronization
import WireProtocol

/// What a thread does for one link: receive, take what was left, send what is due.
final class LinkWork {
    /// Memory for datagrams, shared by all links of a desk.
    struct Batches {
        let incoming = IncomingBatch()
        let outgoing = OutgoingBatch()
    }

    /// The goodbye is said several times within this time; then the work ends.
    private static let farewellLimit = Duration.milliseconds(200)

    let desk: LinkDesk
    private var link: ControllerLink
    private var cipher = LinkCipher.preferred(for: .aes256gcm)
    private var opening: LinkDesk.Opening?
    private var samples: [(Sample, StreamID)] = []
    /// Taken from the mailbox, but the link has no room for them yet.
    private var letters: ArraySlice<LinkDesk.Letter> = []
    private var drained: [LinkDesk.Letter] = []
    private var lastSent: UInt32?
    private var heardFrom: PeerAddress?
    private var unsent = 0
    private var log = DatagramLog()
    private var leavesBy: DeviceTime?
    /// What the host wants to be looked for here, and where.
    private var taps: (stream: StreamID, detector: LocalTaps, haptic: Haptic)?
    private var finds = LocalFind.firstID

    init(_ desk: LinkDesk) {
        self.desk = desk
        var configuration = ControllerLink.Configuration()
        configuration.recordsRuns = desk.logsDatagrams
        configuration.clockGrain = DeviceClock.grain
        link = ControllerLink(streams: desk.streams, configuration: configuration, now: DeviceClock.now())
    }

    /// Does what there is to do now.
    ///
    /// - Parameter isReadable: whether a datagram may have come.
    func turn(isReadable: Bool, with batches: Batches) {
        if isReadable { receive(into: batches.incoming) }
        takeOrders(batches.outgoing)
        // Before what was posted is taken: all that was posted before somebody asked is in the answer.
        let questions = takeQuestions()
        takeSamples()
        takeLetters()
        send(through: batches.outgoing)
        publish()
        for continuation in questions.reports { continuation.resume(returning: books) }
        for continuation in questions.logs { continuation.resume(returning: log) }
    }

    /// When there is something to do again, if nothing comes before.
    var nextDeadline: DeviceTime? { [link.nextDeadline, leavesBy].compactMap { $0 }.min() }

    var isOver: Bool {
        guard let leavesBy else { return false }
        if case .ended = link.state { return true }
        return DeviceClock.now() >= leavesBy
    }

    private func receive(into incoming: IncomingBatch) {
        guard let count = try? desk.socket.receive(into: incoming) else {
            // A socket that fails fails again at once: rather a late datagram than a busy desk.
            return DeviceClock.sleep(.milliseconds(10))
        }
        let now = DeviceClock.now()
        for place in 0..<count where incoming.length(at: place) <= IncomingBatch.capacity {
            let newest = link.newestFeedback
            for event in link.receive(incoming[place], cipher: cipher, arrivedAt: now, now: now) {
                if case .message(.detect(let detection)) = event { detect(detection) } else { deliver(event) }
            }
            if link.newestFeedback != newest { heardFrom = incoming.sender(at: place) }
        }
    }

    private func deliver(_ event: LinkEvent) { if let reply = desk.deliver(event) { try? link.send(reply) } }

    /// Looks for what the host wants from now on, in the first stream that can show it.
    private func detect(_ detection: LocalDetection) {
        taps = nil
        guard let tap = detection.tap,
            let place = desk.streams.firstIndex(where: { $0.measures.contains(.acceleration) })
        else { return }
        taps = (desk.streams[place].stream, LocalTaps(tap, of: desk.streams[place]), detection.haptic)
    }

    /// Whether the sample shows what the host wants to be looked for: then it is felt at once, and the host is told.
    private func look(at sample: Sample, of stream: StreamID) {
        guard taps?.stream == stream, taps?.detector.take(sample) == true, var haptic = taps?.haptic else { return }
        let id = finds
        finds = finds == .max ? LocalFind.firstID : finds + 1
        try? link.send(.found(LocalFind(gesture: .tap, id: id, occurredAt: sample.sampledAt)))
        guard haptic.duration > .zero else { return }
        haptic.id = id
        haptic.timeToLive = .milliseconds(500)
        deliver(.message(.haptic(haptic)))
    }

    private func takeOrders(_ outgoing: OutgoingBatch) {
        let (opening, hasHungUp, hasPaused, farewell) = desk.orders.withLock { orders in
            defer { (orders.opening, orders.hasHungUp, orders.hasPaused) = (nil, false, false) }
            return (orders.opening, orders.hasHungUp, orders.hasPaused, orders.farewell)
        }
        if hasHungUp { link.controlHungUp(now: DeviceClock.now()) }
        if hasPaused { link.controlPaused(now: DeviceClock.now()) }
        if let (opening, continuation) = opening {
            cipher = .preferred(for: opening.suite)
            link.open(
                opening.epoch, continues: opening.continues, patience: opening.patience, now: DeviceClock.now())
            self.opening = opening
            // A host that goes on with nothing does not know of it, and would never take it back.
            if !opening.continues { taps = nil }
            (lastSent, heardFrom) = (nil, nil)
            send(through: outgoing)
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
        desk.samples.drain(into: &samples)
        guard !samples.isEmpty else { return }
        let now = DeviceClock.now()
        // What the link does not take, it counts.
        for (sample, stream) in samples where (try? link.append(sample, to: stream, now: now)) != nil {
            look(at: sample, of: stream)
        }
    }

    private func takeLetters() {
        if letters.isEmpty {
            desk.letters.drain(into: &drained)
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

    private func send(through outgoing: OutgoingBatch) {
        guard let opening else { return }
        while true {
            if outgoing.isFull { flush(outgoing) }
            let now = DeviceClock.now()
            let isGoodbye = if case .leaving = link.state { true } else { false }
            guard let sent = link.nextDatagram(into: outgoing.room, cipher: cipher, now: now) else { break }
            outgoing.append(sent.size, to: opening.address)
            lastSent = sent.number
            guard desk.logsDatagrams else { continue }
            log.note(
                sent, on: opening.epoch.connection, continues: opening.continues, at: now, isGoodbye: isGoodbye)
        }
        flush(outgoing)
    }

    private func flush(_ outgoing: OutgoingBatch) {
        guard !outgoing.isEmpty else { return }
        let tally = desk.socket.send(outgoing)
        unsent += tally.crowdedOut + tally.refused
    }

    private func publish() {
        let standing = LinkDesk.Standing(
            state: link.state, lastSent: lastSent, lastHeard: link.lastHeard, isHeard: link.isHeard,
            heardFrom: heardFrom, isSettled: link.isSettled && letters.isEmpty)
        if desk.standing.value != standing { desk.standing.change { $0 = standing } }
    }

    private var books: LinkDesk.Books {
        LinkDesk.Books(report: link.report, sentInAll: link.sentInAll, unsentDatagrams: unsent)
    }

    private func takeQuestions() -> (
        reports: [CheckedContinuation<LinkDesk.Books, Never>], logs: [CheckedContinuation<DatagramLog, Never>]
    ) {
        desk.orders.withLock { orders in
            defer {
                orders.reports.removeAll()
                orders.logs.removeAll()
            }
            return (orders.reports, orders.logs)
        }
    }

    /// Tells everyone who waits that the work is done.
    func end() {
        publish()
        let (books, log, lastSent) = (books, log, lastSent)
        let orders = desk.orders.withLock { orders in
            defer { orders = LinkDesk.Orders(farewell: orders.farewell, last: (books, log)) }
            return orders
        }
        orders.opening?.1.resume()
        for continuation in orders.reports { continuation.resume(returning: books) }
        for continuation in orders.logs { continuation.resume(returning: log) }
        for continuation in orders.leavers { continuation.resume(returning: lastSent) }
    }
}
