import Roomful

/// What became of those whom the operator let in.
struct AcceptanceReport: Encodable {
    /// Those who got a seat.
    let accepted: Int
    /// Those who got a place in the queue.
    let queued: Int
    /// In the order in which they were let in.
    let each: [Acceptance]

    init(each: [Acceptance]) {
        self.each = each
        accepted = each.count { $0.outcome == .seated }
        queued = each.count { $0.outcome == .queued }
    }

    /// Somebody waits, and nobody could be let in.
    var isInVain: Bool { !each.isEmpty && accepted + queued == 0 }

    /// A line for each.
    var text: String {
        each.isEmpty ? "nobody waits for you" : each.map(Self.line).joined(separator: "\n")
    }

    private static func line(_ one: Acceptance) -> String {
        let name = TerminalText.isolated(one.name)
        return switch one.outcome {
        case .seated: "\(name) accepted: seat \(one.seat ?? 0), player P\(one.player ?? 0)"
        case .queued: "\(name) is called in: place \(one.place ?? 1) in the queue, as every seat is taken"
        case .full: "\(name) waits still, as every seat is taken; free one with: roomful kick WHO"
        case .gone: "\(name) went away before it was let in"
        }
    }
}
