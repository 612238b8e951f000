import InputMerge
import WireProtocol

@testable import SessionCoordinator

/// A coordinator with its shell's part of the work done by hand: actions are performed into lists that a test reads.
struct HostedRoom {
    var coordinator: Coordinator
    var sink = RecordingSink()
    private(set) var now: HostTime
    /// What was said on each control connection.
    private(set) var answers: [ConversationID: [ControlMessage]] = [:]
    private(set) var closed: [ConversationID] = []
    /// How the host's own invitations ended, in order.
    private(set) var outcomes: [(id: OfferID, outcome: OfferOutcome)] = []
    private(set) var occurrences: [(what: Occurrence, at: HostTime)] = []
    private(set) var messages: [(peer: PeerIndex, body: [UInt8])] = []
    /// Newest-wins data that was newest.
    private(set) var pieces: [(peer: PeerIndex, channel: UInt8, body: [UInt8])] = []
    /// What controllers' programs called moments, and how many of that the host says to have dropped.
    private(set) var marks: (taken: [String], dropped: [Int]) = ([], [])
    /// The leases as they were committed.
    private(set) var disk: [Lease]
    /// What was said of those who left.
    private(set) var departed: [PeerReport] = []
    /// Feedback that left: where to, when, and what.
    var outgoing: [(address: PeerAddress, at: HostTime, bytes: [UInt8])] = []
    /// Feedback to browsers, oldest first.
    var unsealed: [(conversation: ConversationID, bytes: [UInt8])] = []
    private var conversations: UInt64 = 0
    private var secrets: UInt64 = 0

    init(_ configuration: RoomConfiguration, leases: [Lease] = [], now: HostTime = .ms(0), epoch: UInt64 = 0) {
        coordinator = Coordinator(configuration: configuration, leases: leases, now: now)
        disk = leases
        self.now = now
        secrets = epoch << 32
        perform(coordinator.takeActions())
    }

    // MARK: Joining

    /// Asks for a seat, on a control connection of its own unless one is given.
    @discardableResult
    mutating func invite(
        _ guest: Guest, from conversation: ConversationID? = nil, over transport: Transport = .udp,
        at source: PeerAddress? = nil
    ) -> ControlMessage? {
        let conversation = conversation ?? newConversation()
        secrets += 1
        let material = LinkMaterial(
            motionKey: LinkKey(a: secrets, b: 1, c: 0, d: 0), feedbackKey: LinkKey(a: secrets, b: 2, c: 0, d: 0),
            probeKey: LinkKey(a: secrets, b: 3, c: 0, d: 0), secret: Self.secret(secrets),
            secretHash: Self.hash(Self.secret(secrets)),
            presentedHash: guest.secret.map(Self.hash), ticketHash: guest.ticket.map(Self.hash))
        perform(
            coordinator.invite(
                guest.invitation, from: conversation, over: transport, at: source, material: material, now: now))
        return answers[conversation]?.last
    }

    /// Invites an idle controller, by an offer whose ticket is `ticket`; returns how it ended, if it has.
    @discardableResult
    mutating func call(
        _ guest: Guest, offer id: UInt64 = 1, seat: Int? = nil, ticket: String = "ticket",
        timeout: Duration = .seconds(120)
    ) -> OfferOutcome? {
        let offer = Offer(
            id: OfferID(rawValue: id), controller: guest.controller, seat: seat, ticketHash: Self.hash(ticket),
            expiresAt: now + timeout)
        guard case .success(let standing) = coordinator.offer(offer, now: now) else { return nil }
        perform(coordinator.takeActions())
        return outcomes.last { $0.id == standing }?.outcome
    }

    mutating func newConversation() -> ConversationID {
        conversations += 1
        return ConversationID(rawValue: conversations)
    }

    private static func secret(_ number: UInt64) -> String { number.paddedHex + String(repeating: "5", count: 48) }
    /// Stands for SHA-256.
    static func hash(_ secret: String) -> [UInt8] { Array(secret.utf8.reversed()) }

    // MARK: Inputs

    /// - Parameters:
    ///   - time: when it reached the socket; now if `nil`.
    ///   - seenAt: when the loop looks at it, if its clock moved since.
    mutating func receive(
        _ datagram: [UInt8], from source: PeerAddress, at time: HostTime? = nil, seenAt: HostTime? = nil
    ) {
        var bytes = datagram
        bytes.withUnsafeMutableBytes { buffer in
            coordinator.receive(
                buffer, from: source, arrivedAt: time ?? now, now: max(now, seenAt ?? time ?? now),
                cipher: TestCipher(),
                sink: &sink)
        }
        expectWholeAgenda()
        perform(coordinator.takeActions())
    }

