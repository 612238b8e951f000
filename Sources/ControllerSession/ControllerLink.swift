public import WireProtocol

/// The controller's half of the motion link: brings every sample to the host while the link lives.
///
/// It lives as long as the controller's process and outlives joinings: samples, messages and data go in at any time,
/// `open` tells of each new link epoch. It is a value without a clock or a socket; the shell's loop is
///
/// ```swift
/// for event in link.receive(datagram, cipher: cipher, arrivedAt: stamp, now: now) { act(on: event) }
/// while let sent = link.nextDatagram(into: buffer, cipher: cipher, now: now) { socket.send(buffer[..<sent.size]) }
/// sleep(until: link.nextDeadline)
/// ```
///
/// A datagram carries what is newest first: fresh samples together with those of the last one to three datagrams, then
/// what the host's feedback shows to be lost, then, as far as a byte budget goes, what it has not confirmed yet.
public struct ControllerLink: Sendable {
    /// The times and limits that the link was made with.
    public let configuration: Configuration
    let pace: Pace
    var phase = Phase.closed
    var streams: [OutgoingStream]
    var outbox: ReliableOutbox
    var inbox = ReliableInbox()
    var data = NewestData()
    /// A probe that waits for its answer.
    var owedAnswers: [(id: UInt16, receivedAt: DeviceTime)] = []
    /// Since when a receipt or an answer is owed.
    var owesSince: Int64?
    var window = FeedbackWindow()
    var roundTrip = RoundTripEstimate()
    var queueing = QueueingDelay()
    var loss = LossEstimate()
    var uplink = UplinkWatch()
    var tally = Tally()
    var timing: Timing
    var silence: SilenceLimit

    /// How long the host may be silent now before it counts as not heard.
    package var silenceLimit: Duration { .nanoseconds(silence.limit) }

    /// What the link is doing; what exists only then lives in the case.
    enum Phase: Sendable {
        case closed
        case open(Opened)
        case leaving(Opened, GoodbyeReason, copiesLeft: Int, nextAt: Int64)
        case paused(Opened)
        case ended(GoodbyeReason)

        struct Opened: Sendable {
            let epoch: LinkEpoch
            var nextNumber: UInt32 = 0
            /// When the host was heard last, and took in what was sent; the opening counts.
            var heardAt: Int64
            /// The host was heard at all: the opening does not count.
            var isHeard = false
            var silence = Silence.none
            var isQuiet: Bool { silence != .none }
        }

        enum Silence: Sendable {
            /// The host is heard.
            case none
            /// It is not, for as long as a silence may last.
            case noticed
            /// It is not, as it said that it would be.
            case announced
        }
    }

    /// The link epoch, while there is one.
    var opened: Phase.Opened? {
        get {
            switch phase {
            case .open(let opened), .leaving(let opened, _, _, _), .paused(let opened): opened
            case .closed, .ended: nil
            }
        }
        set {
            guard let newValue else { return }
            switch phase {
            case .open: phase = .open(newValue)
            case .leaving(_, let reason, let copiesLeft, let nextAt):
                phase = .leaving(newValue, reason, copiesLeft: copiesLeft, nextAt: nextAt)
            case .paused: phase = .paused(newValue)
            case .closed, .ended: break
            }
        }
    }

    /// Numbers from here on ask for a new joining; the rest is for the time until then.
    static let numbersEnd = UInt32.max - (1 << 16) + 1

    /// - Parameters:
    ///   - streams: the sensors as declared to the host, each with its own number and without a `problem`.
    ///   - now: the device's clock, the same that samples are stamped with.
    public init(streams: [StreamDeclaration], configuration: Configuration = Configuration(), now: DeviceTime) {
        precondition(streams.allSatisfy { $0.problem == nil }, "a stream's declaration cannot be used")
        precondition(Set(streams.map(\.stream)).count == streams.count, "two streams have the same number")
        precondition(
            configuration.historyCapacity <= Int(WireFormat.streamWindow),
            "the history is longer than a host can follow")
        self.configuration = configuration
        pace = Pace(configuration)
        self.streams = streams.map { OutgoingStream($0, capacity: configuration.historyCapacity) }
        outbox = ReliableOutbox(capacity: configuration.messageCapacity)
        silence = SilenceLimit(shortest: pace.feedbackTimeout)
        let fastest = self.streams.map(\.nominalInterval).min() ?? Pace.longestInterval
        timing = Timing(
            now: now.nanoseconds, sendingInterval: max(pace.minimumSendInterval, min(Pace.longestInterval, fastest)))
    }

