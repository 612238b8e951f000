package import Connections
public import ControllerSession
import Datagrams
import Identity
import Synchronization
public import WireProtocol

/// A controller that has a seat in a room: streams its samples there, and tells what the host wants of it.
///
/// Made by ``withController(_:joining:trust:body:)``, which also gives the seat back. Every call may come from any
/// thread, and none of them waits for the network.
public final class Controller: Sendable {
    /// The room that was joined.
    public struct Room: Hashable, Sendable {
        /// Safe to print.
        public var name: String
        /// Which room it is, whatever it is called.
        public var id: RoomID
        /// SHA-256 of its authority's key, which it has proven to have.
        public var pin: Pin
        /// Where its host was reached first, `host:port`.
        public var address: String
    }

    /// What was lost on this side before it could be sent or read.
    public struct Losses: Hashable, Sendable {
        /// Samples that found their queue full.
        public var samplesCrowdedOut = 0
        /// Messages that found theirs full.
        public var messagesCrowdedOut = 0
        /// Datagrams that the system did not take: no route, or no room.
        public var datagramsUnsent = 0
        /// Events that came faster than they were read.
        public var eventsDropped = 0
    }

    /// The room in which the controller has its seat; another one once its host has moved it.
    public var room: Room { keeping.withLock { $0.stay.room } }
    /// What happens, beginning with the seat; ends after ``ControllerEvent/ended(_:)``. For one reader; the newest 256
    /// are kept for a slow one. Where its task is cancelled while it waits, nothing comes any more.
    public let events: AsyncStream<ControllerEvent>

    var applicant: Applicant { keeping.withLock { $0.stay.applicant } }
    package var host: HostIdentity { keeping.withLock { $0.stay.host } }
    let desk: EventDesk
    package let link: LinkDesk
    package let thread: LinkThread
    let keeping: Mutex<Keeping>
    /// Whether the host has an invitation that it has not answered.
    let hasAsked = Watched(false)
    /// Channels of newest-wins data that its program has used, at least as many as the link knows.
    private let channels = Mutex<Set<UInt8>>([])
    /// Marks that the host takes: what is more it drops, and the program would not hear of it.
    private let marks = Mutex(
        TokenBucket(perSecond: WireFormat.marksPerSecond, depth: Double(WireFormat.mostMarksAtOnce)))

    /// Whose guest it is: what changes when the controller is moved to another room.
    struct Stay: Sendable {
        let applicant: Applicant
        let host: HostIdentity
        let room: Room

        init(_ applicant: Applicant, _ seating: Applicant.Seating) {
            self.applicant = applicant
            host = seating.host
            room = Room(
                name: seating.host.name, id: seating.host.roomID, pin: seating.host.pin,
                address: seating.endpoint.description)
        }
    }

    /// What changes while the seat is kept.
    struct Keeping: Sendable {
        var stay: Stay
        var connection: ControlConnection
        /// Where the host may be reached, the last success first.
        var ways: [Endpoint]
        /// When to ask for the seat again. Its patience is the host's, and for how long that means to be away.
        var plan: ReturnPlan
        var isOver = false
        /// The other room's offer that was dealt with last.
        var answeredOffer: String?
        var attempts = RejoinAttempts()
        /// The present connection's host has said when it means to be back, and that was taken in.
        var hasPaused = false
        /// When the seat was last asked for while the link lived, for the sake of a control connection.
        var reconnectedAt: ContinuousClock.Instant?
    }

    package init(
        _ applicant: Applicant, desk: EventDesk, link: LinkDesk, thread: LinkThread, seating: Applicant.Seating,
        ways: [Endpoint]
    ) {
        self.desk = desk
        self.link = link
        self.thread = thread
        events = desk.events
        keeping = Mutex(
            Keeping(
                stay: Stay(applicant, seating), connection: seating.connection, ways: ways,
                plan: ReturnPlan(patience: seating.admission.patience, seed: .random(in: .min ... .max))))
    }

    // MARK: Questions

    /// The place in the room, and the name there, as the host said last.
    public var seat: Seat { desk.seat }

    /// 32 hexadecimal digits: who the controller is for its hosts.
    package var id: String { applicant.id.description }
    package var name: String { applicant.options.name }
    /// How often it asked for its seat again and heard no answer: each may have begun a link at the host.
    package var unansweredReturns: Int { keeping.withLock { $0.attempts.open } }

    /// The clock that samples are stamped with: this machine's monotonic one.
    public static func deviceTimeNow() -> DeviceTime { DeviceClock.now() }

    /// The link's books: exact counts since joining, and the latest measurements.
    public func report() async -> ControllerReport { await link.books().report }

    /// What the link has cost this device so far: how often its thread woke, and how much processor time it used. Where
    /// several controllers share one thread, that of all of them.
    public var effort: (wakeUps: Int, processorTime: Duration) { thread.effort }

