public import WireProtocol

/// What water sensors tell.
extension Merge {
    /// How deep the controller is, by the first of its sensors that knows, else by the first that measures it; `nil` where
    /// none does.
    public func submersion(of peer: PeerIndex) -> SubmersionEvent? {
        let known = slots(of: peer).compactMap { tracks[$0].water }
        return known.first { $0.tracker.state != .unknown }?.standing ?? known.first?.standing
    }

    /// What all sensors have told since.
    mutating func noteSubmersions() {
        for key in wet.keys {
            if let slot = slot(of: key) { noteSubmersions(of: slot..<slot + 1) }
        }
        wet.removeAll()
    }

    /// What these sensors have told since.
    mutating func noteSubmersions(of slots: Range<Int>) {
        for slot in slots {
            guard let news = tracks[slot].water?.takeNews(), let first = news.first else { continue }
            // With an event a state ends that was told, whatever was left out between; and an end is told, if its
            // beginning was.
            var told = first.from ?? first.state
            for var event in news where event.state != .unknown || told != .unknown {
                event.from = event.state == told ? nil : told
                guard event.state == .unknown || admitsDepth(of: event.sensor.peer) else { continue }
                told = event.state
                submersions.append(event)
            }
            tracks[slot].water?.stand(at: told)
        }
    }

    /// Told since the last time, in order of occurrence.
    mutating func takeSubmersions() -> [SubmersionEvent] {
        if submersions.isEmpty { return [] }
        defer { submersions.removeAll(keepingCapacity: true) }
        return submersions.count < 2
            ? submersions : submersions.sorted { ($0.occurredAt, $0.sensor) < ($1.occurredAt, $1.sensor) }
    }
}

/// A stream's water sensor.
struct WaterSensor: Sendable {
    let key: StreamKey
    private(set) var tracker: SubmersionTracker
    private var news: [SubmersionEvent] = []

    /// - Returns: `nil` for a stream that measures no submersion.
    init?(_ key: StreamKey, _ declaration: StreamDeclaration) {
        guard declaration.measures.contains(.submersion) else { return nil }
        self.key = key
        tracker = SubmersionTracker(maximumDepth: declaration.maximumDepth)
    }

    /// It is the same sensor that another epoch of the stream told of.
    mutating func goOn(from before: WaterSensor) {
        tracker = SubmersionTracker(before.tracker, maximumDepth: tracker.maximumDepth)
    }

    mutating func take(_ reading: Submersion, at time: HostTime, uncertainty: @autoclosure () -> Int64?) {
        guard let told = tracker.update(reading, at: time) else { return }
        news.append(event(told, at: time, uncertainty: uncertainty()))
    }

    mutating func loseSight(at time: HostTime) {
        if let told = tracker.loseSight(at: time) { news.append(event(told, at: time, uncertainty: nil)) }
    }

    /// Whether it has told something since the last time.
    var hasNews: Bool { !news.isEmpty }

    /// What it has told since the last time.
    mutating func takeNews() -> [SubmersionEvent] {
        guard !news.isEmpty else { return news }
        defer { news.removeAll() }
        return news
    }

    /// What was left out of it is told by the next reading that says the same: so far this state was told.
    mutating func stand(at told: SubmersionState) { tracker.stand(at: told) }

    /// As it stands.
    var standing: SubmersionEvent? {
        tracker.readAt.map { time in
            event(
                SubmersionTracker.News(state: tracker.state, from: nil, reading: tracker.newest), at: time,
                uncertainty: nil)
        }
    }

    private func event(_ news: SubmersionTracker.News, at time: HostTime, uncertainty: Int64?) -> SubmersionEvent {
        SubmersionEvent(
            sensor: key, state: news.state, from: news.from, reading: news.reading, occurredAt: time,
            uncertaintyNanoseconds: uncertainty)
    }
}
