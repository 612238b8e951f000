import RoomOwnership

/// Something on its way.
struct SiteMessage: Comparable, Sendable {
    enum Body: Sendable {
        case append(AppendRequest)
        case question(LogQuestion)
        case input(OwnershipInput)
    }

    var arrivesAt: Moment
    /// Of two that arrive at once the one that was sent first comes first.
    var serial: UInt64
    /// Who sent it, or whom it is for.
    var host: Int
    /// The run of the program that it is for: a later one has other connections.
    var life: UInt64
    var body: Body

    static func < (a: SiteMessage, b: SiteMessage) -> Bool { (a.arrivesAt, a.serial) < (b.arrivesAt, b.serial) }
    static func == (a: SiteMessage, b: SiteMessage) -> Bool { a.serial == b.serial }
}
