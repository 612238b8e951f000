import Foundation
import PrivateFiles
import WireProtocol

/// A relay's journal of fates: written as it works, so that a long run costs it no memory.
///
/// It begins with the time of its beginning: nanoseconds on the machine's monotonic clock, 8 bytes, little-endian.
struct FateJournal: ~Copyable {
    private let file: FileHandle
    private var bytes: [UInt8] = []
    private let begin: Int64
    private static let portion = 64 << 10

    /// Makes the file, for its owner only, in place of one that was there.
    init(path: String, begin: Int64) throws(StorageError) {
        try PrivateFile.write("", to: path)
        guard let file = FileHandle(forWritingAtPath: path) else {
            throw StorageError(.unwritable, path: path, "cannot write \(path)")
        }
        self.file = file
        self.begin = begin
        for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: begin >> shift)) }
    }

    mutating func note(_ label: RelayedDatagram.Label, _ fate: FateRecord.Fate, at now: Int64) {
        let record = FateRecord(
            connection: label.connection.rawValue, number: label.number, fate: fate, time: now - begin)
        record.write(to: &bytes)
        if bytes.count >= Self.portion { flush() }
    }

    /// Writes what has gathered. A full disk shows at the end: the fates are fewer than the report says.
    mutating func flush() {
        try? file.write(contentsOf: Data(bytes))
        bytes.removeAll(keepingCapacity: true)
    }
}

/// What became of one link epoch's datagrams, as a relay's journal tells.
struct Fates: Hashable, Sendable {
    struct Delivery: Hashable, Sendable {
        var number: UInt32
        /// When it was passed on, in nanoseconds on the machine's monotonic clock.
        var at: Int64
    }

    /// Numbers in the order in which they came from the controller.
    var taken: [UInt32] = []
    var lost = 0
    var doubled = 0
    /// The whole copies that were passed on, in their order.
    var delivered: [Delivery] = []
    var corrupted = 0

    /// Reads a journal; by connection id.
    static func read(path: String) throws -> [UInt32: Fates] {
        let data = try Data(contentsOf: URL(fileURLWithPath: path), options: .mappedIfSafe)
        var fates: [UInt32: Fates] = [:]
        data.withUnsafeBytes { bytes in
            guard bytes.count >= 8 else { return }
            let begin = Int64(littleEndian: bytes.loadUnaligned(as: Int64.self))
            for start in stride(from: 8, through: bytes.count - FateRecord.size, by: FateRecord.size) {
                let part = UnsafeRawBufferPointer(rebasing: bytes[start..<start + FateRecord.size])
                guard let record = FateRecord(reading: part) else { continue }
                fates[record.connection, default: Fates()].note(record, begin: begin)
            }
        }
        return fates
    }

    private mutating func note(_ record: FateRecord, begin: Int64) {
        switch record.fate {
        case .carried: taken.append(record.number)
        case .lost:
            taken.append(record.number)
            lost += 1
        case .doubled:
            taken.append(record.number)
            doubled += 1
        case .delivered: delivered.append(Delivery(number: record.number, at: begin + record.time))
        case .corrupted: corrupted += 1
        }
    }
}
