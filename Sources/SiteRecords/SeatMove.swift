/// A player's way to another room of the site, as the room that it leaves sees it.
///
/// ```
/// promised ── has its seat there ──────────────────────────────▶ over: the seat here is free
///    │ │                                                           ▲
///    │ └─ the other room says that nothing comes of it ──▶ over: it stays
///    │                                                             │
///    └─ its controller says no, or time is up ──▶ takingBack ──────┤ it had its seat there after all
///                                                     └────────────┴▶ over: it stays
/// ```
/// The seat there was promised before; the seat here is given up only once the other room says that the player sits there.
/// Where that room cannot be asked any more, the player keeps the seat here: at worst it has two for a while, never none.
package struct SeatMove: Hashable, Sendable {
    package enum State: Hashable, Sendable {
        /// The other room keeps a seat, and the controller was told.
        case promised
        /// It will not come, for this reason; whether it has come meanwhile, the other room is asked.
        case takingBack(because: String)
        case over
    }

    /// What happens to it.
    package enum Input: Hashable, Sendable {
        /// The controller does not follow, and says why.
        case refused(String)
        /// Nobody has come in time.
        case timeIsUp
        /// The other room: it has its seat.
        case seated(seat: Int, player: Int)
        /// The other room: it will not come, for this reason.
        case ended(String)
        /// The other room does not answer, for this reason.
        case silent(String)
    }

    /// What is to be done.
    package enum Step: Hashable, Sendable {
        case nothing
        /// The promise is to be taken back; the other room's answer is the next input.
        case takeBack
        /// The seat here is free.
        case free(seat: Int, player: Int)
        /// The player stays, for this reason.
        case stay(String)
    }

    package private(set) var state = State.promised

    package init() {}

    /// Whether nothing more comes of it.
    package var isOver: Bool { state == .over }

    package mutating func take(_ input: Input) -> Step {
        switch (state, input) {
        case (.over, _): return .nothing
        case (_, .seated(let seat, let player)):
            state = .over
            return .free(seat: seat, player: player)
        case (.promised, .refused(let words)): return takeBack(because: words)
        case (.promised, .timeIsUp): return takeBack(because: "it did not take the seat there in time")
        case (.promised, .silent(let words)): return takeBack(because: words)
        case (.promised, .ended(let words)): return stay(words)
        // What was said first is the reason.
        case (.takingBack, .refused), (.takingBack, .timeIsUp): return .nothing
        case (.takingBack(let reason), .ended), (.takingBack(let reason), .silent): return stay(reason)
        }
    }

    private mutating func takeBack(because words: String) -> Step {
        state = .takingBack(because: words)
        return .takeBack
    }

    private mutating func stay(_ words: String) -> Step {
        state = .over
        return .stay(words)
    }
}
