import Identity
import WireProtocol

/// Whether the machine itself is fit for a room.
extension DoctorFacts {
    /// What the kernel books for a small datagram in a receive buffer of an ordinary network card, in bytes: half a page
    /// and its own bookkeeping.
    static let bookedForDatagram = 2_304
    /// Samples a second of an ordinary controller, a datagram each.
    private static let rate = 60

    var clockCheck: DoctorCheck {
        func check(_ outcome: DoctorCheck.Outcome, _ found: String, _ advice: String? = nil) -> DoctorCheck {
            DoctorCheck("clock", "Clock", outcome, found, advice: advice)
        }
        let advice = "sudo timedatectl set-ntp true"
        guard (2025...2100).contains(machine.year) else {
            return check(
                .problem, "It says \(machine.date), which cannot be: phones would refuse the room's certificate.",
                "Set it: \(advice), or sudo date --set \"YYYY-MM-DD HH:MM\"")
        }
        switch machine.isSynchronised {
        case true?: return check(.ok, "\(machine.date), kept right by a time service.")
        case false?:
            return check(
                .note,
                "\(machine.date); no time service keeps it right. Games do not mind: Roomful measures time "
                    + "between devices. Logs and certificates go by this clock.", advice)
        case nil: return check(.ok, "\(machine.date); the kernel does not say whether it is kept right.")
        }
    }

    var receiveBufferCheck: DoctorCheck {
        let datagrams = 2 * machine.bufferGranted / Self.bookedForDatagram
        let milliseconds = datagrams * 1_000 / max(1, machine.seats * Self.rate)
        let limit = machine.bufferLimit.map { " (net.core.rmem_max is \(kibibytes($0)))" } ?? ""
        let granted =
            machine.bufferGranted >= machine.bufferWanted
            ? "\(kibibytes(machine.bufferGranted)), all that is wanted"
            : "\(kibibytes(machine.bufferGranted)) of \(kibibytes(machine.bufferWanted)) wanted\(limit)"
        let found =
            "\(granted): \(plural(machine.seats, "controller")) at \(Self.rate) samples a second would fill it in "
            + "\(seconds(milliseconds)) while the host is busy elsewhere."
        let isEnough = milliseconds >= 100
        return DoctorCheck(
            "receive-buffer", "Room for what arrives at once", isEnough ? .ok : .warning, found,
            advice: isEnough
                ? nil
                : "Datagrams will be lost, and sent again, when this machine is busy: "
                    + "sudo sysctl net.core.rmem_max=\(machine.bufferWanted)")
    }

    var descriptorCheck: DoctorCheck {
        // As many as DescriptorBudget leaves for controllers' connections, beside what a room and its operators need.
        let needed = machine.seats + 128
        let isEnough = machine.descriptors >= needed
        return DoctorCheck(
            "descriptors", "Open files and connections", isEnough ? .ok : .problem,
            "A program may have \(machine.descriptors) open; a room of \(plural(machine.seats, "seat")) needs \(needed).",
            advice: isEnough ? nil : "Before hosting: ulimit -n \(needed) (systemd: LimitNOFILE=\(needed))")
    }

    var sodiumCheck: DoctorCheck {
        DoctorCheck(
            "libsodium", "libsodium", machine.hasSodium ? .ok : .note,
            machine.hasSodium
                ? "Found: datagrams are sealed by it."
                : "Not found: datagrams are sealed by swift-crypto, just as safe, at about 6 times the cost. Rooms of "
                    + "up to about 100 do not notice.",
            advice: machine.hasSodium ? nil : "sudo apt-get install libsodium23")
    }

    var avahiCoreCheck: DoctorCheck {
        DoctorCheck(
            "libavahi-core", "libavahi-core", hasAvahiCore ? .ok : .note,
            hasAvahiCore
                ? "Found: rooms are announced and found even without avahi-daemon."
                : "Not used, so without avahi-daemon no room is announced or found: \(coreProblem ?? "").",
            advice: hasAvahiCore ? nil : "sudo apt-get install libavahi-core7")
    }

    /// None where no room of this machine stood still of late.
    var standstillChecks: [DoctorCheck] {
        guard !standstills.isEmpty else { return [] }
        return [
            DoctorCheck(
                "standstill", "Rooms have the processor when they need it", .warning,
                standstills.joined(separator: " "),
                advice:
                    "What players do meanwhile comes too late to count: keep this machine from sleeping, close what else "
                    + "runs on it, and give roomful's service or container more of the processor.")
        ]
    }

    /// None where no room shows a certificate of its operator's own.
    var certificateChecks: [DoctorCheck] {
        guard let least = certificates.map(\.secondsLeft).min() else { return [] }
        let isGood = least > 14 * 86_400
        return [
            DoctorCheck(
                "certificate", "Certificates of your own", isGood ? .ok : least > 0 ? .warning : .problem,
                certificates.map { "\"\($0.room)\": until \($0.end)." }.joined(separator: " "),
                advice: isGood
                    ? nil
                    : "Renew it: the room reads the new files within half a minute. Browsers warn of one that has ended."
            )
        ]
    }

    var stateCheck: DoctorCheck {
        func check(_ outcome: DoctorCheck.Outcome, _ found: String, _ advice: String? = nil) -> DoctorCheck {
            DoctorCheck("state-folder", "Where keys and seats are kept", outcome, found, advice: advice)
        }
        switch machine.state {
        case .unusable(let reason):
            return check(.problem, reason, "Mend it, or choose another with ROOMFUL_STATE or --state FOLDER.")
        case .usable(let path, let free) where free < 16 << 20:
            return check(
                .problem, "\(path) has \(kibibytes(free)) left: seats could not be kept.", "Free some space there.")
        case .usable(let path, _): return check(.ok, "\(path), and it can be written to.")
        }
    }
}

/// `140 ms`, `2.8 s`.
private func seconds(_ milliseconds: Int) -> String {
    milliseconds < 1_000 ? "\(milliseconds) ms" : "\(milliseconds / 1_000).\(milliseconds % 1_000 / 100) s"
}

/// `208 KiB`, `4 MiB`.
private func kibibytes(_ bytes: Int) -> String {
    bytes >= 1 << 20 ? "\(bytes >> 20) MiB" : "\(bytes >> 10) KiB"
}
