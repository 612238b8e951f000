import LinkEmulation
import Testing
import WireProtocol

@testable import ControllerSession

@Suite("The resend buffer")
struct ResendBufferTests {
    @Test("The floor is the oldest sample held, or the next one when none is")
    func floor() {
        var buffer = ResendBuffer(capacity: 8)
        for time in 0..<4 { _ = buffer.append(sample(time), at: Int64(time)) }
        buffer.release(1)
        #expect(buffer.floor == 0)
        buffer.release(0)
        #expect(buffer.floor == 2)
        buffer.release(2)
        buffer.release(3)
        #expect((buffer.floor, buffer.next, buffer.heldCount) == (4, 4, 0))
    }

    @Test("A full buffer lets its oldest sample fall off, also when younger ones are confirmed")
    func full() {
        var buffer = ResendBuffer(capacity: 4)
        for time in 0..<4 { #expect(buffer.append(sample(time), at: Int64(time)) == 0) }
        buffer.release(1)
        #expect(buffer.append(sample(4), at: 4) == 1)
        #expect((buffer.floor, buffer.heldCount) == (2, 3))
        #expect(buffer.append(sample(5), at: 5) == 0)
    }

    @Test("Whatever comes, the buffer holds what a plain list would", arguments: UInt64(1)...20)
    func model(seed: UInt64) throws {
        var chooser = SeededGenerator(seed: seed)
        var buffer = ResendBuffer(capacity: 256)
        var model: [(index: UInt32, time: Int)] = []
        var time = 0
        for _ in 0..<3_000 {
            time += 1
            switch chooser.next() % 20 {
            case 0..<12:
                let next = buffer.next
                let abandoned = buffer.append(sample(time), at: Int64(time))
                model.append((next, time))
                let fallen = model.filter { $0.index + 256 <= next }.count
                model.removeFirst(fallen)
                try #require(abandoned == fallen, "seed \(seed)")
            case 12..<19:
                guard let chosen = model.randomElement(using: &chooser) else { continue }
                #expect(buffer.release(chosen.index) == true, "seed \(seed)")
                #expect(buffer.release(chosen.index) == false, "seed \(seed)")
                model.removeAll { $0.index == chosen.index }
            default:
                let limit = time - Int(chooser.next() % 300)
                #expect(buffer.abandon(before: Int64(limit)) == model.count { $0.time < limit }, "seed \(seed)")
                model.removeAll { $0.time < limit }
            }
            if chooser.chance(0.003) {
                buffer.renumber()
                model = model.enumerated().map { (UInt32($0.offset), $0.element.time) }
            }
            try #require(buffer.heldCount == model.count && buffer.floor == model.first?.index ?? buffer.next)
            for (index, time) in model {
                try #require(buffer.holds(index) && buffer[index].sample == sample(time), "seed \(seed)")
            }
        }
    }

    private func sample(_ time: Int) -> Sample { Sample(sampledAt: DeviceTime(nanoseconds: Int64(time) * 1_000)) }

    @Test("What was sent before counts as a repeat in another stream epoch, too")
    func repeats() {
        var buffer = ResendBuffer(capacity: 8)
        for time in 0..<3 { _ = buffer.append(sample(time), at: Int64(time)) }
        #expect(buffer.markSent(1, at: 5, in: 0) == false)
        buffer.release(0)
        buffer.renumber()
        #expect(buffer.markSent(0, at: 6, in: 0) == true)
        #expect(buffer.markSent(1, at: 6, in: 0) == false)
    }
}
