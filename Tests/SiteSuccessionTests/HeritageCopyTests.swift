import Foundation
import InputMerge
import RoomEngine
import RoomOwnership
import RoomRecords
import SessionCoordinator
import Testing
import WireProtocol

@testable import SiteSuccession

@Suite("What a standby knows of a room")
struct HeritageCopyTests {
    private let key = SiteKey.random()
    private let room = "efaeb54b68b4ea52b54b10b8084b5d35"
    private let owner = OwnerID(host: 1, life: 11)
    private let controller = ControllerID(high: 7, low: 9)

    private var lease: Lease {
        Lease(
            controller: controller, seat: 2, player: 2, name: "Blue", color: 0x1F77B4,
            secretHash: [UInt8](repeating: 3, count: 32))
    }

    private func record(
        _ body: SiteLogRecord.Body, epoch: UInt64 = 1, by owner: OwnerID? = nil
    ) -> SiteLogRecord {
        SiteLogRecord(epoch: epoch, owner: owner ?? self.owner, policy: .yield, lastEvent: 0, chain: nil, body: body)
    }

    private func batch(_ items: [HeritageItem], key: SiteKey? = nil) -> SiteLogRecord.Body {
        .batch(CommitBatch(items: items.compactMap { HeritageCopy.sealed($0, key ?? self.key, room: room) }))
    }

    private func copy(of records: [SiteLogRecord]) -> HeritageCopy {
        var copy = HeritageCopy(key, room: room)
        for (place, record) in records.enumerated() {
            copy.learn(LogEntry(sequence: UInt64(place) + 1, bytes: record.encoded))
        }
        return copy
    }

    private var whole: [HeritageItem] {
        [
            .begin, .file("code", "7KQM-2X9D"), .lease(HeldLease(lease)),
            .talents(controller.description, PlayerTalents(sensitivity: 1.5)), .opened("2026-11-22T20:42:03.291Z"),
            .numbers(1_024), .end,
        ]
    }

    @Test("It is whole once everything was told from beginning to end, and changes are in it at once")
    func whole_copy() {
        #expect(!copy(of: [record(.claim(.opening)), record(batch(Array(whole.dropLast())))]).isWhole)
        let told = copy(of: [record(.claim(.opening)), record(batch(whole)), record(batch([.numbers(2_048)]))])
        #expect(told.isWhole)
        #expect(told.heritage.leases[controller] == lease)
        #expect(told.heritage.talents[controller]?.sensitivity == 1.5)
        #expect(told.heritage.files == ["code": "7KQM-2X9D"])
        #expect(told.heritage.opened == "2026-11-22T20:42:03.291Z")
        #expect(told.heritage.numbersUpTo == 2_048)
    }

    @Test("What its items say of it is the same again")
    func again() {
        let told = copy(of: [record(.claim(.opening)), record(batch(whole))]).heritage
        let again = copy(of: [record(.claim(.opening)), record(batch([.begin] + told.items + [.end]))]).heritage
        #expect(again == told)
    }

    @Test("Whom the operator keeps out goes along with the room")
    func bans() {
        let banned = HeritageItem.file("banned", "\(controller)\n")
        let told = copy(of: [record(.claim(.opening)), record(batch([.begin, banned, .end]))])
        #expect(told.heritage.files["banned"] == "\(controller)\n")
    }

    @Test("A seat that was given back is gone with what its controller taught")
    func freed() {
        let told = copy(of: [
            record(.claim(.opening)), record(batch(whole)), record(batch([.freed(controller.description)])),
        ])
        #expect(told.heritage.leases.isEmpty && told.heritage.talents.isEmpty)
    }

    @Test("A copy that its owner's end cut short leaves the last whole one as it was")
    func cutShort() {
        let told = copy(of: [
            record(.claim(.opening)), record(batch(whole)), record(batch([.begin, .file("code", "0000-0000")])),
            record(.claim(.silence), epoch: 2, by: OwnerID(host: 2, life: 22)),
            record(batch([.end]), epoch: 2, by: OwnerID(host: 2, life: 22)),
        ])
        #expect(told.isWhole && told.heritage.leases.count == 1)
        #expect(told.predecessor.owner == owner && !told.predecessor.wasClosed)
    }

    @Test("The machine that the copy names is that of who told it, whoever has claimed the room since")
    func machines() {
        let second = OwnerID(host: 2, life: 22)
        var records = [record(.claim(.opening)), record(batch(whole + [.machine("arcade-3")]))]
        records.append(record(.claim(.silence), epoch: 2, by: second))
        #expect(copy(of: records).machine(of: 1) == "arcade-3" && copy(of: records).machine(of: 2) == nil)
        records.append(record(batch([.begin, .machine("arcade-4"), .end]), epoch: 2, by: second))
        #expect(copy(of: records).machine(of: 2) == "arcade-4" && copy(of: records).machine(of: 1) == nil)
    }