    // MARK: Questions

    /// How the link stands, as of the last call.
    public var state: LinkState {
        switch phase {
        case .closed: .closed
        case .leaving(_, let reason, _, _): .leaving(reason)
        case .paused: .ended(.paused)
        case .ended(let reason): .ended(reason)
        case .open(let opened):
            if opened.nextNumber >= Self.numbersEnd {
                .exhausted
            } else if opened.isQuiet {
                .quiet(since: timing.device(opened.heardAt))
            } else {
                .live
            }
        }
    }

    /// Since when the host was not heard on an open link.
    package var heardAt: DeviceTime? {
        if case .open(let opened) = phase { timing.device(opened.heardAt) } else { nil }
    }

    /// Whether anything of the host has come on the present link epoch.
    package var isHeard: Bool { opened?.isHeard == true }

    /// Whether the shell should join again over TLS, and go on sending meanwhile.
    public var needsRejoin: Bool { state.needsRejoin }

    // MARK: Commands

    /// Begins a link epoch.
    ///
    /// - Parameter continues: the host still knows this process: indexes and message numbers go on, and what it has
    ///   not confirmed is repeated. Otherwise every stream begins a new stream epoch with what is still held, and
    ///   messages without a receipt are sent again, numbered from 0.
    /// - Parameter patience: how long the host keeps the seat of a controller that it does not hear. A silence counts as
    ///   one, where they recur, only after a fifth of it at most.
    public mutating func open(
        _ epoch: LinkEpoch, continues: Bool, patience: Duration = .seconds(40), now: DeviceTime
    ) {
        advance(to: now.nanoseconds)
        let isFirst = if case .closed = phase { true } else { false }
        silence.expect(patience: patience.wholeNanoseconds)
        // A host that does not know the link any more was started again, or goes on for another: it was not starved. Unless
        // it knew it from TCP alone: where no datagram gets through, none will a moment later.
        if case .open(let before) = phase, before.silence == .noticed, continues || !before.isHeard {
            silence.rejoined(at: timing.now)
        }
        phase = .open(Phase.Opened(epoch: epoch, heardAt: timing.now))
        for place in streams.indices {
            if continues || isFirst { streams[place].repeatAll() } else { streams[place].restart() }
        }
        if !continues {
            outbox.restart()
            inbox = ReliableInbox()
            data.restart()
        }
        tally.openEpoch(highest: window.highest, anew: continues ? nil : streams)
        window = FeedbackWindow()
        roundTrip = RoundTripEstimate()
        queueing = QueueingDelay()
        loss.restart()
        uplink = UplinkWatch()
        owedAnswers = []
        timing.beginEpoch()
        owesSince = nil
    }

    /// The host's end of the control connection is gone, and it said no goodbye: its program has probably died. If the link
    /// is silent too, that counts after ``Configuration/feedbackTimeout`` again, whatever silences healed before.
    package mutating func controlHungUp(now: DeviceTime) {
        advance(to: now.nanoseconds)
        silence.hungUp(at: timing.now)
    }

    /// The host has said that it closes for a while: it counts as not heard from now on, unless it is heard again.
    package mutating func controlPaused(now: DeviceTime) {
        advance(to: now.nanoseconds)
        guard case .open(var opened) = phase, !opened.isQuiet else { return }
        opened.silence = .announced
        phase = .open(opened)
    }

