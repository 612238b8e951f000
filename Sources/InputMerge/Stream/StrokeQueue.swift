import WireProtocol

/// Holds back the end of a stroke until a faster accelerometer of the same device has told what it met, and with it whatever
/// else is seen of that gesture, so that its order stays.
///
/// How the two sensors' samples come in makes no difference by that, only their own times; unless the next one begins before
/// the faster sensor has told, as a beginning waits for nothing.
struct StrokeQueue: Sendable {
    /// An impact comes within so much of the stroke's fastest moment.
    private static let reach: Duration = .milliseconds(150)

    /// For how long the faster sensor is awaited; `nil` where there is none.
    var patience: Duration?
    private var waiting: [(detection: Detection, since: HostTime)] = []

    /// When the faster sensor is given up; `nil` while nothing waits.
    @inline(__always) var deadline: HostTime? {
        // Looked at with each sample, so that nothing is copied of what waits.
        guard !waiting.isEmpty else { return nil }
        return waiting[0].since + (patience ?? .zero)
    }

    /// Takes what was seen; false when it is to be told at once, after what waited and is given up for it.
    mutating func holds(_ detection: Detection, since now: HostTime, into detections: inout [Detection]) -> Bool {
        guard patience != nil else { return false }
        // Contests count on it that nothing begins any more before the watermark.
        if detection.phase == .began, waiting.first?.detection.gesture == detection.gesture {
            giveUp(into: &detections)
            return false
        }
        let isSame = waiting.first.map { $0.detection.gesture == detection.gesture } ?? false
        guard isSame || waiting.isEmpty && detection.recognition.stroke != nil else { return false }
        waiting.append((detection, now))
        return true
    }

    /// Gives what the faster sensor has told enough of.
    mutating func settle(_ knocks: KnockTrail, into detections: inout [Detection]) {
        while let first = waiting.first {
            var detection = first.detection
            if let stroke = detection.recognition.stroke {
                guard let known = knocks.knownUntil, known >= stroke.fastestAt + Self.reach else { return }
                if let knock = knocks.sharpest(within: Self.reach, of: stroke.fastestAt) {
                    detection.recognition.measures.take(knock, of: stroke)
                }
            }
            detections.append(detection)
            waiting.removeFirst()
        }
    }

    /// Gives up what waited until then: it is told as the slower sensor saw it.
    mutating func giveUp(before time: HostTime, into detections: inout [Detection]) {
        while let due = deadline, due <= time || waiting[0].detection.recognition.stroke == nil {
            detections.append(waiting.removeFirst().detection)
        }
    }

    /// Gives up everything.
    mutating func giveUp(into detections: inout [Detection]) {
        detections += waiting.map(\.detection)
        waiting = []
    }
}

/// What of a stroke that is over has to do with what it met.
struct Stroke: Hashable, Sendable {
    var fastestAt: DeviceTime
    /// When it began; `nil` where that cannot be told.
    var startedAt: DeviceTime?
    /// So sharp a knock is a hit, in g.
    var impact: Double
}

extension GestureMeasures {
    /// What a fast sensor felt tells for sure what a stroke met.
    fileprivate mutating func take(_ knock: KnockTrail.Knock, of stroke: Stroke) {
        let isHit = knock.strength > stroke.impact
        (hit, hitUncertain, impact) = (isHit, nil, isHit ? knock.strength : nil)
        if isHit { sinceStart = stroke.startedAt.map { knock.at.seconds(since: $0) } }
    }
}
