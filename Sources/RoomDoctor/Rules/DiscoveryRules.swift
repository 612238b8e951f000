import PeerDiscovery
import WireProtocol

/// Who answers by multicast DNS, here and around, and whether a room of this machine is found.
extension DoctorFacts {
    /// Programs that answer questions for this machine's name, as /proc/PID/comm has them (15 characters).
    private static let answering: Set<String> = ["avahi-daemon", "systemd-resolve", "systemd-resolved", "mdnsd"]

    var respondersCheck: DoctorCheck {
        func check(_ outcome: DoctorCheck.Outcome, _ found: String, _ advice: String? = nil) -> DoctorCheck {
            DoctorCheck("responders", "Programs that speak multicast DNS here", outcome, found, advice: advice)
        }
        guard !holders.isEmpty else { return check(.ok, "None, before a room is hosted.") }
        let named = holders.map(\.shown).joined(separator: ", ")
        let answerers = holders.filter { Self.answering.contains($0.program ?? "") }
        guard answerers.count > 1 else { return check(.ok, "\(named).") }
        let isResolved = answerers.contains { $0.program?.hasPrefix("systemd-resolve") == true }
        return check(
            .warning, "\(named): \(answerers.count) of them answer for this machine, and may contradict each other.",
            isResolved
                ? "Leave it to avahi-daemon: put MulticastDNS=no into /etc/systemd/resolved.conf, then: "
                    + "sudo systemctl restart systemd-resolved"
                : "Keep one of them, best avahi-daemon.")
    }

    var neighboursCheck: DoctorCheck {
        func check(_ outcome: DoctorCheck.Outcome, _ found: String, _ advice: String? = nil) -> DoctorCheck {
            DoctorCheck("neighbours", "Other devices that answer", outcome, found, advice: advice)
        }
        if !neighbours.isEmpty {
            let shown = neighbours.prefix(4).joined(separator: ", ")
            let more = neighbours.count > 4 ? " and \(neighbours.count - 4) more" : ""
            return check(.ok, "\(plural(neighbours.count, "device")) answered: \(shown)\(more).")
        }
        guard multicastOutCheck.outcome == .ok, multicastInCheck.outcome == .ok else {
            return check(.note, "None answered, which multicast above may explain.")
        }
        return check(
            .note, "None answered.",
            "Either nobody else here speaks multicast DNS, or the access point keeps it from passing, as guest "
                + "networks do. Run roomful doctor on another machine too, or roomful doctor --phone.")
    }

    var daemonCheck: DoctorCheck {
        func check(_ outcome: DoctorCheck.Outcome, _ found: String, _ advice: String? = nil) -> DoctorCheck {
            DoctorCheck("daemon", "avahi-daemon and D-Bus", outcome, found, advice: advice)
        }
        if daemon.answers { return check(.ok, "avahi-daemon answers over D-Bus.") }
        if daemon.hangs {
            return check(
                backend == .embedded ? .warning : .problem,
                "D-Bus or avahi-daemon took a question, and did not answer within 2 s: it is just starting, or hangs.",
                "Wait a little and try again; else: sudo systemctl restart avahi-daemon")
        }
        // With a responder of our own nothing is lost; without one, the next check says what is.
        let outcome: DoctorCheck.Outcome = backend == .embedded || discovery == .none ? .note : .warning
        let unless = outcome == .note ? "Not needed. To have it all the same: " : ""
        guard daemon.hasBus else {
            return check(
                outcome,
                daemon.isBusForbidden
                    ? "This user may not open D-Bus at \(daemon.busPath), so avahi-daemon cannot be reached."
                    : "There is no D-Bus at \(daemon.busPath), so avahi-daemon cannot be reached.",
                "\(unless)sudo systemctl start dbus avahi-daemon (on Debian: sudo apt-get install avahi-daemon)")
        }
        return check(
            outcome, "D-Bus answers, and avahi-daemon does not\(daemon.reason.map { ": \($0)" } ?? "").",
            "\(unless)sudo systemctl start avahi-daemon (on Debian: sudo apt-get install avahi-daemon)")
    }