    /// Takes a sample; it is sent in the next datagram, and repeated until the host has it.
    ///
    /// What comes later than others of its stream by more than ``Configuration/historyDuration``, and by more than the
    /// stream's batch explains, is abandoned: a program that stood still has nothing older to tell than one whose link was
    /// down.
    ///
    /// Before the first ``open(_:continues:patience:now:)``, and after a goodbye that gave the seat up, there is no seat
    /// that it could count for, and it is refused. While the link is quiet or paused samples are held, and when another
    /// link has replaced it: that may be the same controller's next one, of which this one will hear in a moment.
    ///
    /// - Returns: the sample's index in its stream's epoch.
    @discardableResult
    public mutating func append(
        _ sample: Sample, to stream: StreamID, now: DeviceTime
    ) throws(SampleError) -> UInt32 {
        advance(to: now.nanoseconds)
        guard let place = streams.firstIndex(where: { $0.id == stream }) else {
            tally.refusedUnknown += 1
            throw SampleError(code: .unknownStream, stream: stream)
        }
        guard holdsSeat else { throw streams[place].refuseUnseated() }
        return try streams[place].append(
            sample, now: timing.now, clock: timing.device(timing.now).nanoseconds, history: pace.history)
    }

    /// Whether samples count for somebody.
    private var holdsSeat: Bool {
        switch phase {
        case .closed: false
        case .ended(let reason): reason == .paused || reason == .replaced
        case .open, .leaving, .paused: true
        }
    }

    /// Takes a message for delivery, once and in order.
    public mutating func send(_ message: LinkMessage) throws(SendError) {
        guard let body = try? message.encoded() else { throw SendError(code: .tooLong) }
        guard outbox.append(body) != nil else { throw SendError(code: .tooManyWaiting) }
    }

    /// Takes newest-wins data: sent once, and not at all when a newer piece of the channel comes first.
    public mutating func sendNewest(_ bytes: [UInt8], channel: UInt8) throws(SendError) {
        guard bytes.count <= WireFormat.maximumMessageSize else { throw SendError(code: .tooLong) }
        guard data.offer(bytes, channel: channel) else { throw SendError(code: .tooManyChannels) }
    }

    /// Ends the link: the next datagrams say so, and the highest number used.
    ///
    /// The shell goes on calling `nextDatagram` until ``state`` is `ended`, or as long as it can wait.
    public mutating func goodbye(_ reason: GoodbyeReason, now: DeviceTime) {
        advance(to: now.nanoseconds)
        switch phase {
        case .open(let opened):
            phase = .leaving(opened, reason, copiesLeft: configuration.goodbyeCount, nextAt: timing.now)
        case .paused(let opened) where reason != .paused:
            phase = .leaving(opened, reason, copiesLeft: configuration.goodbyeCount, nextAt: timing.now)
        case .closed: phase = .ended(reason)
        case .leaving, .paused, .ended: break
        }
    }

    /// Takes up a link that was paused, in the same link epoch: the next datagram leaves at once.
    ///
    /// Without effect on a link that was not paused; one that ended otherwise must be opened again.
    public mutating func resume(now: DeviceTime) {
        advance(to: now.nanoseconds)
        switch phase {
        case .paused(var opened), .leaving(var opened, .paused, _, _):
            opened.heardAt = timing.now
            opened.silence = .none
            phase = .open(opened)
            timing.beginEpoch()
            uplink = UplinkWatch()
            // How long they were held would be told by a clock that may have stood still. How long datagrams waited is not
            // forgotten: of those that came amid the pause the first would count as the quickest.
            owedAnswers = []
        case .closed, .open, .leaving, .ended: break
        }
    }

    /// Moves the time on: what is too old falls off, and silence is noticed.
    mutating func advance(to now: Int64) {
        // How long answers were held would be told by two clocks, and how long datagrams were.
        if timing.advance(to: now) { (owedAnswers, queueing) = ([], QueueingDelay()) }
        let limit = timing.now.saturatingSubtract(pace.history)
        for place in streams.indices { streams[place].abandon(before: limit) }
        guard case .open(var opened) = phase, !opened.isQuiet,
            timing.now >= opened.heardAt.saturatingAdd(silence.limit)
        else { return }
        opened.silence = .noticed
        phase = .open(opened)
    }
}