    /// The sender's own log, if ``ControllerOptions/logsDatagrams`` asked for it; ends after a million datagrams.
    public func datagramLog() async -> DatagramLog { await link.log() }

    /// What the link has given up, and what the system did not take.
    public func losses() async -> Losses {
        Losses(
            samplesCrowdedOut: link.samples.refused, messagesCrowdedOut: link.letters.refused,
            datagramsUnsent: await link.books().unsentDatagrams, eventsDropped: desk.dropped)
    }

    // MARK: Commands

    /// Takes a sample for sending; until the host has it, it is repeated.
    ///
    /// What is no finite number, has an attitude that is no unit quaternion, is not later than the stream's sample before,
    /// or of an undeclared stream is refused by the link and counted in ``report()``, with the reason.
    ///
    /// - Returns: `false` when the queue of 4,096 is full, counted in ``losses()``, or when it is all over.
    @discardableResult
    public func send(_ sample: Sample, on stream: StreamID = 0) -> Bool {
        !keeping.withLock { $0.isOver } && link.samples.post((sample, stream))
    }

    /// Sends the game's own bytes, once and in order.
    ///
    /// - Throws: `tooLong` for more than 511 bytes, `tooManyWaiting` when the host has not confirmed some 500 before.
    public func send(_ bytes: [UInt8]) throws(SendError) {
        guard bytes.count < WireFormat.maximumMessageSize else { throw SendError(code: .tooLong) }
        guard post(.application(bytes)) else { throw SendError(code: .tooManyWaiting) }
    }

    /// Sends bytes of which only the newest of their channel counts; what is lost is not repeated.
    ///
    /// - Parameter channel: any number; a controller uses at most 16 different ones.
    /// - Throws: `tooLong` for more than 512 bytes, `tooManyChannels` for a 17th channel, `tooManyWaiting` when the queue
    ///   is full.
    public func sendNewest(_ bytes: [UInt8], channel: UInt8) throws(SendError) {
        guard bytes.count <= WireFormat.maximumMessageSize else { throw SendError(code: .tooLong) }
        // Asked here: when the link takes it from the queue, nobody is there to hear that it does not.
        let problem: SendError.Code? = channels.withLock { channels in
            guard channels.contains(channel) || channels.count < WireFormat.mostChannels else {
                return .tooManyChannels
            }
            guard link.letters.post(.newest(bytes, channel: channel)) else { return .tooManyWaiting }
            channels.insert(channel)
            return nil
        }
        if let problem { throw SendError(code: problem) }
    }

    /// Points at a moment in the room's recording, where the room is being recorded: it stands there as `P2: lap 3`.
    ///
    /// The room keeps one a second, and 20 at once. In a recording with pseudonyms the words are left out.
    ///
    /// - Parameters:
    ///   - text: what the moment is called, at most 200 bytes.
    ///   - moment: when it was.
    /// - Throws: `tooLong` for a longer text, `tooManyMarks` for one that the room would not keep, `tooManyWaiting` when
    ///   the host has not confirmed some 500 messages before.
    public func mark(_ text: String, at moment: DeviceTime = Controller.deviceTimeNow()) throws(SendError) {
        guard text.utf8.count <= LinkMessage.longestMark else { throw SendError(code: .tooLong) }
        guard marks.withLock({ $0.take(at: DeviceClock.now().nanoseconds) }) else {
            throw SendError(code: .tooManyMarks)
        }
        guard post(.mark(text, at: moment)) else { throw SendError(code: .tooManyWaiting) }
    }

    /// Says that the way the controller is held now is straight ahead; `false` when too much waits to be sent.
    @discardableResult
    public func rezero() -> Bool { post(.rezero) }

    /// Says that a haptic was played, beginning at this moment; for ``ControllerOptions/Haptics/answered``.
    @discardableResult
    public func played(_ haptic: Haptic, at time: DeviceTime = Controller.deviceTimeNow()) -> Bool {
        post(.hapticReceipt(HapticReceipt(id: haptic.id, outcome: .played(at: time))))
    }

    /// Says that a haptic was not played, and why.
    @discardableResult
    public func refused(_ haptic: Haptic, because reason: HapticReceipt.Refusal) -> Bool {
        post(.hapticReceipt(HapticReceipt(id: haptic.id, outcome: .refused(reason))))
    }

    /// Waits until the host has everything that was sent so far, so that leaving loses nothing.
    ///
    /// - Returns: `false` if `limit` passed, or the stay in the room ended, before.
    public func settle(within limit: Duration) async -> Bool {
        // Answered after all that was posted before.
        _ = await link.books()
        let standing = await link.standing.first(within: limit) { $0.isSettled || $0.state.isEnd }
        return standing?.isSettled == true
    }

    private func post(_ message: LinkMessage) -> Bool { link.letters.post(.message(message)) }
}

extension LinkState {
    fileprivate var isEnd: Bool { if case .ended = self { true } else { false } }
}
