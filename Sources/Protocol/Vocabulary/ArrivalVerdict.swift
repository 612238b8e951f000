/// What became of a sample at its arrival; the merge gives the verdict, the ledger books it.
public enum ArrivalVerdict: Hashable, Sendable {
    /// It came before the timeline passed its index: fed, or waiting to be.
    case delivered
    /// It came after the timeline had passed its index, or was numbered anew: counted and recorded, never fed.
    case late
    /// It was surely sampled before its controller was given the seat: nobody's motion, and so late however quick the way.
    case beforeSeat
}
