import FlightRecorder
import Testing
import WireProtocol

@Suite("Recordings as files")
struct ContainerTests {
    /// 40 chunks of 25 messages each, and the messages.
    private static let whole: (file: [UInt8], messages: [[UInt8]]) = {
        var (file, messages): ([UInt8], [[UInt8]]) = ([], [])
        var writer = MCAPWriter()
        var random = SplitMix64(seed: 1)
        file += writer.opening(library: "test")
        file += writer.metadata("roomful", [("room", "R")])
        for number in 0..<1_000 {
            let data = (0..<20 + random.next() % 60).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            messages.append(data)
            writer.add(data, to: number % 3 == 0 ? .events : .inputs, logTime: UInt64(number))
            if number % 25 == 24 { file += writer.chunk() ?? [] }
        }
        file += writer.closing()
        return (file, messages)
    }()

    private static func read(_ file: [UInt8]) -> (messages: [[UInt8]], reader: MCAPReader<[UInt8]>)? {
        guard var reader = try? MCAPReader(file) else { return nil }
        var messages: [[UInt8]] = []
        while let chunk = reader.nextChunk() { messages += chunk.map { Array($0.data) } }
        return (messages, reader)
    }

    /// Where the record stands with which a file's data ends.
    private static func dataEnd(of file: [UInt8]) -> Int? {
        let record: [UInt8] = [15, 4, 0, 0, 0, 0, 0, 0, 0]
        return file.indices.last { file[$0...].starts(with: record) }
    }

    @Test("The checksum is zlib's")
    func checksum() {
        #expect(Checksum.of(Array("123456789".utf8)) == 0xCBF4_3926)
    }

    @Test("What was written is read again, whole")
    func roundTrip() throws {
        let (messages, reader) = try #require(Self.read(Self.whole.file))
        #expect(messages == Self.whole.messages)
        #expect(reader.isFinished)
        #expect(reader.damage.isEmpty)
        #expect(reader.metadata.first?.values.first?.1 == "R")
        #expect(reader.repair() == nil)
    }

    @Test("Of a file that is cut anywhere a prefix is read, the rest is named, and mended it is whole")
    func cuts() throws {
        var random = SplitMix64(seed: 2)
        for _ in 0..<1_000 {
            let length = Int(random.next() % UInt64(Self.whole.file.count))
            let cut = Array(Self.whole.file.prefix(length))
            guard let (messages, reader) = Self.read(cut) else {
                #expect(length < 8)
                continue
            }
            #expect(messages.elementsEqual(Self.whole.messages.prefix(messages.count)))
            #expect(!reader.damage.isEmpty || !reader.isFinished)
            let (keep, append) = try #require(reader.repair())
            let (again, mended) = try #require(Self.read(Array(cut.prefix(Int(keep))) + append))
            #expect(again == messages)
            #expect(mended.isFinished && mended.damage.isEmpty, "cut at \(length): \(mended.damage)")
        }
    }

    @Test("A file that lost its end, or some of its last indexes, too, is mended to the same bytes")
    func lostEnd() throws {
        let whole = Self.whole.file
        let end = try #require(Self.dataEnd(of: whole))
        for length in [end, end - 1, end - 100] {
            let cut = Array(whole.prefix(length))
            let (messages, reader) = try #require(Self.read(cut))
            let (keep, append) = try #require(reader.repair())
            #expect(messages == Self.whole.messages)
            #expect(Array(cut.prefix(Int(keep))) + append == whole, "without \(end - length) bytes of its indexes")
        }
    }

