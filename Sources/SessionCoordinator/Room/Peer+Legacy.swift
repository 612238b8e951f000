import WireProtocol

extension Peer {
    /// Takes a frame without number and seal, if it comes from this peer's address.
    mutating func receive(
        _ frame: LegacyFrame, _ arrival: Arrival, to actions: inout [Action], sink: inout some MotionSink
    ) -> Reception {
        guard var source = attachment.takeLegacy() else { return .unknown }
        defer { attachment = .legacy(source) }
        let verdict = source.update { $0.admit(frame.milliseconds, arrivedAt: arrival.at) }
        guard verdict == .next || verdict == .restarted else { return .repeated }
        var consequence = Reception.Consequence()
        consequence.hasCome = hear(at: arrival.at, on: .legacy, to: &actions)
        minute.note(waited: arrival.now.nanoseconds.saturatingSubtract(arrival.at.nanoseconds))
        let sample = frame.sample
        let (mapping, queueing) = source.read {
            ($0.mapping(sampledAt: sample.sampledAt, arrivedAt: arrival.at), $0.queueing)
        }
        motion.take(
            sample, of: index, beginsAnew: verdict == .restarted,
            mapping: mapping, arrivedAt: arrival.at, now: arrival.now, sink: &sink)
        sink.noteDelay(
            of: index, FrameStamps(sentAt: sample.sampledAt.nanoseconds, arrivedAt: arrival.at),
            queueing: queueing, oneWay: nil)
        return .taken(consequence)
    }
}
