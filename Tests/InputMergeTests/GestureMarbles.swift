import InputMerge
import WireProtocol

/// Motion and the events that it makes, as text.
///
/// Motion is a line of marbles, each a state that lasts so many ms: `f1 300 | f3 200 | f0.2 280` is rest, a push of
/// 3 g, and flight. `f` is the force that the device feels, up out of its screen, in g; `x y z` are the holder's
/// acceleration in g, Apple's sign; `p q r` turn it about x, y and z in rad/s. What a marble does not name is rest.
/// `N*(…)` repeats.
struct Marbles {
    private struct State {
        var force: Double?
        var push = SIMD3<Double>.zero
        var turn = SIMD3<Double>.zero
        var milliseconds = 0.0
    }

    private let states: [State]

    init(_ text: String) {
        states = Self.expand(text).split(separator: "|").map { marble in
            var state = State()
            for word in marble.split(separator: " ") {
                guard let value = Double(word.first!.isLetter ? word.dropFirst() : word) else {
                    preconditionFailure("“\(word)” is no marble")
                }
                switch word.first! {
                case "f": state.force = value
                case "x": state.push.x = value
                case "y": state.push.y = value
                case "z": state.push.z = value
                case "p": state.turn.x = value
                case "q": state.turn.y = value
                case "r": state.turn.z = value
                default: state.milliseconds = value
                }
            }
            return state
        }
    }

    /// The samples of a device whose screen stays up, as its own attitude says.
    func samples(rate: Double = 100) -> [Sample] {
        var samples: [Sample] = []
        let length = states.reduce(0) { $0 + $1.milliseconds }
        for step in 0..<Int(length * rate / 1_000) {
            let time = Double(step) * 1_000 / rate
            var end = 0.0
            let state =
                states.first {
                    end += $0.milliseconds; return time < end
                } ?? states[states.count - 1]
            let push = state.force.map { SIMD3(0, 0, 1 - $0) } ?? state.push
            var sample = sample(at: time, push: push, turn: SIMD3<Float>(state.turn))
            sample.measures = [.acceleration, .rotationRate, .attitude]
            sample.attitude = SIMD4(1, 0, 0, 0)
            samples.append(sample)
        }
        return samples
    }

    /// Innermost repetitions first.
    private static func expand(_ text: String) -> String {
        var text = text
        while let close = text.firstIndex(of: ")"), let open = text[..<close].lastIndex(of: "(") {
            let digits = text[..<open].dropLast().reversed().prefix { $0.isNumber }
            let first = text.index(open, offsetBy: -1 - digits.count)
            let count = Int(String(digits.reversed())) ?? 1
            let inside = String(text[text.index(after: open)..<close])
            text.replaceSubrange(first...close, with: Array(repeating: inside, count: count).joined(separator: " | "))
        }
        return text
    }
}

/// What one controller does is seen as these events.
func watch(_ marbles: String, for gestures: [GestureDefinition], rate: Double = 100) -> [GestureEvent] {
    watch(Marbles(marbles).samples(rate: rate), for: gestures, declaration: fused)
}

func watch(
    _ samples: [Sample], for gestures: [GestureDefinition], declaration: StreamDeclaration
) -> [GestureEvent] {
    var bench = Bench(MergeConfiguration(gestures: gestures), declaration: declaration)
    bench.send(samples)
    return bench.events
}

/// `began@490 ended@700`, with the gesture's name before where there are several; times in ms.
func text(_ events: [GestureEvent], named: Bool = false) -> String {
    events.map { event in
        (named ? event.gesture.rawValue + "." : "") + "\(event.phase)@\(event.occurredAt.nanoseconds / 1_000_000)"
    }.joined(separator: " ")
}
