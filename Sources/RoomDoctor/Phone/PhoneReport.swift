import WireProtocol

/// What waiting for a phone has shown, in words.
package struct PhoneReport: Hashable, Sendable, Codable {
    /// Whether another device reached this machine by TCP and by UDP.
    package var ok: Bool
    /// What the QR code held.
    package var url: String
    package var port: UInt16
    package var waitedMs: Int
    /// Addresses of devices that connected.
    package var tcp: [String]
    /// Addresses that datagrams came from.
    package var udp: [String]
    package var found: String
    /// What to do, the likeliest first; empty where there is nothing to do.
    package var advice: [String]

    package init(_ trial: PhoneTrial, url: String, port: UInt16, waited: Duration, firewall: Firewall) {
        self.url = url
        self.port = port
        waitedMs = Int(waited / .milliseconds(1))
        tcp = trial.byTCP.map(\.host)
        udp = trial.byUDP.map(\.host)
        ok = trial.byBoth != nil
        let seconds = max(1, (waitedMs + 500) / 1_000)
        switch (trial.byBoth, trial.byTCP.first, trial.byUDP.first) {
        case (let device?, _, _):
            found = "\(device.host) reached this machine by TCP and by UDP: phones and other controllers can play here."
            advice = []
        case (nil, let device?, nil):
            found =
                "\(device.host) reached this machine by TCP, and not by UDP. Phones play all the same, as a browser "
                + "needs TCP alone. Native controllers (roomful join) and KeepCalm's frames need UDP."
            advice = [
                "Let UDP in: \(firewall.open(port)). A room has a port of its own: give it one with --port.",
                "Without a firewall on this machine it is the access point that drops UDP: use one of your own.",
            ]
        case (nil, nil, let device?):
            found = "\(device.host) reached this machine by UDP, and nobody by TCP, which everybody needs to join."
            advice = ["Let TCP in: \(firewall.open(port)). A room has a port of its own: give it one with --port."]
        case (nil, let first?, let second?):
            found =
                "\(first.host) came by TCP, \(second.host) by UDP, and no device by both: a router between them and "
                + "this machine may show other addresses."
            advice = ["Try with one phone, in the same network as this machine."]
        case (nil, nil, nil):
            found =
                "No other device reached this machine within \(seconds) s. If a phone tried, then the network keeps "
                + "its devices apart (client isolation, as guest and school networks do), or a firewall is in the way."
            advice = Self.silence(port: port, firewall: firewall)
        }
    }

    private static func silence(port: UInt16, firewall: Firewall) -> [String] {
        [
            "Is the phone in this network, and not on mobile data? \"Private relay\" and VPNs on it must be off.",
            "Use an access point or router of your own, or a phone's hotspot, for the host and all controllers; or "
                + "switch off \"guest network\" or \"AP isolation\" in the router.",
            "Let the port in, where a firewall runs on this machine: \(firewall.open(port)). Try a room's own port with: "
                + "roomful doctor --phone --port 7777",
            "Where none of that can be changed: a tunnel or proxy that phones reach over the Internet, roomful host "
                + "--url https://NAME (README, \"The phone's warning\").",
        ]
    }
}
