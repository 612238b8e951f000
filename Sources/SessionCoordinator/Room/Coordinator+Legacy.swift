public import WireProtocol

extension Coordinator {
    /// Takes a datagram that came to the port for frames without number and seal (``LegacyFrame``).
    ///
    /// Nothing is ever answered. A source without a seat asks by sending, whatever the room's policy, and the operator
    /// decides. Whoever can send from a seated source's address can speak for it: that is what the frame is.
    public mutating func receiveLegacy(
        _ datagram: UnsafeRawBufferPointer, from source: PeerAddress, arrivedAt: HostTime, now: HostTime,
        sink: inout some MotionSink
    ) {
        guard let frame = try? LegacyFrame(reading: datagram) else {
            strangers.malformed += 1
            return
        }
        guard let index = peers.place(where: { $0.legacy?.address == source }) else {
            strangers.unknown += 1
            guard !isLocked, !isClosing, let asking = legacy.heard(from: source, at: arrivedAt) else { return }
            occurred(.asking(controller: asking.controller, name: asking.name), at: arrivedAt)
            return
        }
        take(frame, of: index, arrivedAt: arrivedAt, now: now, sink: &sink)
    }

    /// A seat for a source that the operator accepted. No lease is kept on disk: an address proves nothing later.
    mutating func seat(_ source: LegacySources.Waiting, now: HostTime) {
        guard let seat = lowestFreeSeat else { return }
        let lease = makeLease(controller: source.controller, name: source.name, seat: seat, secretHash: [])
        let index = place(lease, now: now)
        peers[index].legacy = LegacyStream(address: source.address)
        peers[index].declarations = [LegacyFrame.declaration]
    }

    private mutating func take(
        _ frame: LegacyFrame, of index: PeerIndex, arrivedAt: HostTime, now: HostTime,
        sink: inout some MotionSink
    ) {
        let verdict = peers[index].legacy!.admit(frame.milliseconds, arrivedAt: arrivedAt)
        guard verdict == .next || verdict == .restarted else { return }
        agenda.touch(index)
        heard(index, at: arrivedAt)
        let key = StreamKey(peer: index, stream: LegacyFrame.declaration.stream)
        let isFull = peers[index].streams.first?.end == .max
        if peers[index].streams.isEmpty || verdict == .restarted || isFull {
            let epoch = peers[index].streams.first.map { $0.epoch &+ 1 } ?? 0
            peers[index].closeStreams()
            peers[index].mapping = nil
            peers[index].streams = [StreamReceiver(declaration: LegacyFrame.declaration, epoch: epoch)]
            sink.streamBegan(key, epoch: epoch, LegacyFrame.declaration, at: arrivedAt, admittedAt: nil)
        }
        let sample = frame.sample
        tellLegacyClock(of: index, sampledAt: sample.sampledAt, arrivedAt: arrivedAt, sink: &sink)
        // The index is ours: it counts what came.
        let next = peers[index].streams[0].end
        let sampleVerdict = sink.accept(sample, index: next, of: key, arrivedAt: arrivedAt, now: now)
        peers[index].streams[0].take(next, verdict: sampleVerdict)
        sink.noteDelay(
            of: index, FrameStamps(sentAt: sample.sampledAt.nanoseconds, arrivedAt: arrivedAt),
            queueing: peers[index].legacy!.queueing, oneWay: nil)
    }

    /// A millisecond is what the frame resolves: smaller corrections are not worth telling.
    private mutating func tellLegacyClock(
        of index: PeerIndex, sampledAt: DeviceTime, arrivedAt: HostTime, sink: inout some MotionSink
    ) {
        let mapping = peers[index].legacy!.mapping(sampledAt: sampledAt, arrivedAt: arrivedAt)
        if let told = peers[index].mapping {
            let change = (mapping.hostAnchor - told.hostTime(of: sampledAt)).wholeNanoseconds
            guard change.magnitude >= 1_000_000 else { return }
        }
        peers[index].mapping = mapping
        sink.clockChanged(of: index, to: mapping)
    }
}
