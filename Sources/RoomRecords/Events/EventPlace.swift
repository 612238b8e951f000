/// Where among a room's events somebody stands who has heard them up to a number: whoever comes back goes on there.
///
/// A host that is started anew counts from 1 again, so a number alone may be another life's.
package struct EventPlace: Hashable, Sendable {
    package var number: Int
    /// When the room was opened whose number that is, as its `hello` said; `nil` where nobody said it.
    package var openedAt: String?

    package init(_ number: Int, openedAt: String? = nil) { (self.number, self.openedAt) = (number, openedAt) }

    /// Goes on to an event that was told.
    ///
    /// - Returns: whether that is a place of its own: a motion has none.
    package mutating func pass(_ event: EventRecord) -> Bool {
        if case .hello(let hello) = event {
            self = EventPlace(hello.after, openedAt: hello.openedAt)
            return true
        }
        number = event.number ?? number
        return event.number != nil
    }
}

extension EventPlace: LosslessStringConvertible {
    /// `17@2026-11-21T09:00:00.000Z`, or `17` alone.
    package init?(_ text: String) {
        let parts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        guard let number = Int(parts[0]), parts.last?.isEmpty == false else { return nil }
        self.init(number, openedAt: parts.count > 1 ? String(parts[1]) : nil)
    }

    package var description: String { "\(number)" + (openedAt.map { "@\($0)" } ?? "") }
}
