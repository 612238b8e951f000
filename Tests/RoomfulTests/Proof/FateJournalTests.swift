import Foundation
import Testing
import WireProtocol

@testable import RoomfulCLI

@Suite("A relay's journal of fates")
struct FateJournalTests {
    @Test("A record is what was written", arguments: [0, 15_999, 16_000, 7_000_000_000_000] as [Int64])
    func record(_ time: Int64) {
        for fate: FateRecord.Fate in [.carried, .lost, .doubled, .delivered, .corrupted] {
            var bytes: [UInt8] = []
            let record = FateRecord(connection: 0xDEAD_BEEF, number: .max, fate: fate, time: time)
            record.write(to: &bytes)
            #expect(bytes.count == FateRecord.size)
            var expected = record
            expected.time = time / FateRecord.unit * FateRecord.unit
            #expect(bytes.withUnsafeBytes { FateRecord(reading: $0) } == expected)
        }
    }

    @Test("Each link epoch's fates come back in their order, and a record that was cut off is left out")
    func journal() throws {
        let path = NSTemporaryDirectory() + "roomful-fates-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: path) }
        var journal = try FateJournal(path: path, begin: 1_000)
        func label(_ connection: UInt32, _ number: UInt32) -> RelayedDatagram.Label {
            RelayedDatagram.Label(connection: ConnectionID(rawValue: connection), number: number)
        }
        journal.note(label(1, 0), .carried, at: 1_000)
        journal.note(label(2, 0), .lost, at: 1_000)
        journal.note(label(1, 1), .doubled, at: 1_000)
        journal.note(label(1, 1), .delivered, at: 17_000)
        journal.note(label(1, 0), .delivered, at: 33_000)
        journal.note(label(1, 1), .corrupted, at: 33_000)
        journal.flush()
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        try file.seekToEnd()
        try file.write(contentsOf: Data([1, 2, 3]))
        let fates = try Fates.read(path: path)
        let first = Fates(
            taken: [0, 1], lost: 0, doubled: 1,
            delivered: [Fates.Delivery(number: 1, at: 17_000), Fates.Delivery(number: 0, at: 33_000)], corrupted: 1)
        #expect(fates == [1: first, 2: Fates(taken: [0], lost: 1)])
    }
}