    @Test("Who claimed the room and never had it open has yet to take it over, and its next run, too")
    func claimedAlone() {
        let (second, again) = (OwnerID(host: 2, life: 22), OwnerID(host: 2, life: 23))
        var records = [
            record(.claim(.opening)), record(batch(whole)), record(.claim(.silence), epoch: 2, by: second),
            record(.claim(.restart), epoch: 3, by: again),
        ]
        let claimed = copy(of: records)
        #expect(claimed.isWhole && claimed.predecessor.owner == second && !claimed.isNewest(at: 2))
        records.append(record(batch([.begin]), epoch: 3, by: again))
        records.append(record(.claim(.restart), epoch: 4, by: second))
        #expect(copy(of: records).isNewest(at: 2), "it had the room open")
        records.append(record(.claim(.silence), epoch: 5, by: OwnerID(host: 1, life: 12)))
        #expect(!copy(of: records).isNewest(at: 1), "what lies there is older")
    }

    @Test("A room that was closed is closed still where its next owner ended before it told anything")
    func closedStill() {
        var records = [
            record(.claim(.opening)), record(batch(whole)), record(.released), record(.claim(.opening), epoch: 2),
            record(.beat, epoch: 2), record(.claim(.restart), epoch: 3),
        ]
        #expect(copy(of: records).predecessor.wasClosed)
        records += [record(batch(whole), epoch: 3), record(.claim(.restart), epoch: 4)]
        #expect(!copy(of: records).predecessor.wasClosed)
    }

    @Test("A first owner that ended before it told anything goes on by its own folder")
    func endedAtOnce() {
        let records = [record(.claim(.opening)), record(.claim(.restart), epoch: 2, by: OwnerID(host: 1, life: 12))]
        #expect(copy(of: records).isNewest(at: 1) && copy(of: Array(records.dropLast())).isNewest(at: 1))
    }

    @Test("Nobody but the owner of its epoch is believed")
    func strangers() {
        let stranger = OwnerID(host: 5, life: 55)
        let told = copy(of: [
            record(.claim(.opening)), record(batch(whole)),
            record(batch([.freed(controller.description)]), by: stranger),
            record(batch([.freed(controller.description)]), epoch: 9, by: stranger),
            record(.claim(.silence), epoch: 1, by: stranger),
        ])
        #expect(told.heritage.leases.count == 1 && told.isWhole)
    }

    @Test("What nobody placed in the log changes nothing, whatever it says")
    func unplaced() {
        var told = copy(of: [record(.claim(.opening)), record(batch(whole))])
        let stranger = OwnerID(host: 5, life: 55)
        let bodies: [SiteLogRecord.Body] = [.claim(.operatorWord), batch([.freed(controller.description)])]
        for (place, body) in bodies.enumerated() {
            let bytes = record(body, epoch: 9, by: stranger).encoded
            told.learn(LogEntry(sequence: UInt64(place) + 3, bytes: bytes, isPlaced: false))
        }
        #expect(told.heritage.leases.count == 1 && told.teller == owner && told.predecessor.owner == nil)
    }

    /// As hosts tell it.
    private func marked(
        _ items: [HeritageItem], by owner: OwnerID, in epoch: UInt64 = 1, from first: UInt64
    ) -> SiteLogRecord.Body {
        let sealed = items.enumerated().compactMap { place, item in
            HeritageCopy.sealed(item, key, room: room, by: owner, in: epoch, number: first + UInt64(place))
        }
        return .batch(CommitBatch(items: sealed))
    }

    @Test("What was told in an earlier time, or once before, changes nothing when somebody tells it again")
    func toldAgain() {
        let (second, stranger) = (OwnerID(host: 2, life: 22), OwnerID(host: 5, life: 55))
        let (new, old) = (HeritageItem.file("code", "NEW2-NEW2"), HeritageItem.file("code", "7KQM-2X9D"))
        let first = marked(whole, by: owner, from: 1)
        let honest = [record(.claim(.opening)), record(first), record(marked([new], by: owner, from: 20))]
        let forged = [
            [record(first)], [record(marked([old], by: owner, from: 20))], [record(batch([old]))],
            [record(.claim(.operatorWord), epoch: 2, by: stranger), record(first, epoch: 2, by: stranger)],
        ]
        for records in forged {
            let told = copy(of: honest + records)
            #expect(told.heritage.files == ["code": "NEW2-NEW2"] && told.isWhole && told.problem == nil)
        }
        let next = copy(
            of: honest + [
                record(.claim(.silence), epoch: 2, by: second),
                record(marked([.begin, old, .end], by: second, in: 2, from: 1), epoch: 2, by: second),
            ])
        #expect(next.heritage.files == ["code": "7KQM-2X9D"] && next.isWhole, "its owner may say so")
    }

