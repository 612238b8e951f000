import InputMerge
import RoomEngine
import SessionCoordinator
import WireProtocol

extension RoomConfiguration: Taped {
    /// What stands in a recording for the room's codes: which one was shown is kept, the codes are not.
    static func standIn(for kind: CodeKind) -> String {
        switch kind {
        case .typed: "2222-2222"
        case .wrong: "3333-3333"
        case .scanned: "4444-4444-4444-4444"
        case .wrongScanned: "5555-5555-5555-5555"
        }
    }

    func write(to pen: inout TapePen) {
        pen.section { pen in
            pen.put(seats)
            pen.put(policy)
            pen.put(mode)
            pen.put(code != nil)
            pen.put(idleTimeout)
            pen.put(graceTimeout)
            pen.put(askTimeout)
            pen.put(linkPort)
            pen.put(suite)
            pen.put(names)
            pen.put(scannedCode != nil)
            pen.put(idleReset)
        }
    }

    init(from tape: inout TapeReader) throws(TapeError) {
        var fields = try tape.section()
        let seats: Int = try fields.take()
        guard Self.possibleSeats.contains(seats) else {
            throw TapeError("it says that the room has \(seats) seats")
        }
        self.init(
            seats: seats, policy: try fields.take(), mode: try fields.take(),
            code: try fields.take(Bool.self) ? Self.standIn(for: .typed) : nil, idleTimeout: try fields.take(),
            graceTimeout: try fields.take(), askTimeout: try fields.take(), linkPort: try fields.take(),
            suite: try fields.take(), names: try fields.take(),
            scannedCode: try fields.takeLater(or: false) ? Self.standIn(for: .scanned) : nil,
            idleReset: try fields.takeIfAnyLater())
    }
}

extension MergeConfiguration: Taped {
    func write(to pen: inout TapePen) {
        pen.section { pen in
            pen.put(holdback)
            pen.put(longestBridge)
            pen.put(silence)
            pen.put(longestWait)
            pen.put(oldest)
            pen.put(gestures)
            pen.put(fusion)
            pen.put(orientation)
            pen.put(teams)
            pen.put(contests)
            pen.put(lowPassFactor)
        }
    }

    init(from tape: inout TapeReader) throws(TapeError) {
        var fields = try tape.section()
        self.init()
        holdback = try fields.take()
        longestBridge = try fields.take()
        silence = try fields.take()
        longestWait = try fields.take()
        oldest = try fields.take()
        gestures = try fields.takeList()
        fusion = try fields.take()
        orientation = try fields.take()
        teams = try fields.takeList()
        contests = try fields.take()
        lowPassFactor = try fields.takeLater(or: lowPassFactor)
        if let problem { throw .unusable(problem) }
    }
}

extension GestureDefinition: Taped {
    /// The built-in rule of each kind of recognizer, by the number under which it is written.
    private static let rules: [Rule] = [
        .threshold(ThresholdRule()), .tilt(TiltRule()), .shake(ShakeRule()), .jump(JumpRule()),
        .freeFall(FreeFallRule()), .flick(FlickRule()), .swing(SwingRule()), .twist(TwistRule()), .tap(TapRule()),
        .holdStill(HoldStillRule()), .rhythm(RhythmRule()),
    ]

    private var ruleNumber: UInt8 {
        switch rule {
        case .threshold: 0
        case .tilt: 1
        case .shake: 2
        case .jump: 3
        case .freeFall: 4
        case .flick: 5
        case .swing: 6
        case .twist: 7
        case .tap: 8
        case .holdStill: 9
        case .rhythm: 10
        }
    }

    func write(to pen: inout TapePen) {
        pen.section { pen in
            pen.put(kind)
            pen.byte(ruleNumber)
            let parameters = parameters
            pen.number(UInt64(parameters.count))
            for parameter in parameters {
                pen.put(parameter.key)
                pen.put(parameter.value)
            }
        }
    }

    init(from tape: inout TapeReader) throws(TapeError) {
        var fields = try tape.section()
        let kind: GestureKind = try fields.take()
        let number = Int(try fields.byte())
        guard Self.rules.indices.contains(number) else {
            throw .newer("a way to recognise \(kind.rawValue)")
        }
        self.init(kind, Self.rules[number])
        for _ in 0..<(try fields.number()) {
            let (key, value): (String, Double) = (try fields.take(), try fields.take())
            if let problem = set(key, to: value) { throw .unusable(problem) }
        }
    }
}

