import InputMerge
import WireProtocol

/// Several controllers, each a line of marbles of 50 ms, and what their player (or team) does as another such line.
///
/// `p` and `q` are pushes of 1 g along y and x, `P` and `Q` of 2 g; `-` is rest; `_` is silence: nothing is sent;
/// `x` is where the controller gives up its seat. In what comes out a letter is the controller (or player, from A) that
/// made the gesture alone, a digit says how many made it together; each stands where the gesture occurred.
struct Ensemble {
    static let push = GestureDefinition("push", .threshold(ThresholdRule(axis: .y, refractory: .zero)))
    static let side = GestureDefinition("side", .threshold(ThresholdRule(axis: .x, refractory: .zero)))

    var bench: Bench
    private(set) var teamEvents: [TeamGestureEvent] = []
    private let lines: [[Character]]
    private let rates: [Double]

    /// - Parameters:
    ///   - together: whether all drive one player; else each its own.
    ///   - rates: samples a second of each controller, 100 where none is given.
    init(
        _ fusion: FusionRule, _ lines: [String], together: Bool = true, teams: [Team] = [], rates: [Double] = [],
        delays: [Double] = []
    ) {
        self.lines = lines.map(Array.init)
        self.rates = lines.indices.map { rates.indices.contains($0) ? rates[$0] : 100 }
        bench = Bench(
            MergeConfiguration(
                silence: .milliseconds(200), gestures: [Self.push, Self.side], fusion: fusion, teams: teams),
            controllers: 0)
        for peer in lines.indices {
            bench.merge.assign(peer: peer, to: [together ? 1 : peer + 1])
            let declaration = StreamDeclaration(measures: fused.measures, nominalRate: self.rates[peer])
            bench.merge.connect(stream(peer), declaration: declaration, now: ms(0))
            bench.merge.updateClock(of: peer, clock())
        }
        play(delays: lines.indices.map { delays.indices.contains($0) ? delays[$0] : 0 })
    }

    private struct Arrival {
        var at: Double
        var peer: PeerIndex
        var index: UInt32
        /// `nil`: the seat is given up.
        var sample: Sample?
    }

    private mutating func play(delays: [Double]) {
        var arrivals: [Arrival] = []
        for (peer, line) in lines.enumerated() {
            for index in 0..<UInt32(Double(line.count) * rates[peer] / 20) {
                let time = Double(index) * 1_000 / rates[peer]
                let marble = line[Int(time / 50)]
                guard marble != "_" else { continue }
                arrivals.append(
                    Arrival(
                        at: time + delays[peer], peer: peer, index: index,
                        sample: marble == "x" ? nil : Self.sample(marble, at: time)))
                if marble == "x" { break }
            }
        }
        arrivals.sort { ($0.at, $0.peer, $0.index) < ($1.at, $1.peer, $1.index) }
        for arrival in arrivals {
            if let sample = arrival.sample {
                bench.arrive(sample, arrival.index, at: arrival.at, from: arrival.peer)
            } else {
                bench.merge.disconnect(peer: arrival.peer)
            }
            advance(to: arrival.at)
        }
        advance(to: end + 1_000)
    }

    /// When the longest line ends, in ms.
    var end: Double { 50 * Double(lines.map(\.count).max() ?? 0) }

    private mutating func advance(to time: Double) {
        for event in bench.merge.advance(to: ms(time)) {
            switch event {
            case .gesture(let event): bench.events.append(event)
            case .team(let event): teamEvents.append(event)
            case .verdict, .teaching, .shaping, .sensor, .submersion, .motions, .omitted: break
            }
        }
    }

    /// The device lies face up, as its own attitude says.
    private static func sample(_ marble: Character, at time: Double) -> Sample {
        let push =
            switch marble {
            case "p": SIMD3(0, 1.0, 0)
            case "P": SIMD3(0, 2.0, 0)
            case "q": SIMD3(1.0, 0, 0)
            case "Q": SIMD3(2.0, 0, 0)
            default: SIMD3<Double>.zero
            }
        var reading = InputMergeTests.sample(at: time, push: push)
        reading.measures = fused.measures
        reading.attitude = SIMD4(1, 0, 0, 0)
        return reading
    }

    var began: [GestureEvent] { bench.events.filter { $0.phase == .began } }

    /// What the player began.
    var line: String { Self.line(began.map { ($0.occurredAt, $0.controllers) }) }

    /// What the team began.
    var teamLine: String {
        Self.line(teamEvents.filter { $0.phase == .began }.map { ($0.occurredAt, $0.players.map { $0 - 1 }) })
    }

    private static func line(_ gestures: [(HostTime, [Int])]) -> String {
        var line: [Character] = []
        for (time, makers) in gestures.sorted(by: { $0.0 < $1.0 }) {
            let place = Int(time.nanoseconds / 50_000_000)
            while line.count < place { line.append("-") }
            line.append(
                makers.count > 1 ? Character("\(makers.count)") : Character(UnicodeScalar(UInt8(65 + makers[0]))))
        }
        return String(line)
    }
}

extension FusionRule {
    /// A rule of a test, whose text is right.
    static func of(_ text: String) -> FusionRule {
        do { return try FusionRule(text) } catch { preconditionFailure(error.description) }
    }
}
