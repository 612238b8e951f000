package import RoomOwnership

/// What is made wrong on purpose: an evening must find it, or its laws prove nothing.
package enum PlantedFault: Hashable, Sendable {
    /// The log takes what it should refuse.
    case ignoresExpectation
    /// Each host's broker has a replica of its own, and for a while both sides of a partition take appends. Afterwards the
    /// replicas differ for good, as those of nats-server 2.9.10 did.
    case diverges
    /// The broker is started anew without its disk.
    case emptied
    /// Hosts' clocks stand still while they are stopped, as `CLOCK_MONOTONIC` does while a machine sleeps.
    case stoppedClocks
    /// An operator vouches that nobody else acts, and is wrong.
    case mistakenOperator
    /// Standbys wait for less than a fence.
    case hastyStandbys
    /// The participants follow a rule that was decided against.
    case rule(RejectedRule)

    /// Every one, each to be found.
    package static let all: [PlantedFault] =
        [.ignoresExpectation, .diverges, .emptied, .stoppedClocks, .mistakenOperator, .hastyStandbys]
        + RejectedRule.allCases.map { .rule($0) }
}

extension PlantedFault: CustomStringConvertible {
    package var description: String {
        switch self {
        case .ignoresExpectation: "the log takes what it should refuse"
        case .diverges: "the log's replicas differ after a partition"
        case .emptied: "the broker is started anew without its disk"
        case .stoppedClocks: "hosts' clocks stand still while they are stopped"
        case .mistakenOperator: "an operator vouches that nobody else acts, and is wrong"
        case .hastyStandbys: "standbys wait for less than a fence"
        case .rule(.noFence): "the owner does not fence itself"
        case .rule(.fenceFromAnswer): "the fence counts from the answer's arrival"
        case .rule(.fenceFromResend): "the fence counts from the last sending"
        case .rule(.silenceOfFeed): "a standby goes by the silence of its feed, and claims at the end that it read"
        case .rule(.policyWithoutLog): "the owner plays on before the log says that it does"
        case .rule(.ownerlessDeduplication): "the ids of records do not name their owner"
        case .rule(.rewriteUnanswered): "an unanswered record is sent again with more in it"
        }
    }
}
