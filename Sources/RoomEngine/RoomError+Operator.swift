public import SessionCoordinator
public import WireProtocol

extension RoomError {
    /// Why the coordinator refused, in words for an operator.
    ///
    /// - Parameter who: whom they meant.
    public init(_ error: OperatorError, who: String?) {
        let called = who.map { "\"\($0.isolated)\"" } ?? "that"
        switch error {
        case .notFound(let present):
            self.init(
                .notFound,
                present.isEmpty
                    ? "nobody is here"
                    : "nobody is called \(called); here are: "
                        + present.joined(separator: ", "), candidates: present)
        case .ambiguous(let candidates):
            self.init(
                .ambiguous, "\(called) could be any of: " + candidates.joined(separator: ", "), candidates: candidates)
        case .nobodyAsks: self.init(.nobodyAsks, "nobody waits to be let in")
        case .noSuchSeat(let seat, let seats):
            self.init(.badOption, "there is no seat \(seat): this room has seats 1 to \(seats)")
        case .badName: self.init(.badOption, "a name has 1 to 63 bytes")
        case .full: self.init(.full, "every seat is taken; free one with: roomful kick WHO")
        }
    }
}