    @Test("Zeros in place of what never reached the disk hold nothing: such a file is mended as one that is cut")
    func zeros() throws {
        var writer = MCAPWriter()
        var file = writer.opening(library: "test") + writer.metadata("roomful", [("room", "R")])
        var ends: [Int] = []
        for _ in 0..<2 {
            for time in 0..<20 { writer.add([UInt8](repeating: 7, count: 20), to: .events, logTime: UInt64(time)) }
            file += writer.chunk() ?? []
            ends.append(file.count)
        }
        file += writer.closing()
        for length in stride(from: ends[0], to: file.count, by: 3) {
            // As long as what was to be written, and longer.
            for count in [file.count - length, 8_192] {
                let bytes = Array(file.prefix(length)) + [UInt8](repeating: 0, count: count)
                let (messages, reader) = try #require(Self.read(bytes))
                let (keep, append) = try #require(reader.repair(), "\(count) zeros from \(length) on")
                let (again, mended) = try #require(Self.read(Array(bytes.prefix(Int(keep))) + append))
                #expect(again == messages && [20, 40].contains(messages.count))
                #expect(mended.isFinished && mended.damage.isEmpty, "\(count) zeros from \(length) on")
            }
        }
        // Before its end is begun, a few are enough.
        for count in [1, 9, 15] {
            let bytes = Array(file.prefix(ends[1])) + [UInt8](repeating: 0, count: count)
            let (messages, reader) = try #require(Self.read(bytes))
            #expect(messages.count == 40 && reader.isCut && reader.soundEnd == UInt64(ends[1]))
        }
    }

    @Test("Only a record that runs past the file's end is cut off, and no whole one that cannot be read here")
    func notCut() throws {
        var writer = MCAPWriter()
        var file = writer.opening(library: "test") + writer.metadata("roomful", [("room", "R")])
        writer.add([UInt8](repeating: 1, count: 100), to: .events, logTime: 0)
        file += writer.chunk() ?? []
        let last = file.count
        writer.add([UInt8](repeating: 2, count: 100), to: .events, logTime: 1)
        file += writer.chunk() ?? []
        let (_, sound) = try #require(Self.read(file))
        #expect(sound.repair() != nil)
        var (flipped, longer) = (file, file)
        flipped[last + 60] ^= 1
        // Of the chunk's length, a byte that makes it 64 KiB more.
        longer[last + 3] ^= 1
        var packing = MCAPWriter(compression: ("zstd", { Array($0.dropLast()) }))
        packing.add([3], to: .events, logTime: 2)
        let chunk = packing.chunk()
        let packed = try #require(chunk)
        let whole: [UInt8] = [0x20, 2, 0, 0, 0, 0, 0, 0, 0, 7, 7]
        let begun: [UInt8] = [0x20, 9, 0, 0, 0, 0, 0, 0, 0, 7, 7]
        let zeros = [UInt8](repeating: 0, count: 4_000)
        let torn = Array(packed.prefix(100)) + zeros
        let cases: [([UInt8], String)] = [
            (flipped, "a flipped byte"), (longer, "a flipped length"), (file + packed, "what cannot be expanded here"),
            (file + whole, "a newer record"), (file + begun, "the beginning of one"),
            (flipped + zeros, "a flipped byte before zeros"), (longer + zeros, "a flipped length before zeros"),
            (file + packed + zeros, "what cannot be expanded here, before zeros"),
            (file + torn, "what nothing here was expanded like, before zeros"),
            (file + begun + zeros, "a newer record before zeros"),
        ]
        for (bytes, what) in cases {
            let (messages, reader) = try #require(Self.read(bytes))
            #expect(!messages.isEmpty && !reader.isFinished && reader.damage.count == 1, "\(what)")
            #expect(!reader.isCut && reader.repair() == nil, "\(what)")
        }
    }

    @Test("Of a file with a flipped byte everything is read but its chunk, and that is named")
    func flips() throws {
        var random = SplitMix64(seed: 3)
        for _ in 0..<1_000 {
            var file = Self.whole.file
            let place = Int(random.next() % UInt64(file.count))
            file[place] ^= UInt8(1 + random.next() % 255)
            guard let (messages, reader) = Self.read(file) else {
                #expect(place < 8)
                continue
            }
            // What is read was written, in order; what is missing is one chunk at most.
            var rest = Self.whole.messages[...]
            for message in messages {
                let next = try #require(rest.firstIndex(of: message), "flip at \(place) made a message")
                rest = rest[(next + 1)...]
            }
            #expect(messages.count >= Self.whole.messages.count - 25)
            #expect(!reader.damage.isEmpty, "nobody saw the flip at \(place)")
        }
    }

