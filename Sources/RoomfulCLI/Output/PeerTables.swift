import Roomful

/// Peers as tables.
enum PeerTables {
    /// The table of `roomful peers`; on a terminal, what fits its width.
    static func overview(_ peers: [PeerStatus]) -> String {
        guard !peers.isEmpty else { return "nobody is here" }
        guard let columns = Terminal.size?.columns else { return table(peers).text }
        return overview(peers, within: columns).joined(separator: "\n")
    }

    /// Below a table, why nobody new gets in; empty where somebody does. A lock outlives its host: whoever looks the next day
    /// did not set it.
    static func door(_ room: RoomStatus?) -> String {
        guard let room, room.isLocked else { return "" }
        let name = TerminalText.isolated(room.name)
        if room.isSilent == true {
            return "\n\n\"\(name)\" is \(silence): another host may own it meanwhile, and nobody is let in here"
        }
        return "\n\n\"\(name)\" is locked, by its operator or its hours, and nobody new gets in: roomful unlock"
    }

    /// Below that, whether what they do is kept.
    static func recording(_ room: RoomStatus?) -> String {
        room?.isRecorded == true ? "\n\nthe room is recorded, and its players are told so: roomful record status" : ""
    }

    /// Below that, whether the machine itself makes everybody late.
    static func standstill(_ room: RoomStatus?) -> String {
        room?.standstill.map { "\n\n\($0.words): what was late meanwhile is no player's fault" } ?? ""
    }

    /// Below that, whether nobody can be heard by the machine itself.
    static func network(_ room: RoomStatus?) -> String { room?.network.map { "\n\n\($0.words)" } ?? "" }

    /// How a room is of which nothing is known for now.
    static let silence = "silent until its site's broker answers"

    /// The heading and a row for each; first go the figures that say least to whoever stands in the room.
    static func overview(_ peers: [PeerStatus], within columns: Int) -> [String] {
        table(peers).lines(within: columns, leavingOut: [8, 9, 13, 7, 6, 14, 11, 5, 10, 15, 12, 2])
    }

    private static func table(_ peers: [PeerStatus]) -> Table {
        var table = Table([
            "PLAYER", "NAME", ">SEAT", "STATE", "LINK", "ADDRESS", ">ARRIVED", ">MISSING", ">DUP", ">REORD", ">SAMPLES",
            ">MISSING", ">LATE", ">JITTER", ">RTT", "CLOCK", ">HEARD",
        ])
        for peer in peers {
            table.add([
                "P\(peer.player)", peer.name, "\(peer.seat)", peer.state, peer.link, peer.address ?? "-",
                "\(peer.datagrams.authenticated)", Figures.count(peer.datagrams.missing),
                "\(peer.datagrams.duplicate)", "\(peer.datagrams.reordered)", "\(peer.samples.delivered)",
                Figures.count(peer.samples.missing),
                "\(peer.samples.late)", Figures.milliseconds(peer.jitterMs), Figures.milliseconds(peer.roundTripMs),
                Figures.clock(peer.clock), Figures.ago(peer.lastHeardMs),
            ])
        }
        return table
    }

    /// The closing table: what was sent and what became of it, and who confirms it.
    ///
    /// - Parameter columns: of the terminal; `nil` where there is none, and all figures are wanted.
    static func closing(
        _ peers: [PeerStatus], of room: RoomStatus?, within columns: Int? = Terminal.size?.columns
    ) -> String {
        let verdict = Accounts(peers: peers, room: room).verdict
        let table = peers.isEmpty ? nil : closingTable(peers)
        guard let columns else { return (table?.text ?? "nobody was here") + "\n" + verdict }
        // First go the figures that say how good the network was, last those that the books are made of.
        let rows = table?.lines(within: columns, leavingOut: [12, 13, 7, 6, 4, 14, 3, 8, 10]) ?? ["nobody was here"]
        let words = verdict.split(separator: "\n").flatMap {
            TerminalText.wrapped(String($0), to: columns, indent: "  ")
        }
        return (rows + words).joined(separator: "\n")
    }

    private static func closingTable(_ peers: [PeerStatus]) -> Table {
        var table = Table([
            "PLAYER", "NAME", ">SENT", ">ARRIVED", ">UNIQUE", ">MISSING", ">DUPLICATE", ">REORDERED", ">SAMPLES",
            ">DELIVERED", ">LATE", ">LOST", ">JITTER", ">DELAY P50", ">P95",
        ])
        for peer in peers {
            let (datagrams, samples) = (peer.datagrams, peer.samples)
            // Who said how much it sent knows of what nobody heard; else there is only what arrivals tell.
            let word = peer.witness.flatMap { $0.agreement == "confirmed" ? $0 : nil }
            let sent = word?.datagrams ?? sum(datagrams.expected, datagrams.tailMissing)
            let made = word?.samples ?? samples.expected
            table.add([
                "P\(peer.player)", peer.name, Figures.count(sent), "\(datagrams.authenticated)", "\(datagrams.unique)",
                Figures.count(sent.map { $0 - datagrams.unique }), "\(datagrams.duplicate)", "\(datagrams.reordered)",
                Figures.count(made), "\(samples.delivered)", "\(samples.late)",
                Figures.count(made.map { $0 - samples.delivered - samples.late }), Figures.milliseconds(peer.jitterMs),
                Figures.milliseconds(peer.delay?.p50Ms), Figures.milliseconds(peer.delay?.p95Ms),
            ])
        }
        return table
    }

    /// Unknown when either is.
    private static func sum(_ a: Int?, _ b: Int?) -> Int? { a.flatMap { a in b.map { a + $0 } } }
}
