import Foundation
import Roomful

/// A Wi-Fi device of this machine, as NetworkManager sees it.
struct HotspotDevice: Hashable, Sendable {
    var name: String
    /// `disconnected`, `connected`, `unavailable`, `unmanaged` and others.
    var state: String
    /// What it is connected by; empty for nothing.
    var connection: String
    /// Whether its driver can open an access point.
    var canBeAccessPoint: Bool
    /// Whether this machine's way to everywhere else leads through it.
    var isWayOut: Bool

    /// Whether the kernel could call an interface so: 1 to 15 bytes without `/` and white space (dev_valid_name).
    static func isName(_ text: String) -> Bool {
        (1...15).contains(text.utf8.count) && text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x2F && $0 != 0x7F }
    }

    /// The one to open a hotspot with: the one that is named, or else one that nothing is lost by.
    ///
    /// - Throws: ``RoomError`` that says why there is none, and what to do.
    static func choose(of all: [HotspotDevice], named wanted: String?) throws(RoomError) -> HotspotDevice {
        if let wanted {
            guard let device = all.first(where: { $0.name == wanted }) else {
                let names = all.map(\.name).joined(separator: ", ")
                throw all.isEmpty
                    ? missing : RoomError(.badOption, "\(wanted) is no Wi-Fi device of this machine: it has \(names)")
            }
            if let problem = device.problem { throw RoomError(.closed, problem) }
            return device
        }
        guard let first = all.first else { throw missing }
        let usable = all.filter { $0.problem == nil }
        if let free = usable.first(where: { !$0.isInUse }) { return free }
        guard let busy = usable.first else { throw RoomError(.closed, first.problem ?? "") }
        let use =
            busy.isWayOut
            ? "is this machine's way to the Internet (by \"\(busy.connection)\")"
            : "is in use (by \"\(busy.connection)\")"
        throw RoomError(
            .closed,
            "\(busy.name) \(use), and cannot be a hotspot at the same time; to give that up meanwhile: "
                + "roomful hotspot --interface \(busy.name); or plug in a second Wi-Fi device")
    }

    private static let missing = RoomError(
        .notFound,
        "NetworkManager sees no Wi-Fi device on this machine, so no hotspot can be opened: plug one in, or use an "
            + "access point or router of your own, or a phone's hotspot")

    /// What is left of a hotspot of ours is taken over.
    private var isInUse: Bool { !connection.isEmpty && connection != NetworkManager.connection }

    private var problem: String? {
        switch state {
        case "unmanaged":
            "NetworkManager leaves \(name) alone: nmcli device set \(name) managed yes; or open the hotspot by "
                + "hand: roomful hotspot --print"
        case "unavailable":
            "\(name) is not ready: is it off (rfkill list), or is wpasupplicant missing (sudo apt install "
                + "wpasupplicant)? Why NetworkManager thinks so: nmcli device show \(name)"
        case _ where !canBeAccessPoint:
            "the driver of \(name) cannot open an access point: use another Wi-Fi device, a router, or a "
                + "phone's hotspot"
        default: nil
        }
    }

    /// The interfaces by which this machine reaches what is in none of its own networks.
    ///
    /// - Parameters:
    ///   - ipv4: `/proc/net/route`.
    ///   - ipv6: `/proc/net/ipv6_route`.
    static func waysOut(ipv4: String, ipv6: String) -> Set<String> {
        let lines = { (text: String) -> [[Substring]] in
            text.split(separator: "\n").map { $0.split(whereSeparator: \.isWhitespace) }
        }
        // Destination and mask, and destination and prefix: of all that is not said otherwise.
        let old = lines(ipv4).filter { $0.count > 7 && $0[1] == "00000000" && $0[7] == "00000000" }.map { $0[0] }
        let new = lines(ipv6).filter { $0.count > 9 && $0[0].allSatisfy { $0 == "0" } && $0[1] == "00" }.map { $0[9] }
        return Set((old + new).map(String.init)).subtracting(["lo"])
    }

    static var waysOut: Set<String> {
        let read = { (file: String) in (try? String(contentsOfFile: "/proc/net/\(file)", encoding: .utf8)) ?? "" }
        return waysOut(ipv4: read("route"), ipv6: read("ipv6_route"))
    }
}
