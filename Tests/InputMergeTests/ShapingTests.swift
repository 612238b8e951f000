import InputMerge
import Testing
import WireProtocol

@Suite("Gestures that take shape")
struct ShapingTests {
    private func classroom(seed: UInt64 = 1) -> Classroom {
        var room = Classroom(seed: seed)
        room.teach("circle", .circle)
        room.teach("square", .square)
        room.shapings = []
        return room
    }

    @Test(
        "A gesture is told while it is being made, half a second and more before it is recognised",
        arguments: [
            (Drawing.circle, "circle", 1), (.square, "square", 2), (.circle, "circle", 3),
        ] as [(Drawing, GestureKind, UInt64)])
    func foretold(drawing: Drawing, name: GestureKind, seed: UInt64) throws {
        var room = classroom(seed: seed)
        #expect(room.recognised(room.hand.draw(drawing)) == [name.rawValue])
        let told = room.shapings
        let (first, last) = (try #require(told.first), try #require(told.last))
        #expect(first.phase == .began && last.phase == .ended && told.count >= 3)
        #expect(told.dropFirst().dropLast().allSatisfy { $0.phase == .changed })
        let began = try #require(room.bench.events.first { $0.phase == .began })
        #expect(last.occurredAt == began.occurredAt && last.candidates.isEmpty)
        #expect(began.occurredAt - first.occurredAt >= .milliseconds(500))
        let going = told.dropLast()
        #expect(going.last?.candidates.first?.gesture == name)
        #expect(going.last?.candidates.first?.likelihood ?? 0 > 0.5)
        for event in going {
            let likelihoods = event.candidates.map(\.likelihood)
            #expect(likelihoods == likelihoods.sorted(by: >) && likelihoods.reduce(0, +) < 1)
            #expect((0.3...1).contains(event.progress) && event.player == 1 && event.peer == 0)
        }
    }

    @Test("What begins like nothing that was taught is not told; a lesson tells nothing either")
    func foreign() {
        var room = classroom()
        room.see(room.hand.draw(.stab))
        #expect(room.shapings == [])
        room.bench.merge.teach("ring", times: 3, to: 1)
        room.see(room.hand.draw(.circle))
        #expect(room.shapings == [])
    }

    @Test("What was told of a motion ends with a hole in the stream, another sensitivity, a lesson, or its controller")
    func ends() throws {
        for end in 0..<4 {
            var room = classroom()
            var drawn = room.hand.draw(.circle)[...]
            while room.shapings.isEmpty, let sample = drawn.popFirst() { room.see([sample]) }
            #expect(room.shapings.map(\.phase) == [.began])
            switch end {
            case 0: room.hand.time += 2_000
            case 1: room.bench.merge.setSensitivity(1.2, of: 1)
            case 2: room.bench.merge.teach("ring", times: 3, to: 1)
            default: room.bench.merge.disconnect(peer: 0)
            }
            if end < 3 { room.see(room.hand.rest(100)) }
            for case .shaping(let event) in room.bench.merge.advance(to: ms(room.hand.time + 10)) {
                room.shapings.append(event)
            }
            #expect(room.shapings.map(\.phase) == [.began, .ended], "by \(end)")
        }
    }

    @Test("Whoever moves without end is told ten times a second at most")
    func bounded() {
        var room = classroom()
        for round in 0..<60 {
            let drawn = room.hand.draw(round % 2 == 0 ? .circle : .square)
            room.see(Array(drawn[50..<(drawn.count - 50)]))
        }
        let seconds = Double(room.hand.time) / 1_000
        #expect(Double(room.shapings.count) <= 10 * seconds + 20)
        var open = false
        for event in room.shapings {
            #expect((event.phase == .began) != open)
            open = event.phase != .ended
        }
    }

    @Test("The same motion is told in the same words, to the bit")
    func same() {
        func told() -> [ShapingEvent] {
            var room = classroom(seed: 5)
            for drawing in Drawing.allCases { room.see(room.hand.draw(drawing)) }
            return room.shapings
        }
        let once = told()
        #expect(!once.isEmpty && once == told())
    }
}
