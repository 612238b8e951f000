import RoomOwnership
import RoomRecords
import SessionCoordinator
import Testing
import WireProtocol

@testable import SiteSuccession

/// Hosts that own a room in turn and end wherever they are: what lies in the folder of whoever opens it is the room.
@Suite("Evenings of hosts that end at any moment")
struct SuccessionTests {
    /// As far as a host comes with a room that it has claimed.
    private enum Step: Int, CaseIterable {
        case claimed
        case adopted
        case toldHalf
        case told
    }

    private struct Evening {
        let key = SiteKey.random()
        let room = "efaeb54b68b4ea52b54b10b8084b5d35"
        var log: [LogEntry] = []
        /// What lies in each host's folder: a room of its own before it takes over another's.
        var folders: [RoomHeritage] = (1...3).map { number in
            var own = RoomHeritage()
            own.apply(.file("authority.pem", "keys that host \(number) made"))
            return own
        }
        var epoch: UInt64 = 0
        var seats = 0

        mutating func write(_ body: SiteLogRecord.Body, by owner: OwnerID) {
            let record = SiteLogRecord(
                epoch: epoch, owner: owner, policy: .yield, lastEvent: 0, chain: nil, body: body)
            log.append(LogEntry(sequence: UInt64(log.count) + 1, bytes: record.encoded))
        }

        func batch(_ items: [HeritageItem]) -> SiteLogRecord.Body {
            .batch(CommitBatch(items: items.compactMap { HeritageCopy.sealed($0, key, room: room) }))
        }

        /// A host claims the room, and comes as far as this before it ends.
        ///
        /// - Returns: what it opened; `nil` where it ended before.
        mutating func own(_ host: Int, until step: Step) -> RoomHeritage? {
            epoch += 1
            let me = OwnerID(host: UInt64(host) + 1, life: epoch)
            write(.claim(epoch == 1 ? .opening : .silence), by: me)
            var copy = HeritageCopy(key, room: room)
            for entry in log { copy.learn(entry) }
            if step == .claimed { return nil }
            if !copy.isNewest(at: me.host) { folders[host] = copy.heritage }
            if step == .adopted { return nil }
            let opened = folders[host]
            let items: [HeritageItem] = [.begin] + opened.items + [.end]
            write(batch(step == .toldHalf ? Array(items.prefix(items.count / 2)) : items), by: me)
            if step == .told { seat(host, me) }
            return opened
        }

        private mutating func seat(_ host: Int, _ me: OwnerID) {
            seats += 1
            let lease = Lease(
                controller: ControllerID(high: 7, low: UInt64(seats)), seat: seats, player: seats, name: "Blue",
                color: 0x1F77B4, secretHash: [UInt8](repeating: 3, count: 32))
            let item = HeritageItem.lease(HeldLease(lease))
            folders[host].apply(item)
            write(batch([item]), by: me)
        }
    }

    @Test("The room stays the same one, and nobody loses a seat, whoever ends where", arguments: 0..<100)
    func evening(_ seed: UInt64) {
        var (evening, lots) = (Evening(), SplitMix64(seed: seed))
        // Nobody stands by for a room that was never told.
        _ = evening.own(0, until: .told)
        var opened = 0
        for _ in 0..<24 {
            let host = Int.random(in: 0..<3, using: &lots)
            let step = Step.allCases.randomElement(using: &lots) ?? .told
            let seats = evening.seats
            guard let room = evening.own(host, until: step) else { continue }
            opened += 1
            #expect(room.files["authority.pem"] == "keys that host 1 made", "host \(host) opened another room")
            #expect(room.leases.count == seats, "host \(host) opened it with less")
        }
        #expect(opened > 0, "nobody came so far as to open it")
    }
}
