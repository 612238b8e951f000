import Identity

/// Whether this machine is in a network, and multicast DNS gets out and in.
extension DoctorFacts {
    var interfaceCheck: DoctorCheck {
        func check(_ outcome: DoctorCheck.Outcome, _ found: String, _ advice: String? = nil) -> DoctorCheck {
            DoctorCheck("interfaces", "Network", outcome, found, advice: advice)
        }
        guard !interfaces.isEmpty else {
            return check(
                .problem, "This machine is in no network.",
                "Join a Wi-Fi or plug in a cable. Until then only programs on this machine can join.")
        }
        let named = interfaces.map(\.shown).joined(separator: "; ")
        let addressed = interfaces.filter { !$0.addresses.isEmpty }
        guard !addressed.isEmpty else {
            return check(
                .problem, "\(named): the network has given this machine no address.",
                "Check the Wi-Fi's password or the cable, and that the router gives addresses (DHCP).")
        }
        let mute = addressed.filter { !$0.carriesMulticast }
        if let first = mute.first, mute.count == addressed.count || mute.contains(where: { $0.name == outward }) {
            return check(
                mute.count == addressed.count ? .problem : .warning,
                "\(mute.map(\.name).joined(separator: ", ")) carries no multicast, by which rooms are found.",
                "If it is no tunnel, switch it on: sudo ip link set \(first.name) multicast on. \(joinOtherwise)")
        }
        if addressed.allSatisfy(\.isSelfAssigned) {
            return check(
                .warning, "\(named): no router gave an address, so this machine chose one for itself.",
                "Phones reach it only if they did the same. Check the cable, or use a network with a router.")
        }
        return check(.ok, "\(named).")
    }

    var portCheck: DoctorCheck {
        func check(_ outcome: DoctorCheck.Outcome, _ found: String, _ advice: String? = nil) -> DoctorCheck {
            DoctorCheck("port-5353", "Port of multicast DNS (UDP 5353)", outcome, found, advice: advice)
        }
        guard !trials.isEmpty else { return check(.note, "Not tried: no interface carries multicast.") }
        let failed = trials.filter { !$0.isOpen }
        guard let first = failed.first else {
            return check(.ok, "Can be shared, on \(trials.map(\.place).joined(separator: ", ")).")
        }
        let isAll = failed.count == trials.count
        switch first.outcome {
        case .notOpened(let number) where number == Errno.addressInUse:
            let who = holders.map(\.shown).joined(separator: ", ")
            if daemon.answers {
                return check(.note, "\(who) keeps it to itself. That is fine: Roomful goes through avahi-daemon.")
            }
            let places = failed.map(\.place).joined(separator: ", ")
            return check(
                severity(of: failed, among: trials),
                "\(who.isEmpty ? "Another program" : who) has it, and does not share it on \(places).",
                "Stop that program. \(joinOtherwise)")
        case .notOpened(let number):
            return check(
                isAll && !daemon.answers ? .problem : .warning,
                "It cannot be opened on \(first.place): \(Errno.text(number)).",
                "Something that guards this machine (a container, SELinux, AppArmor) forbids it. \(joinOtherwise)")
        case .notJoined(let number), .notSent(let number):
            return check(
                isAll && !daemon.answers ? .problem : .warning,
                "The group \(first.version.group) cannot be joined on \(first.place): \(Errno.text(number)).",
                "Is the network's connection complete? sudo sysctl net.ipv4.igmp_max_memberships=64 helps when very "
                    + "many programs listen.")
        case .sent: return check(.ok, "Can be shared.")
        }
    }

    var multicastOutCheck: DoctorCheck {
        func check(_ outcome: DoctorCheck.Outcome, _ found: String, _ advice: String? = nil) -> DoctorCheck {
            DoctorCheck("multicast-out", "Multicast going out", outcome, found, advice: advice)
        }
        let open = trials.filter(\.isOpen)
        guard !open.isEmpty else { return check(.note, "Not tried.") }
        let failed = open.filter { if case .notSent = $0.outcome { true } else { false } }
        guard let first = failed.first, case .notSent(let number) = first.outcome else {
            return check(.ok, "A question to all devices left on \(open.map(\.place).joined(separator: ", ")).")
        }
        let places = failed.map(\.place).joined(separator: ", ")
        if number == Errno.notPermitted || number == Errno.accessDenied {
            return check(
                severity(of: failed, among: open),
                "A firewall on this machine drops what it sends to multicast DNS on \(places): rooms cannot be "
                    + "announced, nor others looked for.",
                "Let UDP port 5353 out: \(firewall.allowOut). \(joinOtherwise)")
        }
        return check(
            severity(of: failed, among: open),
            "Nothing can be sent to multicast DNS on \(places): \(Errno.text(number)).",
            "Check the connection of that interface. \(joinOtherwise)")
    }

