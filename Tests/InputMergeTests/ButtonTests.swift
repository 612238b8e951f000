import InputMerge
import Testing
import WireProtocol

@Suite("Buttons that mean gestures")
struct ButtonTests {
    private static let names = ["jump", "shake", "", StreamDeclaration.taughtGesture, StreamDeclaration.taughtGesture]
    private static let alone = StreamDeclaration(measures: .buttons, buttonGestures: names)
    private static let beside = StreamDeclaration(
        measures: [.acceleration, .rotationRate, .buttons], buttonGestures: names)

    /// A sample each 10 ms of a device at rest; digits say what is down: a character's value in base 32.
    private func samples(_ marbles: String, from start: Double = 0, isAlone: Bool = false) -> [Sample] {
        marbles.enumerated().map { step, marble in
            let time = start + Double(step) * 10
            var sample =
                isAlone
                ? Sample(sampledAt: DeviceTime(nanoseconds: Int64(time * 1e6)), measures: .buttons)
                : sample(at: time)
            sample.buttons = UInt16(String(marble), radix: 32) ?? 0
            return sample
        }
    }

    private func bench(
        _ gestures: [GestureDefinition] = [.jump, .shake], _ declaration: StreamDeclaration = beside,
        controllers: Int = 1, together: Bool = false, fusion: FusionRule = .any
    ) -> Bench {
        Bench(
            MergeConfiguration(gestures: gestures, fusion: fusion), controllers: controllers, together: together,
            declaration: declaration)
    }

    @Test("A press is a gesture from the sample that shows it to the one that shows its end, marked as a button's")
    func press() throws {
        var bench = bench()
        bench.send(samples("001110020"))
        #expect(bench.seen == ["jump.began@20", "jump.ended@50", "shake.began@70", "shake.ended@80"])
        #expect(bench.events.allSatisfy { $0.source == .button })
        let began = try #require(bench.events.first)
        #expect(began.strength == 1 && began.confidence == 1 && began.controllers == [0])
        // The clock is sure to 1 ms, and half a sample period is 5 ms: as for a motion.
        #expect(began.uncertaintyNanoseconds == 11_000_000)
        #expect(bench.merge.origin(of: began.id)?.arrivedAt == ms(25))
    }

    @Test("A stream of buttons alone speaks for its controller, and shows no motion")
    func buttonsAlone() {
        var bench = bench([.jump, .holdStill], Self.alone)
        #expect(Self.alone.problem == nil)
        bench.send(samples("000110" + String(repeating: "0", count: 200), isAlone: true))
        #expect(bench.seen == ["jump.began@30", "jump.ended@50"])
        #expect(bench.merge.motion(of: 1) == nil && bench.merge.state(of: 1, at: ms(2_000)) == nil)
        #expect(bench.merge.sensors(of: 0).map(\.isSpeaking) == [true])
    }

    @Test("Where another stream shows motion that one speaks, whichever came first")
    func streamsOfOne() {
        var bench = bench([.jump], Self.alone)
        let motion = StreamKey(peer: 0, stream: 1)
        bench.send(samples("00", isAlone: true))
        bench.merge.connect(motion, declaration: fused, now: ms(20))
        _ = bench.merge.accept(tilted(0, at: 30), index: 0, of: motion, arrivedAt: ms(35))
        #expect(bench.merge.sensors(of: 0).map(\.isSpeaking) == [false, true])
        bench.send(samples("11", from: 40, isAlone: true), startingAt: 4)
        #expect(bench.seen == [])
    }

    @Test("Buttons of no name, of a gesture that is not watched for, and of streams that declare nothing mean nothing")
    func meaningless() {
        var bench = bench([.shake])
        bench.send(samples("0101040s0"))
        #expect(bench.seen == [])
        var undeclared = self.bench([.jump], StreamDeclaration(measures: [.acceleration, .rotationRate, .buttons]))
        undeclared.send(samples("0101v0"))
        #expect(undeclared.seen == [])
    }

