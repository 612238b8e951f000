import WireProtocol

/// One sensor's way through the merge: timeline, device motion, recognizers.
struct StreamTrack: Sendable {
    let key: StreamKey
    var lane: MotionLane
    /// When a sample last arrived; at first, when the stream was connected.
    private(set) var heardAt: HostTime
    /// Without a sample for so long it is silent: ``MergeConfiguration/silence``, and what its sensor takes for a batch.
    private let silence: Duration
    /// Whether samples come; see ``MergeConfiguration/silence``.
    var isPresent = false
    /// What somebody asked to be pushed.
    var outbox = MotionOutbox()
    /// `nil` for a stream that measures no submersion.
    var water: WaterSensor?
    /// What it has felt, where it is a fast accelerometer alone.
    private(set) var knocks: KnockTrail?
    /// Ends of strokes that wait for such a one.
    var strokes = StrokeQueue()

    /// What surely occurred before was sampled without a seat.
    private let admittedAt: HostTime?
    private var timeline: Timeline
    /// One for each of the configuration's gestures, and one for what the player taught; empty while another stream
    /// speaks for the controller.
    private var recognizers = RecognizerRow()
    /// What lasts of each of them.
    private var lasting: [Lasting] = []
    /// What its buttons mean while it speaks.
    private var buttons = ButtonMeanings()
    /// When the last sample was read, and how long that was after the one before, in ns.
    private var sampled: (at: DeviceTime, interval: Int64)?
    /// The attitude that counts as level; its inverse is applied to what players see.
    private var reference = Quaternion.identity
    /// How often that was set.
    private(set) var rezeroes: UInt32 = 0

    init(
        _ key: StreamKey, declaration: StreamDeclaration, configuration: MergeConfiguration, admittedAt: HostTime?,
        now: HostTime
    ) {
        self.key = key
        self.admittedAt = admittedAt
        heardAt = now
        silence = configuration.silence + declaration.batch
        water = WaterSensor(key, declaration)
        knocks = KnockTrail(declaration)
        showsMotion = !declaration.measures.isDisjoint(with: [.acceleration, .attitude])
        canSpeak = showsMotion || declaration.hasButtonGestures
        timeline = Timeline(
            holdback: configuration.holdback, capacity: configuration.ringCapacity(rate: declaration.nominalRate))
        lane = MotionLane(
            declaration: declaration, longestBridge: configuration.longestBridge,
            mostBridged: configuration.mostBridged(rate: declaration.nominalRate),
            orientation: configuration.orientation, lowPassFactor: configuration.lowPassFactor)
    }

    /// When something that waits here is given up. Changes nothing: what is lent to be changed is not copied.
    @inline(__always)
    mutating func nextDeadline() -> HostTime? {
        guard let stroke = strokes.deadline else { return timeline.deadline }
        return min(stroke, timeline.deadline ?? stroke)
    }

    /// Whether recognizers can see gestures in this stream.
    let showsMotion: Bool
    /// Whether gestures come of this stream at all, by motion or by buttons.
    private(set) var canSpeak: Bool
    /// Whether it speaks for its controller.
    private(set) var isSpeaking = false

    /// When it falls silent, unless a sample comes.
    var silentAt: HostTime { heardAt + silence }

    /// How long mostly nothing comes: from one sample to the next, or while its sensor takes a batch.
    var usualPause: Duration { Duration.nanoseconds(lane.usualInterval) + lane.declaration.batch }

    /// Everything until then was looked at, in order; `nil` before the first sample.
    var watermark: HostTime? { lane.clock.latest }

    /// How well its controller's clock is known.
    var clockState: ClockMapping.State { lane.clock.mapping?.state ?? .none }

    /// How far ``watermark`` might be wrong either way, in ns: as a contest takes gestures of that moment. `nil` while the
    /// clock was not measured.
    var uncertaintyNanoseconds: Int64? {
        guard let watermark, let whole = uncertaintyNanoseconds(at: watermark, interval: sampled?.interval) else {
            return nil
        }
        return whole - unseen(sampled?.interval) / 2
    }

    /// The newest motion, at once: samples that wait behind a missing one are looked at without being used up.
    var newest: DeviceMotion? { ahead?.newest }

    /// The same, and what of it blends with other controllers' motion.
    var ahead: (newest: DeviceMotion, steady: SteadyMotion)? {
        var ahead = lane
        if timeline.waiting > 0 { timeline.forEachWaiting { _ = ahead.take($0) } }
        return ahead.newest.map { ($0.relative(to: reference), ahead.steady) }
    }

