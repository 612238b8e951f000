import ControllerSession
import Roomful

/// What a controller was told of its books, held against the truth: all that can be known of a room on another machine.
struct ToldAccount: Sendable {
    /// Different numbers that the host says to have received, up to the highest that it names.
    var said: Int
    /// The least and the most that it can have received when it named that number as the highest.
    var allowed: ClosedRange<Int>

    var isTrue: Bool { allowed.contains(said) }

    /// `nil` when the controller was told nothing.
    init?(_ account: ControllerReport.Account?, _ witness: FleetWitness) {
        guard let account, let epoch = witness.epochs.last else { return nil }
        said = Int(account.unique)
        var numbers: Set<UInt32> = []
        var (highest, least, most): (UInt32, Int?, Int) = (0, nil, 0)
        for delivery in epoch.delivered {
            guard numbers.insert(delivery.number).inserted else { continue }
            highest = max(highest, delivery.number)
            guard highest == account.highest else { continue }
            least = least ?? numbers.count
            most = numbers.count
        }
        // A number that never came through cannot be the highest.
        allowed = (least ?? -1)...max(most, least ?? -1)
    }
}
