import Foundation
import WireProtocol

/// What opens a hotspot, and what takes it down again, as a shell takes it.
struct HotspotCommands: Hashable, Sendable, Encodable {
    var open: String
    var undo: String

    var text: String { "\(open)\n\n# Undo:\n\(undo)" }

    /// By NetworkManager.
    static func byNetworkManager(_ access: WiFiAccess, on device: String) -> HotspotCommands {
        let line = { (words: [String]) in (["nmcli"] + words).map(shellWord).joined(separator: " ") }
        let edits = NetworkManager.edits(access).map(shellWord).joined(separator: " ")
        // The editor may not have done what it was told, and end well (``NetworkManager``).
        let editing = "printf '%s\\n' \(edits) | \(line(NetworkManager.editing))"
        let isKept = "\(line(NetworkManager.showingPassword)) | grep -q ."
        return HotspotCommands(
            open: """
                \(line(NetworkManager.adding(access, on: device)))
                for again in 1 2 3; do \(editing); \(isKept) && break; sleep 1; done
                \(line(NetworkManager.beginning))
                """,
            undo: line(NetworkManager.ending))
    }

    /// Without it, as root. No address is translated: who is in this network reaches this machine, and nothing else.
    static func byHand(_ access: WiFiAccess, on device: String) -> HotspotCommands {
        let (folder, device) = ("/run/roomful-hotspot", shellWord(device))
        return HotspotCommands(
            open: """
                # As root. Once:  apt install iw hostapd dnsmasq-base
                # Can the device do it? "* AP" stands in:  iw list | grep -A 12 "Supported interface modes"
                # Whatever else uses the device lets go of it first:  systemctl stop wpa_supplicant@\(device) iwd
                rfkill unblock wifi
                mkdir -m 700 \(folder)
                cat > \(folder)/hostapd.conf <<'END'
                interface=\(device)
                driver=nl80211
                ssid=\(access.ssid)
                utf8_ssid=1
                hw_mode=g
                channel=6
                wpa=2
                wpa_key_mgmt=WPA-PSK
                rsn_pairwise=CCMP
                wpa_passphrase=\(access.password)
                END
                cat > \(folder)/dnsmasq.conf <<'END'
                interface=\(device)
                except-interface=lo
                bind-interfaces
                dhcp-range=10.42.0.10,10.42.0.254,1h
                dhcp-leasefile=\(folder)/leases
                pid-file=\(folder)/dnsmasq.pid
                END
                ip address flush dev \(device)
                ip address add 10.42.0.1/24 dev \(device)
                ip link set \(device) up
                hostapd -B -P \(folder)/hostapd.pid \(folder)/hostapd.conf
                dnsmasq --conf-file=\(folder)/dnsmasq.conf
                """,
            undo: """
                kill $(cat \(folder)/hostapd.pid \(folder)/dnsmasq.pid)
                ip address flush dev \(device)
                ip link set \(device) down
                rm -r \(folder)
                """)
    }

    /// A Wi-Fi device of this machine, as the kernel names it; `nil` where it has none.
    static var deviceOfKernel: String? {
        let all = "/sys/class/net"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: all)) ?? []
        return names.sorted().first { FileManager.default.fileExists(atPath: "\(all)/\($0)/phy80211") }
    }
}
