package import Datagrams
package import RoomEngine
package import RoomRecords
package import SessionCoordinator
import Synchronization
package import WireProtocol

/// A host's time as a room's owner, between the room that plays and the ``RoomKeeper`` that keeps the log.
package final class KeptTenure: RoomTenure {
    private struct State {
        var isOver = false
        var words = ""
        /// Events up to this number are this owner's by the log; and up to which it was asked for.
        var granted: Int
        var asked: Int
        var successor: (host: UInt64, name: String)?
        var handsOverTo: UInt64?
        var isLeft = false
        var hasDeparted = false
        var change: (@Sendable () -> Void)?
    }

    package let epoch: UInt64
    package let opened: String
    package let lastEvent: Int
    package let fence = ActingFence()
    /// What another owner had, to be put in the place of what lies in the room's folder; `nil` where that is the newest.
    package let adopted: RoomHeritage?
    /// Why the room is this host's now, for people.
    package let cause: String
    /// The other host that had the room before, and had not closed it.
    private let predecessor: UInt64?
    private let mailbox: KeeperMailbox
    private let state: Mutex<State>

    /// Numbers that are claimed ahead of use, and when the next are: so that no event waits for the log.
    static let numbersAhead = 1_024
    private static let numbersLeft = 512

    init(
        epoch: UInt64, opened: String, lastEvent: Int, adopted: RoomHeritage?, cause: String,
        after predecessor: UInt64?, _ mailbox: KeeperMailbox
    ) {
        (self.epoch, self.opened, self.lastEvent) = (epoch, opened, lastEvent)
        (self.adopted, self.cause, self.predecessor, self.mailbox) = (adopted, cause, predecessor, mailbox)
        state = Mutex(State(granted: lastEvent, asked: lastEvent))
    }

    // MARK: The room's side

    package var isOver: Bool { state.withLock { $0.isOver } }
    package var words: String { state.withLock { $0.words } }

    package func onChange(_ change: (@Sendable () -> Void)?) { state.withLock { $0.change = change } }

    package func begin(with heritage: RoomHeritage) {
        var heritage = heritage
        heritage.numbersUpTo = lastEvent + Self.numbersAhead
        heritage.apply(.machine(MachineName.own))
        state.withLock { $0.asked = heritage.numbersUpTo }
        mailbox.post(.begin(heritage, epoch))
    }

    package func keep(_ changes: [LeaseChange]) {
        for change in changes {
            switch change {
            case .keep(let lease): mailbox.post(.change(.lease(HeldLease(lease)), epoch))
            case .remove(let controller): mailbox.post(.change(.freed(controller.description), epoch))
            }
        }
    }

    package func keep(_ talents: PlayerTalents, of controller: ControllerID) {
        mailbox.post(.change(.talents(controller.description, talents), epoch))
    }

    package func keep(_ text: String, asFile name: String) { mailbox.post(.change(.file(name, text), epoch)) }

    package func mayTell(_ number: Int) -> Bool {
        let (isGranted, wish) = state.withLock { state -> (Bool, Int?) in
            var wish: Int?
            if number > state.asked - Self.numbersLeft {
                state.asked = max(number, state.asked) + Self.numbersAhead
                wish = state.asked
            }
            return (number <= state.granted && !state.isOver, wish)
        }
        if let wish { mailbox.post(.change(.numbers(wish), epoch)) }
        return isGranted
    }

    package func prepareHandover() throws {
        try state.withLock { state throws(RoomError) in
            guard let successor = state.successor else {
                throw RoomError(
                    .nobodyAsks,
                    "no standby is ready to go on with this room: roomful host … --standby on another machine")
            }
            state.handsOverTo = successor.host
        }
    }

    package func leave() -> Bool {
        state.withLock { state in
            state.handsOverTo = state.handsOverTo ?? state.successor?.host
            state.isLeft = true
            return state.handsOverTo != nil
        }
    }

    /// The room cannot be open here: it is for a standby that is ready, or else for whoever had it before.
    ///
    /// - Returns: whether there is such a host. Without one the room is this host's still, when it is back.
    package func giveUp() -> Bool {
        state.withLock { state in
            state.handsOverTo = state.handsOverTo ?? state.successor?.host ?? predecessor
            return state.handsOverTo != nil
        }
    }

    // MARK: The keeper's side

    /// Whom the room was closed for, if it was for somebody.
    var handsOverTo: UInt64? { state.withLock { $0.handsOverTo } }
    package var isHandover: Bool { handsOverTo != nil }
    /// Its host ends, and nobody wants the room closed.
    var isLeft: Bool { state.withLock { $0.isLeft } }
    /// The log knows that this host does not own the room any more.
    package var hasDeparted: Bool { state.withLock { $0.hasDeparted } }

    func grant(upTo number: Int) { state.withLock { $0.granted = max($0.granted, number) } }

    func note(_ words: String, successor: (host: UInt64, name: String)?) {
        state.withLock { ($0.words, $0.successor) = (words, successor) }
    }

    func depart() { state.withLock { $0.hasDeparted = true } }

    /// - Parameter end: until when the room may act.
    func act(until end: HostTime?) {
        let was = fence.isOpen
        fence.allow(until: end)
        if was != fence.isOpen { state.withLock { $0.change }?() }
    }

    func end(_ words: String) {
        fence.allow(until: nil)
        let change = state.withLock { state in
            (state.isOver, state.words, state.hasDeparted) = (true, words, true)
            return state.change
        }
        change?()
    }
}
