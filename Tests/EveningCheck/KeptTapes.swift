import FlightRecorder
import Foundation
import RoomEngine
import RoomSimulation

/// Tapes in a file, with a digest of what the room told: so that another build, or another machine, can play them.
///
/// It is an MCAP file, plain, with one opening for each life of the host. No `roomful replay` plays it: a simulated
/// evening has a cipher of its own.
enum KeptTapes {
    static func write(_ tapes: [EveningTape], to path: String) throws {
        try Data().write(to: URL(filePath: path))
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        var writer = MCAPWriter()
        try file.write(contentsOf: writer.opening(library: "EveningCheck"))
        for tape in tapes {
            writer.add(tape.opening.bytes, to: .opening, logTime: 0)
            for block in tape.blocks {
                writer.add(block, to: .inputs, logTime: 0)
                if writer.chunkSize >= MCAPWriter.fullChunk, let chunk = writer.chunk() {
                    try file.write(contentsOf: chunk)
                }
            }
            writer.add(Array(EventDigest(tape.events).text.utf8), to: .notes, logTime: 0)
        }
        if let chunk = writer.chunk() { try file.write(contentsOf: chunk) }
        try file.write(contentsOf: writer.closing())
        try file.close()
    }

    /// Plays them, and says whether each life came to what was told; prints what it counts.
    static func play(_ path: String) throws -> Bool {
        var reader = try MCAPReader(FileBytes(path))
        var (replay, digest): (Replay?, EventDigest) = (nil, EventDigest())
        let began = ContinuousClock.now
        var (isSame, lives, motions) = (true, 0, UInt64(0))
        while let messages = reader.nextChunk() {
            for message in messages {
                switch message.channel {
                case RecordingChannel.opening.id:
                    replay = Replay(try Opening(reading: Array(message.data)))
                    digest = EventDigest()
                    lives += 1
                case RecordingChannel.inputs.id:
                    var block = try TapeBlock(message.data)
                    while let (entry, at) = try block.next() {
                        replay?.play(entry, at: at, cipher: ToyCipher())
                        for event in replay?.outputs.compactMap(\.toldEvent) ?? [] { digest.take(event) }
                    }
                default:
                    let isMotionSame = replay?.motionDifference == nil
                    let told = String(decoding: message.data, as: UTF8.self)
                    motions += replay?.motions ?? 0
                    print("life \(lives): \(digest.text)\(isMotionSame ? "" : "; its motion DIFFERS")")
                    if digest.text != told { print("  it was told as \(told)") }
                    isSame = isSame && isMotionSame && digest.text == told && replay?.isExact == true
                }
            }
        }
        let took = Int(((ContinuousClock.now - began) / .seconds(1)).rounded())
        print("\(motions) motions; \(isSame && lives > 0 ? "the same" : "NOT the same"), in \(took) s")
        return isSame && lives > 0 && reader.isFinished && reader.damage.isEmpty
    }
}

/// Every bit of every event, in order.
struct EventDigest {
    private var count = 0
    private var value: UInt64 = 0xCBF2_9CE4_8422_2325

    init(_ events: [RoomEvent] = []) { for event in events { take(event) } }

    /// FNV-1a over its description, in which every number is whole.
    mutating func take(_ event: RoomEvent) {
        count += 1
        for byte in "\(event)".utf8 { value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    }

    var text: String { "\(count) events, digest \(String(value, radix: 16))" }
}

/// A file that is read where it is asked for.
private final class FileBytes: ByteSource {
    private let data: Data

    init(_ path: String) throws { data = try Data(contentsOf: URL(filePath: path), options: .alwaysMapped) }

    var size: UInt64 { UInt64(data.count) }
    func read(at offset: UInt64, count: Int) -> [UInt8]? {
        guard count >= 0, offset <= size, size - offset >= UInt64(count) else { return nil }
        return Array(data[Int(offset)..<Int(offset) + count])
    }
}