    @Test("Hosts of earlier versions read what is marked, and are read where they mark nothing")
    func earlierVersions() throws {
        let item = HeritageItem.file("code", "NEW2-NEW2")
        let sealed = try #require(HeritageCopy.sealed(item, key, room: room, by: owner, in: 1, number: 1)?.sealed)
        let bytes = try #require(key.open(sealed, room: room))
        #expect(try JSONDecoder().decode(HeritageItem.self, from: Data(bytes)) == item)
        let second = OwnerID(host: 2, life: 22)
        let told = copy(of: [
            record(.claim(.opening)), record(marked(whole, by: owner, from: 1)),
            record(.claim(.handover), epoch: 2, by: second),
            record(batch([.begin, item, .end]), epoch: 2, by: second),
        ])
        #expect(told.isWhole && told.heritage.files == ["code": "NEW2-NEW2"])
    }

    @Test("Another site's key opens nothing: the copy is not whole, and says why")
    func anotherKey() {
        let told = copy(of: [record(.claim(.opening)), record(batch(whole, key: .random()))])
        #expect(!told.isWhole && told.problem == .sealedOtherwise && told.heritage == RoomHeritage())
        let other = HeritageCopy.sealed(.end, key, room: "another")
        #expect(other.flatMap { key.open($0.sealed, room: room) } == nil, "sealed for another room")
    }

    @Test("A whole copy after what could not be opened mends it")
    func mended() {
        let told = copy(of: [
            record(.claim(.opening)), record(batch(whole, key: .random())), record(batch(whole)),
        ])
        #expect(told.isWhole && told.problem == nil)
    }

    @Test(
        "What no host writes changes nothing",
        arguments: [
            HeritageItem.file("../../.ssh/authorized_keys", "x"), .file("leases.sqlite", "x"),
            .file("code", String(repeating: "x", count: RoomHeritage.longestFile + 1)),
            .freed("nobody"), .numbers(-1), .numbers(.max), .numbers(.min), .opened("a\u{1B}[2J"),
            .opened(String(repeating: "9", count: 65)), .talents("nobody", PlayerTalents()),
            .talents(ControllerID(high: 1, low: 1).description, PlayerTalents(sensitivity: 2)),
        ])
    func senseless(_ item: HeritageItem) {
        let told = copy(of: [record(.claim(.opening)), record(batch(whole))]).heritage
        var after = told
        let isTaken = after.apply(item)
        #expect(!isTaken)
        #expect(after == told)
    }

    @Test(
        "A lease with impossible numbers is none",
        arguments: [
            #"{"controller":"00000000000000070000000000000009","seat":0,"player":1,"name":"a","color":1,"secret":[]}"#,
            #"{"controller":"x","seat":1,"player":1,"name":"a","color":1,"secret":[]}"#,
            #"{"controller":"00000000000000070000000000000009","seat":9223372036854775807,"player":1,"name":"a","color":1,"secret":[]}"#,
        ])
    func impossibleLease(_ json: String) throws {
        let held = try JSONDecoder().decode(HeldLease.self, from: Data(json.utf8))
        #expect(held.lease == nil)
    }

    @Test("Any bytes in any place of the log are read or passed over, and nothing traps")
    func anyBytes() {
        var generator = SystemRandomNumberGenerator()
        let good = [record(.claim(.opening)), record(batch(whole)), record(.handover(to: 3))].map(\.encoded)
        for round in 0..<2_000 {
            var copy = HeritageCopy(key, room: room)
            for (place, bytes) in good.enumerated() {
                var bytes = bytes
                for _ in 0..<(round % 4) {
                    bytes[Int.random(in: bytes.indices, using: &generator)] = generator.next()
                }
                if round % 7 == 0 { bytes.removeLast(Int.random(in: 0...bytes.count, using: &generator)) }
                copy.learn(LogEntry(sequence: UInt64(place) + 1, bytes: bytes))
            }
            if round % 4 == 0, round % 7 != 0 { #expect(copy.isWhole) }
        }
    }

    @Test("A copy of which records were missed is none, though its end comes; the next whole one is")
    func missedRecords() {
        let records = [
            record(.claim(.opening)), record(batch(Array(whole.prefix(2)))), record(batch(Array(whole.dropFirst(3)))),
            record(batch(whole)),
        ]
        for isMissed in [true, false] {
            var copy = HeritageCopy(key, room: room)
            for (place, record) in records.enumerated() {
                if place == 2, isMissed { copy.missed() }
                copy.learn(LogEntry(sequence: UInt64(place) + 1, bytes: record.encoded))
                if place == 2 { #expect(copy.isWhole == !isMissed) }
            }
            #expect(copy.isWhole && copy.heritage.leases[controller] == lease)
        }
    }
}
