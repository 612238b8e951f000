import Testing
import WireProtocol

@Suite("Bytes that an enemy chose")
struct HostileBytesTests {
    /// Reads all that there is to read, as the host and the controller do.
    private func walk(_ bytes: [UInt8]) throws -> Int {
        _ = try? DatagramHeader(bytes)
        _ = try? LinkMessage(bytes)
        return try Payload.reading(bytes) { payload in
            var steps = 0
            for block in payload.blocks {
                steps += 1
                switch block {
                case .stream(let block):
                    var declaration = StreamDeclaration.everything
                    declaration.measures = block.measures
                    let codec = SampleCodec(declaration)
                    for run in block.runs {
                        var count = 0
                        run.forEach(codec: codec) { index, sample in
                            #expect(index == run.first + UInt32(count))
                            #expect(codec.canEncode(sample) || sample.measures.contains(.attitude))
                            count += 1
                        }
                        #expect(count == run.count)
                    }
                case .acknowledgement(let acknowledgement):
                    for index in acknowledgement.cumulative..<acknowledgement.end where acknowledgement.covers(index) {
                        steps += 1
                    }
                case .message(_, let body): _ = try? LinkMessage(reading: body)
                case .probe, .probeAnswer, .receipt, .data, .goodbye, .account, .tally: break
                }
            }
            return steps
        }
    }

    @Test("Cut at any length, a payload is refused or holds fewer blocks")
    func truncation() throws {
        let whole = try Payload.blocks(in: BlockTests.everyBlock)
        for length in 0..<BlockTests.everyBlock.count {
            let cut = Array(BlockTests.everyBlock.prefix(length))
            do {
                _ = try walk(cut)
                let blocks = try Payload.blocks(in: cut)
                #expect(blocks.count < whole.count)
                #expect(blocks == Array(whole.prefix(blocks.count)))
            } catch let error as FrameError {
                #expect(error == .truncated)
            }
        }
    }

    @Test("With any bit flipped, a payload is read or refused")
    func bitFlips() throws {
        for place in BlockTests.everyBlock.indices {
            for bit in 0..<8 {
                var flipped = BlockTests.everyBlock
                flipped[place] ^= 1 << bit
                do { _ = try walk(flipped) } catch { #expect(error is FrameError) }
            }
        }
    }

    @Test("A block's length may claim anything", arguments: BlockType.allRawValues)
    func lengths(type: UInt8) throws {
        for actual in 0...40 {
            for claimed in [0, actual - 1, actual + 1, 255, 256, 0x7FFF, 0xFFFF] where claimed >= 0 {
                let block = rawBlock(type, Array(repeating: 0xFF, count: actual), claimedLength: claimed)
                do { _ = try walk(payload { $0.write(block) }) } catch { #expect(error is FrameError) }
            }
        }
    }

    @Test("Random content is read or refused", arguments: UInt64(1)...8)
    func garbage(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        for _ in 0..<2_000 {
            var bytes = (0..<Int.random(in: 0...200, using: &generator)).map { _ in
                UInt8.random(in: 0 ... .max, using: &generator)
            }
            // Half of them with a plausible first block, or hardly any would come far.
            if bytes.count > 11, Bool.random(using: &generator) {
                bytes[8] = .random(in: 1...9, using: &generator)
                bytes[9] = 0
                bytes[10] = UInt8(min(bytes.count - 11, Int.random(in: 0...120, using: &generator)))
            }
            do { _ = try walk(bytes) } catch { #expect(error is FrameError) }
        }
    }
}

extension BlockType {
    /// Every type, and two that nobody knows.
    fileprivate static let allRawValues: [UInt8] = Array(0...10) + [255]
}
