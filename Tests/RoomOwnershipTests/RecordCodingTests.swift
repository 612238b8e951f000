import LinkEmulation
import RoomOwnership
import Testing

@Suite("Records of a room's log")
struct RecordCodingTests {
    private let owner = OwnerID(host: 0x1122_3344_5566_7788, life: 0x99AA_BBCC_DDEE_FF00)

    private func record(_ body: SiteLogRecord.Body, lastEvent: UInt64 = 70) -> SiteLogRecord {
        SiteLogRecord(
            epoch: 3, owner: owner, policy: .yield, lastEvent: lastEvent, chain: LogChain(digest: 0xABCD), body: body)
    }

    private var samples: [SiteLogRecord] {
        let items = [SiteItem.event([1, 2, 3]), SiteItem(kind: 7, sealed: []), .event([])]
        return [
            record(.claim(.silence)), record(.beat), record(.batch(CommitBatch(dropped: 9, items: items))),
            record(.handover(to: 5)), record(.released), record(.skipped(kind: 0x80)),
        ]
    }

    @Test("A record is read as it was written")
    func roundTrip() throws {
        for sample in samples { #expect(try SiteLogRecord(decoding: sample.encoded) == sample) }
    }

    @Test("The bytes are those that SITE.md says")
    func bytes() {
        let header: [UInt8] = [
            1, 3, 1, 44, 0, 0, 0, 0, 0, 0, 0, 3, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xAA, 0xBB, 0xCC,
            0xDD, 0xEE, 0xFF, 0x00, 0, 0, 0, 0, 0, 0, 0, 70, 0, 0, 0, 0, 0, 0, 0xAB, 0xCD,
        ]
        let body: [UInt8] = [0, 0, 0, 9, 0, 2, 0, 0, 0, 0, 1, 0xFF, 7, 0, 0, 0, 0]
        let batch = CommitBatch(dropped: 9, items: [.event([0xFF]), SiteItem(kind: 7, sealed: [])])
        #expect(record(.batch(batch)).encoded == header + body)
    }

    @Test("Events are numbered by the last one's number")
    func eventNumbers() {
        let batch = CommitBatch(items: [.event([]), SiteItem(kind: 1, sealed: []), .event([])])
        #expect(record(.batch(batch), lastEvent: 70).events == 69..<71)
        #expect(record(.beat).events.isEmpty)
    }

    @Test("Every reason why bytes are no record has its name")
    func errors() {
        func error(_ bytes: [UInt8]) -> SiteLogRecordError? {
            do throws(SiteLogRecordError) {
                _ = try SiteLogRecord(decoding: bytes)
                return nil
            } catch { return error }
        }
        func changed(_ place: Int, _ value: UInt8, of body: SiteLogRecord.Body = .beat) -> [UInt8] {
            var bytes = record(body).encoded
            bytes[place] = value
            return bytes
        }
        #expect(error([]) == .truncated)
        #expect(error(changed(0, 2)) == .unknownMajor(2))
        #expect(error(changed(1, 0x7F)) == .unknownKind(0x7F))
        #expect(error(changed(3, 43)) == .headerLength(43))
        #expect(error(changed(3, 45)) == .headerLength(45))
        #expect(error(changed(11, 0)) == .epoch(0))
        #expect(error(changed(4, 0x40)) == .epoch(1 << 62 | 3))
        #expect(error(changed(28, 0x40)) == .eventNumber)
        #expect(error(changed(44, 99, of: .claim(.opening))) == .unknownCause(99))
        #expect(error(record(.beat).encoded + [0]) == .trailingBytes(1))
        #expect(error([UInt8](repeating: 1, count: SiteLogRecord.maximumSize + 1)) == .tooLong(262_145))
        let one = CommitBatch(items: [.event([])])
        #expect(error(record(.batch(one), lastEvent: 0).encoded) == .eventNumber)
        #expect(error(changed(48, 5, of: .batch(one))) == .tooManyItems(0x501))
        #expect(error(changed(51, 1, of: .batch(one))) == .itemTooLong(1 << 24))
        #expect(error(changed(53, 1, of: .batch(one))) == .truncated)
    }

    @Test("A longer header and kinds above 127 are for later versions: who does not know them skips them")
    func later() throws {
        var longer = record(.beat).encoded
        longer[3] = 46
        #expect(try SiteLogRecord(decoding: longer + [1, 2]) == record(.beat))
        #expect(try SiteLogRecord(decoding: record(.skipped(kind: 200)).encoded + [1]).body == .skipped(kind: 200))
    }

    @Test("Whatever bytes a log holds, reading them never traps, and what is read is bounded by them")
    func hostileBytes() {
        for seed: UInt64 in 1...2_000 {
            var random = SeededGenerator(seed: seed)
            var bytes = samples[Int(random.next() % UInt64(samples.count))].encoded
            switch random.next() % 3 {
            case 0: bytes = (0..<random.next() % 120).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            case 1: bytes = Array(bytes.prefix(Int(random.next() % UInt64(bytes.count + 1))))
            default:
                for _ in 0...random.next() % 4 {
                    bytes[Int(random.next() % UInt64(bytes.count))] ^= 1 << UInt8(random.next() % 8)
                }
            }
            guard let record = try? SiteLogRecord(decoding: bytes) else { continue }
            #expect(record.encoded.count <= bytes.count, "seed \(seed)")
            #expect(record.events.count <= bytes.count, "seed \(seed)")
        }
    }

    @Test("Two hosts that claim the same place have two ids")
    func deduplication() {
        let ids = [1, 2].map { DeduplicationID(epoch: 2, sequence: 9, owner: OwnerID(host: $0, life: 255)).description }
        #expect(ids == ["2.9.1.ff", "2.9.2.ff"])
    }
}