    /// - Parameter oldest: what occurred before, not counting the time that the sensor collects its batch, is late.
    mutating func accept(
        _ sample: Sample, index: UInt32, arrivedAt: HostTime, oldest: HostTime, into detections: inout [Detection]
    ) -> ArrivalVerdict {
        heardAt = max(heardAt, arrivedAt)
        pass(until: arrivedAt, into: &detections)
        if let refused = refusal(of: sample, arrivedAt: arrivedAt, oldest: oldest) {
            // Nothing before it can be younger: nobody needs to wait for that either.
            abandon(below: index == .max ? index : index + 1, into: &detections)
            if refused == .late { lane.noteRefused(sample.sampledAt, arrivedAt) } else { lane.noteLate() }
            return refused
        }
        if timeline.goesBy(UInt64(index)) {
            feed(Timeline.Arrival(index: UInt64(index), sample: sample, arrivedAt: arrivedAt), into: &detections)
            return .delivered
        }
        timeline.makeRoom(for: UInt64(index))
        drain(into: &detections)
        let verdict = timeline.insert(sample, index: UInt64(index), arrivedAt: arrivedAt)
        if verdict == .late { lane.noteLate() }
        drain(into: &detections)
        return verdict
    }

    /// Why a sample is of no use however its index stands; `nil` for one that is.
    ///
    /// Changes nothing: what is lent to be changed is not copied.
    private mutating func refusal(of sample: Sample, arrivedAt: HostTime, oldest: HostTime) -> ArrivalVerdict? {
        let occurred = lane.clock.latestOccurrence(sample.sampledAt, arrivedAt)
        if let admittedAt, occurred < admittedAt { return .beforeSeat }
        return occurred < oldest - lane.declaration.batch ? .late : nil
    }

    /// Where its recognizers lie, until they are changed.
    var recognizersPlace: UnsafeRawBufferPointer { recognizers.place }

    mutating func pass(until now: HostTime, into detections: inout [Detection]) {
        timeline.pass(until: now)
        drain(into: &detections)
        strokes.giveUp(before: now, into: &detections)
    }

    mutating func abandon(below floor: UInt32, into detections: inout [Detection]) {
        timeline.abandon(below: UInt64(floor))
        drain(into: &detections)
    }

    /// Speaks for its controller from now on.
    ///
    /// - Parameter taughtKinds: what ``StreamDeclaration/taughtGesture`` means, in order.
    mutating func speak(
        _ gestures: [GestureDefinition], taught: TaughtRecognizer? = nil, taughtKinds: [GestureKind] = [],
        airtimes: Airtimes = Airtimes()
    ) {
        isSpeaking = true
        recognizers = RecognizerRow(gestures.map { $0.makeRecognizer() } + (taught.map { [$0] } ?? []))
        recognizers.forEach {
            $0.suit(lane.declaration)
            $0.rezero(gravity: -reference.up)
        }
        if airtimes.count > 0 { learn(airtimes) }
        lasting = Array(repeating: Lasting(), count: recognizers.count)
        buttons.mean(
            lane.declaration.buttonGestures, among: gestures.map(\.kind), taught: taught == nil ? [] : taughtKinds)
    }

    /// How long its player flies.
    mutating func learn(_ airtimes: Airtimes) {
        recognizers.forEach { $0.learn(airtimes) }
    }

    /// Ends what had begun and watches for nothing more.
    mutating func fallSilent(into detections: inout [Detection]) {
        strokes.giveUp(into: &detections)
        for gesture in recognizers.shaping {
            var over = Recognition(.changed, strength: 0, confidence: 0)
            over.shaping = .over
            detections.append(detection(over, gesture: gesture, at: lane.clock.latest ?? heardAt, interval: nil))
        }
        for gesture in lasting.indices {
            guard let end = lasting[gesture].end() else { continue }
            detections.append(detection(end, gesture: gesture, at: lane.clock.latest ?? heardAt, interval: nil))
        }
        isSpeaking = false
        recognizers = RecognizerRow()
        lasting = []
        buttons.meanNothing()
    }

    /// Its controller is away: nobody knows whether a button is still held.
    mutating func letGo(into detections: inout [Detection]) {
        for gesture in lasting.indices {
            guard let end = lasting[gesture].endPress() else { continue }
            let found = detection(end, gesture: gesture, at: lane.clock.latest ?? heardAt, interval: nil)
            if !strokes.holds(found, since: heardAt, into: &detections) { detections.append(found) }
        }
    }

