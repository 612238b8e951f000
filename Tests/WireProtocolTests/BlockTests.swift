import Testing
import WireProtocol

@Suite("Blocks")
struct BlockTests {
    /// One block of every type.
    static let everyBlock = payload(sentAt: -5) {
        $0.writeStream(floor: 3, [(3, Sample(at: 1)), (4, Sample(at: 2)), (9, Sample(at: 5))])
        _ = $0.writeAcknowledgement(stream: 1, epoch: 2, cumulative: 3, end: 14) { $0 % 2 == 0 }
        _ = $0.writeProbe(id: 0xABCD)
        _ = $0.writeProbeAnswer(id: 0xABCD, receivedAt: DeviceTime(nanoseconds: .min))
        _ = $0.writeMessage(id: .max, body: [1, 2, 3])
        _ = $0.writeReceipt(next: .max)
        _ = $0.writeData(channel: 200, sequence: .max, body: [])
        _ = $0.writeGoodbye(.kicked, lastSent: .max)
        _ = $0.writeAccount(highest: 7, unique: 6)
        _ = $0.writeTally(SenderTally(links: 2, datagrams: .max, samples: 9, confirmed: 8))
    }

    @Test("Every block says again what was written into it, in the order in which they stand")
    func roundTrip() throws {
        let blocks = try Payload.blocks(in: Self.everyBlock)
        #expect(
            blocks.map(\.type) == [
                "stream", "acknowledgement", "probe", "probeAnswer", "message", "receipt", "data", "goodbye", "account",
                "tally",
            ])
        #expect(blocks[0].runs?.map(\.first) == [3, 9])
        #expect(blocks[1].arrived == [4, 6, 8, 10, 12])
        #expect(blocks[2].id == 0xABCD)
        #expect(blocks[3].receivedAt == String(Int64.min))
        #expect(blocks[4].id == .max)
        #expect(blocks[4].body == "010203")
        #expect(blocks[5].next == .max)
        #expect(blocks[6].channel == 200)
        #expect(blocks[6].sequence == .max)
        #expect(blocks[6].body == "")
        #expect(blocks[7].reason == "kicked")
        #expect(blocks[7].lastSent == .max)
        #expect(blocks[8].highest == 7)
        #expect(blocks[8].unique == 6)
        #expect((blocks[9].links, blocks[9].datagrams) == (2, String(UInt64.max)))
        #expect((blocks[9].sampled, blocks[9].confirmed) == ("9", "8"))
        #expect(try Payload.reading(Self.everyBlock) { $0.sentAt } == -5)
    }

    @Test("A block of a later version is skipped, wherever it stands")
    func unknownBlocks() throws {
        for type in [UInt8(0)] + Array(11...255) {
            let bytes = payload {
                $0.write(rawBlock(type, [9, 9, 9]))
                _ = $0.writeReceipt(next: 4)
                $0.write(rawBlock(type, []))
            }
            #expect(try Payload.blocks(in: bytes).map(\.type) == ["receipt"])
        }
    }

    @Test("Fields that a later version appends to a block of fixed size are ignored")
    func longerBlocks() throws {
        for (type, size) in [(3, 2), (4, 10), (4, 14), (6, 4), (8, 5), (9, 8), (10, 26)] as [(UInt8, Int)] {
            let exact = payload { $0.write(rawBlock(type, Array(repeating: 1, count: size))) }
            let longer = payload { $0.write(rawBlock(type, Array(repeating: 1, count: size + 3))) }
            #expect(try Payload.blocks(in: longer) == Payload.blocks(in: exact))
        }
    }

    @Test("A clock that moves in steps says so in four more bytes of an answer, and no other does")
    func grain() throws {
        for (grain, size) in [(0, 13), (1, 17), (.max, 17)] as [(UInt32, Int)] {
            let bytes = payload {
                _ = $0.writeProbeAnswer(id: 1, receivedAt: DeviceTime(nanoseconds: 7), grain: grain)
            }
            #expect(bytes.count == 8 + size)
            #expect(try Payload.blocks(in: bytes).map { $0.grain ?? 0 } == [grain])
        }
    }

    @Test("A reason of a later version for leaving is another reason")
    func unknownReason() throws {
        let bytes = payload { $0.write(rawBlock(8, [77, 0, 0, 0, 5])) }
        #expect(try Payload.blocks(in: bytes).map(\.reason) == ["other"])
    }

    @Test("A block that does not fit is not begun", arguments: 0...30)
    func whatDoesNotFit(room: Int) {
        func fits(_ size: Int, _ write: (inout ByteWriter) -> Bool) {
            var isWritten = false
            let bytes = written(room: room) { isWritten = write(&$0) }
            #expect(isWritten == (size <= room))
            #expect(bytes.count == (size <= room ? size : 0))
        }
        fits(5) { $0.writeProbe(id: 1) }
        fits(13) { $0.writeProbeAnswer(id: 1, receivedAt: DeviceTime(nanoseconds: 0)) }
        fits(17) { $0.writeProbeAnswer(id: 1, receivedAt: DeviceTime(nanoseconds: 0), grain: 1) }
        fits(10) { $0.writeMessage(id: 1, body: [1, 2, 3]) }
        fits(7) { $0.writeReceipt(next: 1) }
        fits(11) { $0.writeData(channel: 0, sequence: 1, body: [1, 2, 3]) }
        fits(8) { $0.writeGoodbye(.left, lastSent: 0) }
        fits(11) { $0.writeAccount(highest: 0, unique: 0) }
        fits(29) { $0.writeTally(SenderTally(links: 1, datagrams: 1, samples: 1, confirmed: 1)) }
    }

    @Test("A body of 512 bytes is carried, one of 513 is not even written")
    func longestBody() throws {
        let longest = Array(repeating: UInt8(7), count: 512)
        let both = written {
            _ = $0.writeMessage(id: 0, body: longest)
            _ = $0.writeData(channel: 0, sequence: 0, body: longest)
        }
        #expect(both.count == 3 + 4 + 512 + 3 + 5 + 512)
        let tooLong = written {
            _ = $0.writeMessage(id: 0, body: longest + [7])
            _ = $0.writeData(channel: 0, sequence: 0, body: longest + [7])
        }
        #expect(tooLong.isEmpty)
    }
}
