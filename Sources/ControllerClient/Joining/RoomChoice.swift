import Connections
package import Identity
import PeerDiscovery
package import WireProtocol

/// Which of the rooms of one name is meant.
///
/// The choice rests on what anybody can announce, so it only says whom to ask: the host's key then proves who it is.
package struct RoomChoice {
    package var name: String
    /// The fingerprint that the host must have, if it is known.
    package var pin: Pin?
    package var known: KnownHosts

    /// - Parameters:
    ///   - matches: the rooms of that name.
    ///   - nearby: the names of all that is announced, safe to print.
    /// - Returns: the one; or several, where a key is known that only one of them can have: TLS finds out which.
    /// - Throws: `notFound`, `ambiguous`, `cannotSearch` or `unreachable`, with what is there.
    func choose(
        from matches: [DiscoveredRoom], nearby: [String], availability: DiscoveryAvailability
    ) throws(JoinError) -> [DiscoveredRoom] {
        guard !matches.isEmpty else { throw nothing(nearby: nearby, availability: availability) }
        let fitting = narrowed(matches)
        guard fitting.count == 1 || pin != nil || fitting.allSatisfy(isFamiliar) else { throw several(fitting) }
        let reachable = fitting.filter { !$0.endpoints.isEmpty }
        guard !reachable.isEmpty else {
            throw JoinError(.unreachable, "“\(name.displayed)” is announced without an address; try again in a moment")
        }
        // Who answers first; the order is otherwise the list's.
        return reachable.filter { $0.reachability != .silent } + reachable.filter { $0.reachability == .silent }
    }

    /// The addresses of the one, or of several, in the order in which to try them.
    ///
    /// - Throws: as ``choose(from:nearby:availability:)``.
    func ways(from finding: RoomFinding) throws(JoinError) -> [Endpoint] {
        try choose(
            from: finding.matches, nearby: finding.nearby.displayNames, availability: finding.nearby.availability
        ).flatMap(\.ways)
    }

    /// Whether what is known names one of them, with an address: then it does not matter who else has the name.
    func isSettled(by matches: [DiscoveredRoom]) -> Bool {
        matches.contains { room in
            let isMeant = pin.map { room.id.pin == $0 } ?? isFamiliar(room)
            return isMeant && !room.endpoints.isEmpty
        }
    }

    /// Namesakes of a room whose fingerprint is known, or that this user knows, are not meant; nor those that nobody but
    /// a record speaks for any more, where another answers.
    private func narrowed(_ matches: [DiscoveredRoom]) -> [DiscoveredRoom] {
        if let pin {
            let claiming = matches.filter { $0.id.pin == pin }
            return claiming.isEmpty ? matches : claiming
        }
        guard matches.count > 1 else { return matches }
        let familiar = matches.filter(isFamiliar)
        if !familiar.isEmpty { return familiar }
        let living = matches.filter { $0.reachability == .answering }
        return living.isEmpty ? matches : living
    }

    /// Whether it claims to be a room that this user knows, which only that room can prove.
    private func isFamiliar(_ room: DiscoveredRoom) -> Bool {
        known.entries.contains { $0.roomID == room.id.room && $0.pin == room.id.pin }
    }

    private func nothing(nearby: [String], availability: DiscoveryAvailability) -> JoinError {
        if case .unavailable(let reason) = availability { return Self.cannotSearch(reason) }
        guard !nearby.isEmpty else {
            return JoinError(
                .notFound,
                "no room is announced nearby; start its host. If it runs, something drops multicast on the way (roomful "
                    + "doctor looks where): give the address with --at HOST:PORT, or scan its QR code")
        }
        let list = nearby.prefix(20).map { "“\($0)”" }.joined(separator: ", ")
        return JoinError(.notFound, "there is no room “\(name.displayed)”; nearby: \(list)", candidates: nearby)
    }

    static func cannotSearch(_ reason: String) -> JoinError {
        JoinError(.cannotSearch, "rooms cannot be found by name: \(reason); or give the address with --at HOST:PORT")
    }

    private func several(_ rooms: [DiscoveredRoom]) -> JoinError {
        let candidates = rooms.prefix(20).map { room in
            let place = room.endpoints.first.map { " at \($0)" } ?? ""
            let pin = room.id.pin.map { ", fingerprint \($0)" } ?? ""
            return "“\(room.displayName)”\(place)\(pin)"
        }
        return JoinError(
            .ambiguous,
            "several rooms are called “\(name.displayed)”; choose one with --fingerprint or --at: "
                + candidates.joined(separator: "; "), candidates: candidates)
    }
}

extension DiscoveredRoom {
    /// Its addresses in the order in which to try them.
    var ways: [Endpoint] { endpoints.map { Endpoint(host: $0.host, port: Int($0.port)) } }
}
