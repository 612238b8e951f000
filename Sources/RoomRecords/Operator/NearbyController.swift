package import Connections
import Datagrams
import Foundation
import Identity
package import SessionCoordinator
package import WireProtocol

/// A controller that waits nearby to be called: what it announces, which anybody can.
public struct NearbyController: Hashable, Sendable, Codable, Identifiable {
    /// Its identity, 32 hexadecimal digits, as it says.
    public var id: String
    /// Safe to print.
    public var name: String
    /// Where it listens, `host:port`, the best first; at most 8.
    public var addresses: [String]
    /// SHA-256 of the key that it shows there, 64 hexadecimal digits; `nil` where it announces none.
    public var pin: String?
    /// Whether it can vibrate, flash or sound.
    public var haptics: Bool
    /// When this host saw it first, in seconds before now.
    public var waitedFor: Double

    /// A controller as it announced itself.
    public init(id: String, name: String, addresses: [String], pin: String?, haptics: Bool, waitedFor: Double) {
        self.id = id
        self.name = name
        self.addresses = addresses
        self.pin = pin
        self.haptics = haptics
        self.waitedFor = waitedFor
    }

    /// For people who must choose: `Blue (0f0e0d0c) at 10.0.0.7:4711`.
    package var label: String { "\(name) (\(id.prefix(8)))" + (addresses.first.map { " at \($0)" } ?? "") }

    package var ways: [Endpoint] {
        addresses.compactMap { Ticket.Address.onThisMachine($0) }.map { Endpoint(host: $0.host, port: Int($0.port)) }
    }
}

extension [NearbyController] {
    /// The one that is meant: by its name, by its id, or by the beginning of it (at least 4 digits).
    package func find(_ who: String) throws(RoomError) -> NearbyController {
        let called = "“\(printable(who))”"
        let meant = Designation(who).choose { isMeant in filter { isMeant($0.id, $0.name, nil) } }
        if meant.count > 1 {
            let labels = meant.map(\.label)
            throw RoomError(
                .ambiguous, "\(called) could be any of: " + labels.joined(separator: ", "), candidates: labels)
        }
        if let one = meant.first { return one }
        let labels = map(\.label)
        throw RoomError(
            .notFound,
            isEmpty
                ? "no controller waits nearby; on its machine: roomful join --wait --as \(shellWord(who))"
                : "nobody called \(called) waits nearby; these do: " + labels.prefix(20).joined(separator: ", "),
            candidates: labels)
    }
}

/// How an invitation ended: every one does.
public struct InvitationOutcome: Hashable, Sendable, Codable {
    /// Of the controller; safe to print.
    public var name: String
    /// Its identity, 32 hexadecimal digits.
    public var controller: String
    /// Whether the controller came.
    public var isAccepted: Bool
    /// From 1; `nil` unless it was accepted.
    public var seat: Int?
    /// The player's number, from 1; `nil` unless it was accepted.
    public var player: Int?
    /// Why it was not, as ``RefusalReason`` spells it; `nil` if it was.
    public var reason: String?
    /// One line for people.
    public var message: String
    /// Milliseconds after which inviting again makes sense; `nil` when it does not, or nobody knows.
    public var retryAfter: Int?

    /// One that asked, and was let in.
    package init(_ peer: PeerStatus) {
        (name, controller) = (peer.name, peer.controller)
        (isAccepted, seat, player) = (true, peer.seat, peer.player)
        message = "\(peer.name) was waiting to be let in: seat \(peer.seat), player P\(peer.player)"
    }

    package init(_ controller: NearbyController, _ outcome: OfferOutcome) {
        name = controller.name
        self.controller = controller.id
        switch outcome {
        case .accepted(let seat, let player):
            isAccepted = true
            (self.seat, self.player) = (seat, player)
            message = "\(controller.name) accepted: seat \(seat), player P\(player)"
        case .refused(let refusal):
            isAccepted = false
            reason = refusal.reason.rawValue
            retryAfter = refusal.retryAfter
            let again = refusal.retryAfter.map { " Invite it again in \(max(1, ($0 + 999) / 1_000)) s." } ?? ""
            let what = refusal.isControllersOwn ? "said no" : "was not called in"
            message = "\(controller.name) \(what) (\(refusal.reason.rawValue)): \(refusal.message)\(again)"
        }
    }

    /// What is said of an invitation that the operator took back.
    package static let takenBack = "The operator took the invitation back."

    /// Whether it failed because somebody could not be reached, rather than by anyone's will.
    public var isUnreachable: Bool { reason == RefusalReason.unreachable.rawValue }
}

extension Refusal {
    /// Whether the controller itself said so, rather than that it could not be asked, or did not answer.
    fileprivate var isControllersOwn: Bool {
        [.declined, .untrusted, .busy].contains(reason) && message != InvitationOutcome.takenBack
    }
}