    @Test("A press ends a motion of the same gesture, and a motion that begins under a press is left out to its end")
    func beside() {
        var bench = bench([.tilt], fusedButtons)
        let angles: [(Double, UInt16)] = [
            (0, 0), (40, 0), (40, 0), (40, 1), (40, 1), (40, 0), (40, 0), (0, 0),  // pressed while it leans
            (0, 1), (40, 1), (40, 0), (40, 0), (0, 0),  // leans while it is pressed
            (40, 0), (0, 0),
        ]
        bench.send(
            angles.enumerated().map { step, each in
                var sample = tilted(each.0, at: Double(step) * 10)
                sample.buttons = each.1
                return sample
            })
        #expect(
            bench.seen == [
                "tilt.began@10", "tilt.ended@30", "tilt.began@30", "tilt.ended@50", "tilt.began@80", "tilt.ended@100",
                "tilt.began@130", "tilt.ended@140",
            ])
        #expect(bench.events.filter { $0.phase == .began }.map(\.source) == [.motion, .button, .button, .motion])
        // Every id begins once and ends once.
        #expect(Dictionary(grouping: bench.events, by: \.id).values.allSatisfy { $0.map(\.phase) == [.began, .ended] })
    }

    private let fusedButtons = StreamDeclaration(
        measures: [.acceleration, .rotationRate, .attitude, .buttons], buttonGestures: ["tilt"])

    @Test("The buttons of what was taught mean it in the order in which it was taught; the last pressed counts")
    func taught() {
        var bench = bench()
        var classroom = Classroom()
        classroom.teach("ring", .circle)
        classroom.teach("star", .zigzag)
        let learnt = classroom.bench.merge.taught(of: 1)
        #expect(learnt.map(\.kind) == ["ring", "star"])
        bench.merge.setTaught(learnt, of: 1)
        bench.send(samples("08800g00"))
        #expect(bench.seen == ["ring.began@10", "ring.ended@30", "star.began@50", "star.ended@60"])
        // 8 is the first of them, o both.
        bench.send(samples("08ogg0", from: 80), startingAt: 8)
        #expect(
            bench.seen.dropFirst(4) == [
                "ring.began@90", "ring.ended@100", "star.began@100", "star.ended@130",
            ])
        bench.merge.setTaught([learnt[1]], of: 1)
        bench.send(samples("080g0", from: 140), startingAt: 14)
        #expect(bench.seen.dropFirst(8) == ["star.began@150", "star.ended@160"])
    }

    @Test("The buttons of others mean what no button names, in the room's order, and then what was taught besides")
    func others() throws {
        var classroom = Classroom()
        classroom.teach("ring", .circle)
        classroom.teach("star", .zigzag)
        let bow = GestureDefinition("bow", GestureDefinition.tilt.rule)
        var names = [StreamDeclaration.otherGesture, "jump", StreamDeclaration.taughtGesture]
        names += Array(repeating: StreamDeclaration.otherGesture, count: 3)
        let declaration = StreamDeclaration(measures: [.acceleration, .rotationRate, .buttons], buttonGestures: names)
        #expect(declaration.problem == nil)
        var bench = bench([.jump, bow, .shake], declaration)
        bench.merge.setTaught(classroom.bench.merge.taught(of: 1), of: 1)
        bench.send(samples("010204080g0"))
        #expect(
            bench.seen.filter { $0.contains("began") }
                == ["bow.began@10", "jump.began@30", "ring.began@50", "shake.began@70", "star.began@90"])
    }

    @Test("A haptic masks no button, and a button that is held while the player's talents change is not pressed again")
    func haptics() {
        var bench = bench([.jump])
        bench.merge.hapticStarts(1, on: 0, between: ms(0), and: ms(0), duration: .seconds(5))
        bench.send(samples("011"))
        bench.merge.setSensitivity(2, of: 1)
        bench.send(samples("1101", from: 30), startingAt: 3)
        #expect(bench.seen == ["jump.began@10", "jump.ended@20", "jump.began@60"])
    }

    @Test("Who presses and who moves make it together; it counts as a button's")
    func together() {
        var bench = bench(
            [.tilt], fusedButtons, controllers: 2, together: true,
            fusion: .all(within: .milliseconds(300)))
        for step in 0..<30 {
            for peer in 0...1 {
                var sample = tilted(peer == 0 && step >= 10 ? 40 : 0, at: Double(step) * 10)
                sample.buttons = peer == 1 && step >= 15 ? 1 : 0
                bench.arrive(sample, UInt32(step), at: Double(step) * 10 + 5, from: peer)
            }
            bench.advance(to: Double(step) * 10 + 5)
        }
        #expect(bench.seen == ["tilt.began@150"])
        #expect(bench.events.first?.source == .button && bench.events.first?.controllers == [0, 1])
    }

    @Test("Whose press it is all its parts say, whoever ends it; a part that joins later changes nothing")
    func parts() {
        var bench = bench(
            [.tilt], fusedButtons, controllers: 2, together: true, fusion: .all(within: .milliseconds(300)))
        for step in 0..<60 {
            for peer in 0...1 {
                var sample = tilted(peer == 0 && (10..<40).contains(step) ? 40 : 0, at: Double(step) * 10)
                sample.buttons = peer == 1 && (15..<20).contains(step) ? 1 : 0
                bench.arrive(sample, UInt32(step), at: Double(step) * 10 + 5, from: peer)
            }
            bench.advance(to: Double(step) * 10 + 5)
        }
        #expect(bench.events.last?.phase == .ended && bench.events.count >= 2)
        #expect(bench.events.allSatisfy { $0.source == .button })
    }

    @Test("A button that is held as its controller falls silent is let go; what it says later is no second end")
    func silence() {
        var bench = bench([.jump])
        bench.send(samples("0011"))
        bench.advance(to: 3_000)
        #expect(bench.seen == ["jump.began@20", "jump.ended@30"])
        bench.send(samples("1100100", from: 3_010), startingAt: 4)
        #expect(bench.seen.dropFirst(2) == ["jump.began@3050", "jump.ended@3060"])
    }

    @Test("After a press of what was taught there is nothing that was not it")
    func refusal() {
        var classroom = Classroom()
        classroom.teach("ring", .circle)
        #expect(classroom.recognised(classroom.hand.draw(.circle)) == ["ring"])
        #expect(classroom.bench.merge.refuseLatest(of: 1) == "ring")
        var bench = bench()
        bench.merge.setTaught(classroom.bench.merge.taught(of: 1), of: 1)
        bench.send(samples("0880"))
        #expect(bench.merge.refuseLatest(of: 1) == nil)
    }

    @Test("What is taught anew keeps its place, and so its button")
    func taughtAnew() {
        var classroom = Classroom()
        classroom.teach("ring", .circle)
        classroom.teach("star", .zigzag)
        classroom.teach("ring", .circle)
        #expect(classroom.bench.merge.taught(of: 1).map(\.kind) == ["ring", "star"])
    }

    @Test("In a contest a press is judged by its sample, as a motion is: the slower link loses nothing")
    func contest() throws {
        var bench = Bench(
            MergeConfiguration(gestures: [.jump], contests: ContestRules(gestures: [.jump])), controllers: 2,
            declaration: Self.beside)
        func press(_ peer: PeerIndex, at press: Int, step: Int) -> Sample {
            var sample = sample(at: Double(step) * 10)
            sample.buttons = step == press ? 1 : 0
            return sample
        }
        var verdicts: [Verdict] = []
        for step in 0..<200 {
            // P1 presses at 500 ms on a way of 150 ms, P2 at 540 ms on one of 10 ms.
            if step >= 15 {
                bench.arrive(press(0, at: 50, step: step - 15), UInt32(step - 15), at: Double(step) * 10, from: 0)
            }
            if step >= 1 {
                bench.arrive(press(1, at: 54, step: step - 1), UInt32(step - 1), at: Double(step) * 10, from: 1)
            }
            for case .verdict(let verdict) in bench.merge.advance(to: ms(Double(step) * 10)) {
                verdicts.append(verdict)
            }
        }
        #expect(verdicts.map(\.winners) == [[1]])
    }

    @Test("What declares buttons badly is refused in words")
    func problems() {
        func problem(_ names: [String], _ measures: Sample.Measures = [.acceleration, .buttons]) -> String? {
            StreamDeclaration(measures: measures, buttonGestures: names).problem
        }
        #expect(problem(["jump", "", "", "*", "*"]) == nil)
        #expect(problem(["jump"], .buttons) == nil)
        #expect(problem(["", ""], .buttons)?.contains("no motion") == true)
        #expect(problem([], .buttons)?.contains("no motion") == true)
        #expect(problem(["jump"], .acceleration)?.contains("buttons") == true)
        #expect(problem(["jump", "jump"])?.contains("same gesture") == true)
        #expect(problem(Array(repeating: "", count: 17))?.contains("16") == true)
        #expect(problem([String(repeating: "x", count: 41)]) != nil)
        #expect(problem(["a\nb"]) != nil)
    }
}
