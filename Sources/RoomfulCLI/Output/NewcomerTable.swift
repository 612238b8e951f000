import Roomful

/// Those who want a seat and have none, for a terminal.
enum NewcomerTable {
    /// As much of the id as it takes to tell it from the others', at least 8 digits.
    static func shortID(_ one: RoomStatus.Newcomer, among all: [RoomStatus.Newcomer]) -> String {
        shortID(one.controller, among: all.map(\.controller))
    }

    static func shortID(_ id: String, among all: [String]) -> String {
        let others = all.filter { $0 != id }
        let length = (8...32).first { length in !others.contains { $0.hasPrefix(id.prefix(length)) } }
        return String(id.prefix(length ?? 32))
    }

    static func text(_ newcomers: [RoomStatus.Newcomer]) -> String {
        guard !newcomers.isEmpty else { return "nobody waits" }
        var table = Table(["ID", "NAME", "FOR", ">SINCE", "FROM"])
        for one in newcomers { table.add(row(one, shortID(one, among: newcomers))) }
        // Never the name: it is a stranger's, and this line is there to be pasted.
        let first = newcomers[0]
        let deed = first.place == nil ? "let the first in" : "call the first in"
        return table.text + "\n\(deed):  roomful accept \(shortID(first, among: newcomers))"
    }

    /// The same in one line each, below a table of peers; empty when nobody waits.
    static func note(_ newcomers: [RoomStatus.Newcomer]) -> String {
        newcomers.isEmpty ? "" : "\n\nwaiting:\n" + text(newcomers)
    }

    private static func row(_ one: RoomStatus.Newcomer, _ id: String) -> [String] {
        let wish = one.place.map { "a seat, place \($0)" } ?? "your yes"
        return [
            id, one.name, one.isPresent ? wish : wish + ", not connected",
            Figures.ago(one.waitingMs), one.address ?? "-",
        ]
    }
}
