@testable import InputMerge
import WireProtocol

/// A merge with its controllers, driven by hand-moved time in ms.
struct Bench {
    var merge: Merge
    var events: [GestureEvent] = []
    var verdicts: [UInt32: ArrivalVerdict] = [:]
    /// What sample `index` of a controller looks like.
    var motion: (UInt32) -> Sample

    /// Connects controllers 0, 1, … at 100 Hz and gives each a player of its own, 1, 2, …, or all the same one.
    init(
        _ configuration: MergeConfiguration = MergeConfiguration(gestures: GestureDefinition.all),
        controllers: Int = 1, together: Bool = false, declaration: StreamDeclaration = StreamDeclaration(),
        motion: @escaping (UInt32) -> Sample = resting
    ) {
        merge = Merge(configuration: configuration)
        self.motion = motion
        for peer in 0..<controllers {
            merge.assign(peer: peer, to: [together ? 1 : peer + 1])
            merge.connect(stream(peer), declaration: declaration, now: ms(0))
            merge.updateClock(of: peer, clock())
        }
    }

    mutating func arrive(_ index: UInt32, at time: Double, from peer: PeerIndex = 0) {
        verdicts[index] = merge.accept(motion(index), index: index, of: stream(peer), arrivedAt: ms(time))
    }

    mutating func arrive(_ sample: Sample, _ index: UInt32, at time: Double, from peer: PeerIndex = 0) {
        verdicts[index] = merge.accept(sample, index: index, of: stream(peer), arrivedAt: ms(time))
    }

    mutating func advance(to time: Double, heardUntil: Double? = nil) {
        for case .gesture(let event) in merge.advance(to: ms(time), heardUntil: heardUntil.map { ms($0) }) {
            events.append(event)
        }
    }

    /// Plays marbles, 10 ms each: a digit or letter is the sample of that index arriving (`a` is 10), anything else
    /// is nothing. Time is moved after each.
    mutating func play(_ marbles: String, from start: Double = 0) {
        for (step, marble) in marbles.enumerated() {
            let time = start + 10 * Double(step)
            if let index = UInt32(String(marble), radix: 36) { arrive(index, at: time) }
            advance(to: time)
        }
    }

    /// Sends samples in order, each when it is sampled, and moves time.
    mutating func send(_ samples: [Sample], from peer: PeerIndex = 0, startingAt first: UInt32 = 0) {
        for (index, sample) in zip(first..., samples) {
            let time = Double(sample.sampledAt.nanoseconds) / 1e6 + 5
            arrive(sample, index, at: time, from: peer)
            advance(to: time)
        }
    }

    /// `gesture.phase@ms` of all events, in the order of their coming.
    var seen: [String] {
        events.map { "\($0.gesture.rawValue).\($0.phase)@\($0.occurredAt.nanoseconds / 1_000_000)" }
    }

    /// Whether it asks to be woken for more than to look for silence, which is never due sooner than a second from now here.
    var awaitsSamples: Bool { merge.nextDeadline.map { $0 < merge.now + .seconds(1) } ?? false }

    func tally(_ peer: PeerIndex = 0) -> StreamTally { merge.tally(of: stream(peer)) ?? StreamTally() }
}

func ms(_ time: Double) -> HostTime { HostTime(nanoseconds: Int64(time * 1e6)) }
func stream(_ peer: PeerIndex) -> StreamKey { StreamKey(peer: peer, stream: 0) }

/// Device and host show the same time, ± 1 ms; `ahead` moves the host's, in ms.
func clock(ahead: Double = 0) -> ClockMapping {
    ClockMapping(
        state: .locked, deviceAnchor: DeviceTime(nanoseconds: 0), hostAnchor: ms(ahead),
        uncertaintyNanoseconds: 1_000_000)
}

/// A sample at `time` ms of a device that lies face up, pushed by `push` g (Apple's sign) along its axes.
func sample(at time: Double, push: SIMD3<Double> = .zero, turn: SIMD3<Float> = .zero) -> Sample {
    let force = -(SIMD3<Double>(0, 0, -1) + push) * standardGravity
    return Sample(
        sampledAt: DeviceTime(nanoseconds: Int64(time * 1e6)), acceleration: SIMD3<Float>(force), rotationRate: turn)
}

/// Sample `index` at 100 Hz of a device at rest.
func resting(_ index: UInt32) -> Sample { sample(at: Double(index) * 10) }

/// Sample `index` at 100 Hz of a device that is pushed along y by 1 g in sample `when` only.
func pushed(at when: UInt32) -> (UInt32) -> Sample {
    { index in sample(at: Double(index) * 10, push: SIMD3(0, index == when ? 1 : 0, 0)) }
}

/// A device turned by `degrees` about y, right edge down, as its own attitude says.
func tilted(_ degrees: Double, at time: Double) -> Sample {
    let q = Quaternion(rotationVector: SIMD3(0, degrees * .pi / 180, 0))
    return Sample(
        sampledAt: DeviceTime(nanoseconds: Int64(time * 1e6)), measures: [.acceleration, .rotationRate, .attitude],
        acceleration: SIMD3<Float>(q.up * standardGravity), attitude: SIMD4<Float>(SIMD4(q.w, q.x, q.y, q.z)))
}

let fused = StreamDeclaration(measures: [.acceleration, .rotationRate, .attitude])