extension FusionRule: Taped {
    func write(to pen: inout TapePen) {
        pen.put(gestures)
        switch motion {
        case .first: pen.byte(0)
        case .sum: pen.byte(1)
        case .mean: pen.byte(2)
        case .strongest(let measure):
            pen.byte(3)
            pen.put(measure)
        }
        pen.put(whenLost)
    }

    init(from tape: inout TapeReader) throws(TapeError) {
        let gestures: Gathering = try tape.take()
        let blend: Blend
        switch try tape.byte() {
        case 0: blend = .first
        case 1: blend = .sum
        case 2: blend = .mean
        case 3: blend = .strongest(try tape.take())
        default: throw .newer("a way to blend motion")
        }
        self.init(gestures: gestures, motion: blend, whenLost: try tape.take())
    }
}

extension FusionRule.Gathering: Taped {
    func write(to pen: inout TapePen) {
        switch self {
        case .own: pen.byte(0)
        case .any: pen.byte(1)
        case .all(let window):
            pen.byte(2)
            pen.put(window)
        case .quorum(.count(let count), let window):
            pen.byte(3)
            pen.put(count)
            pen.put(window)
        case .quorum(.share(let part, let whole), let window):
            pen.byte(4)
            pen.put(part)
            pen.put(whole)
            pen.put(window)
        case .split(let roles):
            pen.byte(5)
            pen.number(UInt64(roles.count))
            for role in roles { pen.put(role) }
        }
    }

    init(from tape: inout TapeReader) throws(TapeError) {
        switch try tape.byte() {
        case 0: self = .own
        case 1: self = .any
        case 2: self = .all(within: try tape.take())
        case 3: self = .quorum(.count(try tape.take()), within: try tape.take())
        case 4:
            let (part, whole): (Int, Int) = (try tape.take(), try tape.take())
            self = .quorum(.share(part, of: whole), within: try tape.take())
        case 5:
            var roles: [[GestureKind]] = []
            let count = try tape.number()
            guard count <= UInt64(tape.remaining) else { throw .cut }
            for _ in 0..<count { roles.append(try tape.takeList()) }
            self = .split(roles)
        default: throw .newer("a way to gather gestures")
        }
    }
}

extension Team: Taped {
    func write(to pen: inout TapePen) {
        pen.put(name)
        pen.put(players)
        pen.put(rule)
        pen.put(whenLost)
    }

    init(from tape: inout TapeReader) throws(TapeError) {
        self.init(try tape.take(), try tape.takeList(), rule: try tape.take(), whenLost: try tape.take())
    }
}

extension ContestRules: Taped {
    func write(to pen: inout TapePen) {
        pen.put(gestures)
        pen.put(ties)
        pen.put(window)
        pen.put(cap)
        pen.put(pause)
        pen.put(seed)
    }

    init(from tape: inout TapeReader) throws(TapeError) {
        self.init(
            gestures: try tape.takeList(), ties: try tape.take(), window: try tape.take(), cap: try tape.take(),
            pause: try tape.take(), seed: try tape.take())
    }
}

extension PlayerTalents: Taped {
    func write(to pen: inout TapePen) {
        pen.section { pen in
            pen.put(sensitivity)
            pen.put(gestures)
            pen.put(airtimes.differences)
        }
    }

    init(from tape: inout TapeReader) throws(TapeError) {
        var fields = try tape.section()
        self.init(sensitivity: try fields.take(), gestures: try fields.takeList())
        for difference in try fields.takeList(Double.self) { airtimes.note(difference) }
    }
}

extension TaughtGesture: Taped {
    func write(to pen: inout TapePen) {
        pen.section { pen in
            pen.put(kind)
            pen.put(examples)
            pen.put(counterExamples)
        }
    }

    init(from tape: inout TapeReader) throws(TapeError) {
        var fields = try tape.section()
        self.init(try fields.take(), examples: try fields.takeList())
        for trace in try fields.takeList(MotionTrace.self) { refuse(trace) }
    }
}

extension MotionTrace: Taped {
    func write(to pen: inout TapePen) {
        pen.put(duration)
        pen.put(force)
        pen.put(rotationRate)
    }

    init(from tape: inout TapeReader) throws(TapeError) {
        let trace = MotionTrace(
            duration: try tape.take(), force: try tape.takeList(), rotationRate: try tape.takeList())
        guard trace.isUsable else { throw TapeError("an example of a taught gesture is damaged") }
        self = trace
    }
}
