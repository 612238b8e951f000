import Testing
import WireProtocol

@Suite("Acknowledgements")
struct AcknowledgementTests {
    private func covered(
        cumulative: UInt32, end: UInt32, room: Int = 1_000, arrived: Set<UInt32>,
        _ check: (StreamAcknowledgement) throws -> Void
    ) throws {
        let block = written(room: room) {
            _ = $0.writeAcknowledgement(stream: 3, epoch: 9, cumulative: cumulative, end: end) { arrived.contains($0) }
        }
        try Payload.reading(payload { $0.write(block) }) { payload in
            var blocks = payload.blocks
            guard case .acknowledgement(let acknowledgement) = blocks.next() else {
                Issue.record("no acknowledgement")
                return
            }
            #expect(acknowledgement.stream == 3)
            #expect(acknowledgement.epoch == 9)
            #expect(acknowledgement.cumulative == cumulative)
            try check(acknowledgement)
        }
    }

    @Test("An index is covered when it lies below the cumulative one or its bit is set, and never otherwise")
    func coverage() throws {
        var generator = SplitMix64(seed: 21)
        for _ in 0..<100 {
            let cumulative = UInt32.random(in: 0...(.max - 5_000), using: &generator)
            let width = UInt32.random(in: 1...4_096, using: &generator)
            let arrived = Set((cumulative + 1..<cumulative + width + 1).filter { _ in Bool.random(using: &generator) })
            try covered(cumulative: cumulative, end: cumulative + width, arrived: arrived) { acknowledgement in
                for index in cumulative..<cumulative + width {
                    #expect(acknowledgement.covers(index) == arrived.contains(index))
                }
                #expect(cumulative == 0 || acknowledgement.covers(cumulative - 1))
                #expect(!acknowledgement.covers(acknowledgement.end))
                #expect(!acknowledgement.covers(.max))
            }
        }
    }

    @Test("A bitmap says as much as the datagram has room for, and nothing of the rest")
    func shortOfRoom() throws {
        let all = Set<UInt32>(11...4_000)
        try covered(cumulative: 10, end: 4_001, room: 9 + 5, arrived: all) { acknowledgement in
            #expect(acknowledgement.end == 10 + 1 + 40)
            #expect(acknowledgement.covers(50))
            #expect(!acknowledgement.covers(51))
        }
    }

    @Test("At the end of the indexes nothing wraps: the end stays at the last number", arguments: UInt32(0)...9)
    func endOfIndexes(below: UInt32) throws {
        try covered(cumulative: .max - below, end: .max, arrived: [.max - 1]) { acknowledgement in
            #expect(acknowledgement.end >= acknowledgement.cumulative)
            #expect(acknowledgement.covers(.max - 1) == (below != 1))
            #expect(!acknowledgement.covers(.max))
        }
    }

    @Test("An end below the cumulative index tells of nothing", arguments: [UInt32(0), 99, 100, 101])
    func endBehind(end: UInt32) throws {
        try covered(cumulative: 100, end: end, arrived: []) { #expect($0.end == 101) }
    }
}