    /// Nothing comes here any more, unless the stream is connected again: what waits for something missing is fed, and
    /// what had begun ends.
    mutating func close(into detections: inout [Detection]) {
        timeline.end()
        drain(into: &detections)
        fallSilent(into: &detections)
        canSpeak = false
    }

    mutating func rezero() {
        guard let newest = lane.newest else { return }
        reference = newest.attitude
        rezeroes &+= 1
        recognizers.forEach { $0.rezero(gravity: newest.gravity) }
    }

    private mutating func drain(into detections: inout [Detection]) {
        while let arrival = timeline.take() { feed(arrival, into: &detections) }
    }

    /// The sample whose turn it is.
    private mutating func feed(_ arrival: Timeline.Arrival, into detections: inout [Detection]) {
        guard let step = lane.take(arrival) else { return }
        let motion = lane.current
        if lane.measuresMotion, outbox.isWanted {
            outbox.put(motion.relative(to: reference), stamp(of: motion, index: arrival.index))
        }
        let elapsed = sampled.map { motion.sampledAt.nanoseconds.saturatingSubtract($0.at.nanoseconds) }
        // What is first seen after a hole may have happened at any time in it.
        let interval = step.interval ?? (step.followsHole ? max(0, elapsed ?? 0) : nil)
        sampled = (motion.sampledAt, interval ?? 0)
        if water != nil { submerge(arrival.sample.submersion, at: motion.occurredAt, interval: interval) }
        if arrival.sample.buttons != buttons.held {
            press(arrival, at: motion.occurredAt, interval: interval, into: &detections)
        }
        guard showsMotion else { return }
        knocks?.add(
            motion.gravity + motion.userAcceleration, at: motion.sampledAt,
            followsHole: step.followsHole)
        if step.followsHole { recognizers.interrupt() }
        var next = 0
        while let (gesture, seen) = recognizers.update(motion, from: next) {
            next = gesture + 1
            guard seen.isAside || lasting[gesture].admits(seen) else { continue }
            var found = detection(seen, gesture: gesture, at: motion.occurredAt, interval: interval)
            found.arrivedAt = arrival.arrivedAt
            if motion.isDegraded { found.recognition.confidence /= 2 }
            if !strokes.holds(found, since: heardAt, into: &detections) { detections.append(found) }
        }
    }

    /// The water sensor was read.
    private mutating func submerge(_ reading: Submersion, at occurredAt: HostTime, interval: Int64?) {
        let uncertainty = uncertaintyNanoseconds(at: occurredAt, interval: interval)
        water?.take(reading, at: occurredAt, uncertainty: uncertainty)
    }

    /// Buttons go down or up.
    private mutating func press(
        _ arrival: Timeline.Arrival, at occurredAt: HostTime, interval: Int64?, into detections: inout [Detection]
    ) {
        let changed = buttons.take(arrival.sample.buttons)
        for meaning in buttons.meanings where changed >> meaning.bit & 1 == 1 {
            let said =
                buttons.isDown(meaning.bit)
                ? lasting[meaning.gesture].press(meaning.bit, meaning.kind)
                : lasting[meaning.gesture].letGo(meaning.bit).map { [$0] } ?? []
            for recognition in said {
                var found = detection(recognition, gesture: meaning.gesture, at: occurredAt, interval: interval)
                found.arrivedAt = arrival.arrivedAt
                if !strokes.holds(found, since: heardAt, into: &detections) { detections.append(found) }
            }
        }
    }

    private func detection(
        _ recognition: Recognition, gesture: Int, at occurredAt: HostTime, interval: Int64?
    ) -> Detection {
        Detection(
            peer: key.peer, gesture: gesture, recognition: recognition, occurredAt: occurredAt,
            uncertaintyNanoseconds: uncertaintyNanoseconds(at: occurredAt, interval: interval),
            unseenNanoseconds: unseen(interval), clock: clockState)
    }

    /// What a sample shows may have happened at any time since the one before.
    private func unseen(_ interval: Int64?) -> Int64 { max(lane.nominalInterval, interval ?? 0) }

    /// How far the time that was told for the last sample may be wrong: by the clock, by the time since the sample
    /// before, and by the sensor's own latency.
    private func uncertaintyNanoseconds(at time: HostTime, interval: Int64?) -> Int64? {
        let ownUncertainty = unseen(interval).saturatingAdd(lane.declaration.sensorLatency.wholeNanoseconds)
        let ofClock = sampled.flatMap { lane.clock.uncertaintyNanoseconds(of: $0.at, toldAs: time) }
        return ofClock.map { $0.saturatingAdd(ownUncertainty) }
    }
}