    var multicastInCheck: DoctorCheck {
        func check(_ outcome: DoctorCheck.Outcome, _ found: String, _ advice: String? = nil) -> DoctorCheck {
            DoctorCheck("multicast-in", "Multicast coming in", outcome, found, advice: advice)
        }
        let sent = trials.filter { if case .sent = $0.outcome { true } else { false } }
        guard !sent.isEmpty else { return check(.note, "Not tried: nothing could be sent.") }
        let deaf = sent.filter { $0.outcome == .sent(hears: false) }
        guard !deaf.isEmpty else {
            return check(.ok, "This machine hears what it asks all devices, as others would.")
        }
        guard neighbours.isEmpty else {
            return check(.ok, "Other devices' multicast is heard.")
        }
        let places = deaf.map { "\($0.interface) (\($0.version.group))" }.joined(separator: ", ")
        return check(
            severity(of: deaf, among: sent),
            "A firewall on this machine drops multicast DNS that comes in on \(places): its own question did not come "
                + "back to it. Rooms of other machines are not found, and questions for this one's not heard.",
            "Let UDP port 5353 in: \(firewall.allowIn). \(joinOtherwise)")
    }

    /// A problem where one IP version, at least, fails on the way that matters without the other to replace it.
    private func severity(of failed: [MulticastTrial], among all: [MulticastTrial]) -> DoctorCheck.Outcome {
        let works = all.filter { !failed.contains($0) }
        let mattering = all.filter { outward == nil || $0.interface == outward }
        return (mattering.isEmpty ? all : mattering).contains(where: works.contains) ? .warning : .problem
    }

    /// The ways in that need no multicast.
    var joinOtherwise: String {
        "Meanwhile the QR code works, and: roomful join --at HOST:PORT --code-file ticket"
    }
}

extension NetworkInterface {
    /// `eth0 (10.77.0.1, fd77::1)`.
    var shown: String { "\(name) (\(addresses.isEmpty ? "no address" : addresses.joined(separator: ", ")))" }

    /// Only addresses that a machine gives to itself (RFC 3927; RFC 4291, 2.5.6).
    var isSelfAssigned: Bool { addresses.allSatisfy { $0.hasPrefix("169.254.") || $0.hasPrefix("fe80:") } }
}

extension Firewall {
    var allowIn: String {
        switch self {
        case .ufw: "sudo ufw allow 5353/udp"
        case .firewalld: "sudo firewall-cmd --permanent --add-service=mdns && sudo firewall-cmd --reload"
        case .nftables: "accept \"udp dport 5353\" in the chain of the input hook (sudo nft list ruleset shows it)"
        case .unknown: "where this machine's firewall is set up, accept UDP port 5353"
        }
    }

    var allowOut: String {
        switch self {
        case .ufw: "sudo ufw allow out 5353/udp"
        case .firewalld: "sudo firewall-cmd --permanent --add-service=mdns && sudo firewall-cmd --reload"
        case .nftables: "accept \"udp dport 5353\" in the chain of the output hook (sudo nft list ruleset shows it)"
        case .unknown: "where this machine's firewall is set up, accept UDP port 5353"
        }
    }

    /// How a room's own port is opened, for TCP and UDP.
    package func open(_ port: UInt16) -> String {
        switch self {
        case .ufw: "sudo ufw allow \(port)"
        case .firewalld: "sudo firewall-cmd --add-port=\(port)/tcp --add-port=\(port)/udp"
        case .nftables: "accept \"tcp dport \(port)\" and \"udp dport \(port)\" in the chain of the input hook"
        case .unknown: "accept TCP and UDP port \(port)"
        }
    }
}