    /// A browser's datagram, as it came on its connection.
    mutating func receive(unsealed datagram: [UInt8], from conversation: ConversationID) {
        datagram.withUnsafeBytes {
            coordinator.receive(unsealed: $0, from: conversation, arrivedAt: now, now: now, sink: &sink)
        }
        perform(coordinator.takeActions())
    }

    /// Lets time pass as a loop does that wakes exactly when it is told to.
    mutating func pass(to time: HostTime) {
        while let due = nextDeadline, due < time { stand(until: max(due, now)) }
        stand(until: time)
    }

    /// Lets time pass without a moment for the coordinator in between: the host itself stood still.
    mutating func stand(until time: HostTime) {
        now = max(now, time)
        perform(coordinator.advance(to: now, sink: &sink))
        sink.advance(to: now)
        sendFeedback()
        expectWholeAgenda()
    }

    /// In every test, whatever happens: nobody is forgotten who would be due if everyone were looked at.
    private func expectWholeAgenda() {
        let touched = Set(coordinator.agenda.touched)
        for index in coordinator.peers.indices where !touched.contains(index) {
            let due = coordinator.due(index)
            let isKnown = due == .max || coordinator.agenda.firstDue(from: index, at: due) == index
            precondition(isKnown, "peer \(index) is due at \(due) ns, but not on the agenda")
        }
    }

    mutating func sendFeedback() {
        var buffer = [UInt8](repeating: 0, count: WireFormat.maximumDatagramSize)
        while let sent = buffer.withUnsafeMutableBytes({
            coordinator.nextFeedback(into: $0, now: now, cipher: TestCipher())
        }) {
            let bytes = Array(buffer[..<sent.count])
            switch sent.destination {
            case .address(let address): outgoing.append((address, now, bytes))
            case .conversation(let conversation): unsealed.append((conversation, bytes))
            }
        }
    }

    mutating func perform(_ actions: [Action]) {
        for action in actions {
            switch action {
            case .answer(let conversation, let message): answers[conversation, default: []].append(message)
            case .close(let conversation): closed.append(conversation)
            case .commit(let changes, let conversation, let message):
                for change in changes { commit(change) }
                if let conversation, let message { answers[conversation, default: []].append(message) }
            case .occurred(let occurrence, let time): occurrences.append((occurrence, time))
            case .message(let peer, let body): messages.append((peer, body))
            case .assign(let peer, _, let players): sink.assign(peer, to: players)
            case .unassign(let peer): sink.unassign(peer)
            case .restart(let peer): sink.restart(peer)
            case .forget: break
            case .offerEnded(let id, let outcome): outcomes.append((id, outcome))
            case .data(let peer, let channel, let body): pieces.append((peer, channel, body))
            case .mark(_, let text, _): marks.taken.append(text)
            case .marksDropped(_, let count): marks.dropped.append(count)
            case .rezero, .opened, .found, .felt: break
            }
        }
        departed += coordinator.takeDeparted()
        for report in coordinator.takeCorrections() {
            let place = departed.lastIndex {
                $0.connection == report.connection && $0.controller == report.controller
            }
            if let place { departed[place] = report }
        }
    }

    private mutating func commit(_ change: LeaseChange) {
        switch change {
        case .keep(let lease):
            disk.removeAll { $0.controller == lease.controller }
            disk.append(lease)
        case .remove(let controller): disk.removeAll { $0.controller == controller }
        }
    }

    // MARK: Questions

    /// When the loop must come back.
    var nextDeadline: HostTime? {
        guard let due = coordinator.nextDeadline, let mergeDue = sink.merge?.nextDeadline else {
            return coordinator.nextDeadline ?? sink.merge?.nextDeadline
        }
        return min(due, mergeDue)
    }

    /// The states that players went through, in order.
    var playerStates: [Occurrence.PlayerChange.State] {
        occurrences.compactMap { if case .player(let change) = $0.what { change.state } else { nil } }
    }

    /// When players first came to a state.
    func time(of state: Occurrence.PlayerChange.State) -> HostTime? {
        occurrences.first { if case .player(let change) = $0.what { change.state == state } else { false } }?.at
    }

    func report(of guest: Guest) -> PeerReport? {
        coordinator.reports(now: now).first { $0.controller == guest.controller }
    }

    func detail(of guest: Guest) -> PeerDetail? {
        report(of: guest).flatMap { coordinator.detail(of: $0.peer, now: now) }
    }

    /// How the guest's seat stands: `nil` when it has none.
    func seatState(of guest: Guest) -> String? { report(of: guest)?.seatState.rawValue }
}