    var backendCheck: DoctorCheck {
        func check(_ outcome: DoctorCheck.Outcome, _ found: String, _ advice: String? = nil) -> DoctorCheck {
            DoctorCheck("backend", "Who announces and finds rooms", outcome, found, advice: advice)
        }
        switch backend {
        case .daemon:
            let why = discovery == .daemon ? "as you want it, and it answers" : "because it answers"
            return check(.ok, "avahi-daemon (daemon), \(why).")
        case .embedded:
            let why = discovery == .embedded ? "as you want it" : "because no avahi-daemon answers"
            return check(.ok, "Roomful itself, by libavahi-core (embedded), \(why).")
        case .none where discovery == .none:
            return check(.note, "Nobody, as you want it: rooms are joined by the QR code, a ticket or their address.")
        case .none where daemon.hangs:
            return check(
                .problem, "Nobody: avahi-daemon is to do it, and hangs.",
                hasAvahiCore
                    ? "Until it answers again, host and join with --discovery embedded." : joinOtherwise)
        case .none where discovery == .daemon:
            return check(
                .problem, "Nobody: avahi-daemon is wanted, and does not answer.",
                (hasAvahiCore ? "Leave --discovery out: Roomful can do it itself. " : "") + joinOtherwise)
        case .none where discovery == .embedded:
            return check(
                .problem, "Nobody: Roomful's own responder is wanted, and cannot run: \(coreProblem ?? "").",
                joinOtherwise)
        case .none:
            return check(
                .problem, "Nobody: no avahi-daemon answers, and \(coreProblem ?? "").",
                "sudo apt-get install avahi-daemon (or libavahi-core7, for Roomful to do it itself). \(joinOtherwise)")
        }
    }

    var ownRoomCheck: DoctorCheck {
        func check(_ outcome: DoctorCheck.Outcome, _ found: String, _ advice: String? = nil) -> DoctorCheck {
            DoctorCheck("own-room", "A room of this machine is found", outcome, found, advice: advice)
        }
        switch rooms {
        case .untried: return check(.note, "Not tried: nobody could announce it.")
        case .impossible(let reason): return check(.problem, "No room could be announced: \(reason).", joinOtherwise)
        case .tried(let rooms, let isTest):
            let found = rooms.map { $0.sentence(isTest: isTest) }.joined(separator: " ")
            let announced = rooms.filter(\.isAnnounced)
            guard !announced.isEmpty else { return check(.note, found) }
            if announced.contains(where: { $0.foundAfter == nil }) {
                let cause = [interfaceCheck, multicastOutCheck, multicastInCheck].first { $0.outcome == .problem }
                return check(
                    .problem, found,
                    cause != nil
                        ? "\(cause?.title ?? ""), above, is why."
                        : "Is the room's interface (--interface) the right one? Start avahi-daemon anew: sudo systemctl "
                            + "restart avahi-daemon. \(joinOtherwise)")
            }
            if announced.contains(where: { $0.reached.isEmpty }) {
                return check(
                    .problem, found,
                    "A firewall on this machine drops connections to the room's port; let it in: give the room a port "
                        + "(roomful host --port 7777), then: \(firewall.open(7_777))")
            }
            if announced.contains(where: { !$0.unreached.isEmpty }) {
                return check(.warning, found, "Controllers try the addresses one after the other, and lose time by it.")
            }
            return check(.ok, found)
        }
    }

    /// None where every controller is heard as it came.
    var datagramChecks: [DoctorCheck] {
        guard let first = unheard.first else { return [] }
        let found = unheard.map { room in
            let more = room.players.count > 3 ? " and \(room.players.count - 3) more" : ""
            return "\"\(room.room)\": \(room.players.prefix(3).joined(separator: ", "))\(more)."
        }
        return [
            DoctorCheck(
                "udp", "Controllers reach rooms of this machine by UDP", .warning,
                "Some reach this machine by TCP, not by UDP, and no motion of theirs comes. "
                    + found.joined(separator: " "),
                advice:
                    "A firewall on this machine drops it: \(firewall.open(first.port)). Without one it is theirs, or "
                    + "the access point; try it with a phone: roomful doctor --phone.")
        ]
    }
}

extension PortHolder {
    /// `avahi-daemon (process 812)`, `a program of user 101`.
    var shown: String {
        guard let program else { return "a program of user \(user)" }
        return program + (pid.map { " (process \($0))" } ?? "")
    }
}

extension OwnRoom {
    fileprivate func sentence(isTest: Bool) -> String {
        let who = isTest ? "A room announced for a moment" : "\"\(name)\""
        guard isAnnounced else { return "\(who) is not announced, as its host wanted." }
        guard let foundAfter else { return "\(who) was not found by this machine itself." }
        let at = reached.isEmpty ? "" : "; from here its port answers at \(reached.joined(separator: ", "))"
        let not = unreached.isEmpty ? "" : "; not at \(unreached.joined(separator: ", "))"
        return "\(who) was found after \(foundAfter) ms\(at)\(not)."
    }
}