    @Test("A file's data have a checksum of the whole, and one without it, of an older program, is read as before")
    func wholeChecksum() throws {
        var file = Self.whole.file
        let end = try #require(Self.dataEnd(of: file))
        let sum = (9..<13).reduce(UInt32(0)) { $0 | UInt32(file[end + $1]) << UInt32(8 * ($1 - 9)) }
        #expect(sum == Checksum.of(file[..<end]))
        for place in 9..<13 { file[end + place] = 0 }
        let (messages, reader) = try #require(Self.read(file))
        #expect(messages == Self.whole.messages && reader.isFinished && reader.damage.isEmpty)
    }

    @Test("Whatever of a chunk or of the end the disk refused, the file that is made whole has a checksum that fits")
    func checksumAfterLoss() throws {
        for refused in 0..<3 {
            var writer = MCAPWriter()
            var file = writer.opening(library: "test")
            writer.add([1], to: .events, logTime: 0)
            file += writer.chunk() ?? []
            writer.add([2], to: .events, logTime: 1)
            // A chunk, an end, or nothing.
            if refused == 0 { _ = writer.chunk() }
            if refused == 1 { _ = writer.closing() }
            writer = writer.afterLoss(at: UInt64(file.count))
            writer.add([3], to: .notes, logTime: 2)
            file += writer.chunk() ?? []
            file += writer.closing()
            let (messages, reader) = try #require(Self.read(file))
            #expect(messages == [[1], [3]])
            #expect(reader.isFinished && reader.damage.isEmpty)
            let end = try #require(Self.dataEnd(of: file))
            #expect(file[(end + 9)..<(end + 13)].contains { $0 != 0 }, "it has none")
        }
    }

    @Test("What stands behind a file's end is named and not cut off, as it may be another recording")
    func joined() throws {
        let (whole, random) = (Self.whole.file, (0..<500).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        for more in [whole, random, [0]] {
            let (messages, reader) = try #require(Self.read(whole + more))
            #expect(messages == Self.whole.messages)
            #expect(reader.isFinished && !reader.isCut && reader.repair() == nil)
            #expect(reader.damage.map(\.from) == [UInt64(whole.count)])
            let words = more.count == 1 ? "1 byte follows" : "\(more.count) bytes follow"
            #expect(reader.damage.first?.reason.hasPrefix("\(words) its end") == true)
        }
        // Also where the first one's end is cut, or lacks a footer that could be believed.
        for missing in [1, 8, 20, 60] {
            let (messages, reader) = try #require(Self.read(Array(whole.dropLast(missing)) + whole))
            #expect(messages == Self.whole.messages)
            #expect(!reader.isCut && reader.repair() == nil && !reader.damage.isEmpty, "without \(missing) bytes")
        }
    }

    @Test("What is damaged before a whole end is named and stays: nobody was killed, and no mending takes it away")
    func damagedBeforeItsEnd() throws {
        let whole = Self.whole.file
        let end = try #require(Self.dataEnd(of: whole))
        // In the last chunk, in its indexes, and the end's own first byte.
        for place in [end - 2_000, end - 100, end] {
            var file = whole
            file[place] ^= 0x40
            let (messages, reader) = try #require(Self.read(file))
            #expect(messages.count >= Self.whole.messages.count - 25)
            #expect(reader.isFinished && !reader.isCut && reader.repair() == nil, "at \(place)")
            #expect(reader.damage.count == 1)
        }
    }

    @Test("No bytes make the reader trap")
    func noise() {
        var random = SplitMix64(seed: 5)
        for _ in 0..<2_000 {
            let bytes = (0..<random.next() % 300).map { _ in UInt8(random.next() % 8) }
            _ = Self.read(Array(Self.whole.file.prefix(8)) + bytes)
        }
    }
}
