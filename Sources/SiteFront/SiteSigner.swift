import Foundation
import RoomRecords
import SiteRecords

/// Whose records these are: what a room writes on everything that it tells its site.
struct SiteSigner: Sendable {
    let site: SiteName
    let room: String
    let name: String
    let host: String
    let opened: String
    /// Which owner of the room it is; `nil` for a room that ends with its host.
    let epoch: UInt64?
    /// When this owner opened it: its events' times count from there. `nil` where that is ``opened``.
    let openedHere: String?

    init(_ site: SiteName, _ status: RoomStatus, openedOn: Date, _ tenure: (any RoomTenure)?) {
        self.site = site
        epoch = tenure?.epoch
        (room, name) = (status.room, status.name)
        host = MachineName.own
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        opened = tenure?.opened ?? openedOn.formatted(style)
        openedHere = tenure == nil ? nil : openedOn.formatted(style)
    }

    /// An event as it is published; `nil` for one that JSON cannot hold.
    func event(_ record: EventRecord, number: Int) -> [UInt8]? {
        encoded(
            SiteEvent(
                room: room, name: name, host: host, opened: opened, epoch: epoch, openedHere: openedHere, n: number,
                event: record))
    }

    func gap(_ numbers: ClosedRange<Int>) -> [UInt8]? {
        let gap = SiteEvent.Gap(first: numbers.lowerBound, last: numbers.upperBound)
        return encoded(
            SiteEvent(
                room: room, name: name, host: host, opened: opened, epoch: epoch, openedHere: openedHere, n: gap.last,
                gap: gap))
    }

    /// What makes a record that is sent again harmless.
    func id(_ record: EventSpool.Record) -> String {
        switch record {
        case .event(let number, _): "\(opening).\(number)"
        case .gap(let numbers): "\(opening).\(numbers.lowerBound)-\(numbers.upperBound)"
        }
    }

    private var opening: String { epoch.map { "\(room).\(opened).\($0)" } ?? "\(room).\(opened)" }

    /// The epoch that a record of the stream names; 0 for one without.
    func epoch(of payload: [UInt8]) -> UInt64 {
        struct Head: Decodable { var epoch: UInt64? }
        return (try? JSONDecoder().decode(Head.self, from: Data(payload)))?.epoch ?? 0
    }

    /// The number of a record of the stream, if it is of this opening of this room.
    func number(of payload: [UInt8]) -> Int? {
        struct Head: Decodable {
            var room: String
            var opened: String
            var n: Int
        }
        guard let head = try? JSONDecoder().decode(Head.self, from: Data(payload)) else { return nil }
        return head.room == room && head.opened == opened ? head.n : nil
    }

    private func encoded(_ value: some Encodable) -> [UInt8]? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(value)).map { Array($0) }
    }
}
