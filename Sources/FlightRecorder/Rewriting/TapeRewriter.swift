import InputMerge
package import RoomEngine
import SessionCoordinator
package import WireProtocol

/// Makes of a tape another one, in which people are labels, or somebody does not move.
///
/// ```
///  entry ─▶ the evening as it was ─▶ who is meant, whose link this is
///    └─────▶ entry without them ───▶ the evening as it is told ─▶ its events, its motions
/// ```
/// Both are played: events are never translated but made anew, so what they say comes from the new tape alone, and it
/// plays again to the same.
package struct TapeRewriter {
    private let identities: TapedIdentities
    /// Whose motion is left out.
    private let still: Set<ControllerID>
    /// From where unsealed frames of theirs came, before they had a seat, too.
    private let stillSources: Set<PeerAddress>
    private var original: Replay
    private var copy: Replay
    private let blocks = CollectedBlocks()
    private var deck: TapeDeck
    /// What the new evening begins with.
    package let opening: Opening
    /// What came of the last entry, as the new tape has it.
    package private(set) var outputs: [RoomOutput] = []
    /// Where the new tape first led to anything else than the old one, names and ids apart. Where somebody does not move,
    /// that is another gesture of a player whom they never drove; all of it is known with the last blocks.
    package private(set) var difference: Difference?
    /// What one of the two evenings has told of such players' gestures and the other has not, yet.
    private var untold: [PlayerNumber: Untold] = [:]
    /// Whom somebody drove who does not move: what they do is judged anew.
    private var judgedAnew: Set<PlayerNumber> = []
    private var latest: HostTime
    /// Datagrams whose controller the tape does not tell: their motion is left out, too.
    package private(set) var unowned: UInt64 = 0
    private var talkers: [ConversationID: ControllerID] = [:]
    private var links: [UInt32: ControllerID] = [:]
    /// Whether the evening as it is played is the one that was: where something is missing, or somebody did not stand as was
    /// told, whoever comes later may sit elsewhere here than there.
    private var isExact = true

    /// How many connections are remembered with whose they are; the oldest evenings have fewer.
    private static let mostLinks = 1 << 20

    package init(
        _ opening: Opening, identities: TapedIdentities, still: Set<ControllerID> = [],
        stillSources: Set<PeerAddress> = []
    ) {
        var identities = identities
        identities.gestures = Set(opening.configuration.merge.gestures.map(\.kind.rawValue))
        self.identities = identities
        self.still = still
        self.stillSources = stillSources
        // As it stands on a tape, where a code is only told to be right or wrong: so do the invitations there.
        let opening = (try? Opening(reading: opening.bytes)) ?? opening
        let told = identities.opening(opening, without: still)
        self.opening = told
        original = Replay(opening)
        copy = Replay(told)
        latest = opening.now
        deck = TapeDeck(room: told.configuration.room, supply: blocks)
    }

    /// Plays an entry of the old tape, and puts what stands for it on the new one.
    package mutating func take(_ entry: TapeEntry, at now: HostTime, cipher: some DatagramCipher) {
        outputs.removeAll(keepingCapacity: true)
        if let rewritten = rewritten(entry, now) {
            copy.play(rewritten, at: now, cipher: cipher)
            deck.put(rewritten, at: now)
        }
        original.play(entry, at: now, cipher: cipher)
        note(entry)
        guard entry.isTurn else { return }
        outputs = copy.outputs
        deck.endTurn(outputs, now: now)
        deck.rest(now: now, until: now)
        latest = now
        guard difference == nil else { return }
        guard still.isEmpty else { return compareOthers() }
        let (was, told) = (TurnSummary(original.outputs, of: still), TurnSummary(copy.outputs, of: still))
        if was != told { difference = Difference(at: now, was: was.events, told: told.events) }
    }

    /// The new tape's blocks so far; with `isLast` also the one that is not full.
    package mutating func takeBlocks(isLast: Bool = false) -> [[UInt8]] {
        if isLast {
            deck.flush()
            noteUntold()
        }
        return blocks.takeBlocks()
    }

    // MARK: What is the same

    /// A gesture may be told in another turn than it was, as others' samples are waited for no more.
    private mutating func compareOthers() {
        for case .event(.player(let change)) in original.outputs
        where change.controllers.contains(where: still.contains) {
            leaveOut(change.player)
        }
        for output in original.outputs { noteGesture(output) { $0.was.append($1) } }
        for output in copy.outputs { noteGesture(output) { $0.told.append($1) } }
    }

    private mutating func leaveOut(_ player: PlayerNumber) {
        judgedAnew.insert(player)
        untold[player] = nil
    }

    private mutating func noteGesture(_ output: RoomOutput, _ add: (inout Untold, String) -> Void) {
        // What a gesture is told to have become in between depends on when it is asked.
        guard case .event(.gesture(let gesture, _)) = output, gesture.phase != .changed,
            !judgedAnew.contains(gesture.player), difference == nil
        else { return }
        let what = "\(gesture.gesture.rawValue) of P\(gesture.player)"
        let word = "\(what) \(gesture.phase) at \(gesture.occurredAt.nanoseconds)"
        add(&untold[gesture.player, default: Untold()], word)
        guard let pair = untold[gesture.player]?.takePair(), pair.was != pair.told else { return }
        difference = Difference(at: latest, was: [pair.was], told: [pair.told])
    }

    private mutating func noteUntold() {
        guard difference == nil else { return }
        for player in untold.keys.sorted() {
            guard let left = untold[player], !left.was.isEmpty || !left.told.isEmpty else { continue }
            difference = Difference(at: latest, was: Array(left.was.prefix(1)), told: Array(left.told.prefix(1)))
            return
        }
    }

    // MARK: Whose it is

    private mutating func note(_ entry: TapeEntry) {
        guard !still.isEmpty else { return }
        if links.count > Self.mostLinks { links.removeAll() }
        switch entry {
        case .hole: isExact = false
        case .stands(let standing):
            let sitter = original.engine.coordinator.controller(at: standing.peer)
            if sitter != standing.lease.controller { isExact = false }
            if still.contains(standing.lease.controller) { leaveOut(standing.lease.player) }
        default: break
        }
        if case .stands(let standing) = entry, case .linked(let link) = standing.way {
            links[link.connection.rawValue] = standing.lease.controller
            link.conversation.map { talkers[$0] = standing.lease.controller }
        }
        if case .input(.invite(let invitation, let conversation, _, _, _)) = entry {
            talkers[conversation] = ControllerID(invitation.controller)
        }
        if case .input(.disconnected(let conversation)) = entry { talkers[conversation] = nil }
        for output in original.outputs {
            switch output {
            case .say(let conversation, .seated(let seated)), .commit(_, let conversation?, .seated(let seated)?):
                links[seated.link.connection] = isExact ? talkers[conversation] : nil
            default: break
            }
        }
    }

    private mutating func isStill(_ datagram: [UInt8]) -> Bool {
        guard !still.isEmpty else { return false }
        // Of whom nobody knows who it was, as where the tape has a hole, it may be theirs.
        guard let owner = OpenedDatagram.connection(datagram).flatMap({ links[$0] }) else {
            unowned += 1
            return true
        }
        return still.contains(owner)
    }

    private func isStill(_ conversation: ConversationID) -> Bool {
        !still.isEmpty && talkers[conversation].map(still.contains) ?? true
    }

    private func seated(_ who: String) -> ControllerID? {
        guard case .success(let index) = original.engine.coordinator.find(who) else { return nil }
        return original.engine.coordinator.controller(at: index)
    }

    private func waiting(_ who: String) -> ControllerID? {
        guard case .success(let id) = original.engine.coordinator.findWaiting(who) else { return nil }
        return id
    }

    // MARK: What stands for it

    private mutating func rewritten(_ entry: TapeEntry, _ now: HostTime) -> TapeEntry? {
        switch entry {
        case .datagram(let bytes, let source, let arrivedAt):
            return .datagram(rewritten(bytes), from: source, arrivedAt: arrivedAt)
        case .browserDatagram(let bytes, let conversation, let arrivedAt):
            return .browserDatagram(rewritten(bytes), from: conversation, arrivedAt: arrivedAt)
        case .legacyFrame(let bytes, let source, let arrivedAt):
            let sender = original.engine.coordinator.controller(sendingFrom: source)
            let isStill = stillSources.contains(source) || sender.map(still.contains) ?? false
            return isStill ? nil : .legacyFrame(bytes, from: identities.address(source), arrivedAt: arrivedAt)
        // A device's battery and its sensor's steps tell it from others.
        case .input(.sensor(_, let conversation)) where isStill(conversation): return nil
        case .input(let input): return .input(rewritten(input))
        // What the new tape tells of motion is its own.
        case .motions: return nil
        case .stands(let standing): return .stands(identities.standing(standing))
        case .waits(let standing): return .waits(identities.standing(standing))
        case .offers(let standing): return .offers(identities.standing(standing))
        case .brings(let talents, let controller):
            return still.contains(controller) ? nil : .brings(talents, identities.controller(controller))
        case .roomStands(let standing): return .roomStands(identities.standing(standing))
        case .strangers, .turn, .turnAmid, .clock, .hole: return entry
        }
    }

    private mutating func rewritten(_ datagram: [UInt8]) -> [UInt8] {
        var told = datagram
        if isStill(datagram) {
            told = OpenedDatagram.withoutMotion(datagram)
        } else if identities.isForEveryone {
            told = OpenedDatagram.withoutWords(datagram)
        }
        if still.isEmpty { return told }
        // Without somebody's gestures their haptics are missing, and the others have other numbers: no haptic has 0.
        return OpenedDatagram.withReceipts(told) { copy.engine.haptic(inPlaceOf: $0, of: original.engine) ?? 0 }
    }

    private func rewritten(_ input: RoomInput) -> RoomInput {
        switch input {
        case .invite(let invitation, let conversation, let transport, let material, let source):
            let (invitation, material) = identities.invitation(invitation, material)
            return .invite(invitation, from: conversation, over: transport, material, source: source)
        case .goodbye(let farewell, let conversation):
            let isMeant = identities.isForEveryone || talkers[conversation].map(still.contains) == true
            return .goodbye(isMeant ? identities.farewell(farewell) : farewell, from: conversation)
        case .sensor(let report, let conversation):
            return .sensor(identities.sensor(report), from: conversation)
        case .command(let command, let request):
            var command = command
            if case .offer(var terms) = command, still.contains(terms.controller) {
                terms.talents = nil
                command = .offer(terms)
            }
            return .command(identities.command(command, find: seated, waits: waiting), request)
        case .datagram, .legacyFrame, .browserDatagram, .status, .disconnected, .motionIsWanted,
            .listenerIsGone, .strangers, .advance, .close:
            return input
        }
    }
}
