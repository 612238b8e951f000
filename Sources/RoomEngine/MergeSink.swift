import InputMerge
import SessionCoordinator
import WireProtocol

/// Leads samples from the coordinator into the merge, and delays into their histograms.
struct MergeSink: MotionSink {
    var merge: Merge
    /// By ``PeerIndex``.
    private(set) var delays: [PeerDelays?] = []
    /// Whether each peer's last 1,000 frames are kept, 16 KB a peer: in small rooms always, in large ones from when
    /// somebody first asks for them.
    var logsFrames = false

    init(_ configuration: MergeConfiguration) { merge = Merge(configuration: configuration) }

    mutating func streamBegan(
        _ key: StreamKey, epoch: UInt8, _ declaration: StreamDeclaration, at now: HostTime, admittedAt: HostTime?
    ) {
        merge.connect(key, declaration: declaration, admittedAt: admittedAt, now: now)
    }

    mutating func accept(
        _ sample: Sample, index: UInt32, of key: StreamKey, arrivedAt: HostTime, now: HostTime
    ) -> ArrivalVerdict {
        merge.accept(sample, index: index, of: key, arrivedAt: arrivedAt, now: now)
    }

    mutating func streamAbandoned(_ key: StreamKey, below floor: UInt32) { merge.abandon(below: floor, of: key) }

    mutating func clockChanged(of peer: PeerIndex, to mapping: ClockMapping) {
        merge.updateClock(of: peer, mapping)
        if delays.indices.contains(peer) { delays[peer]?.noteClock(mapping.state) }
    }

    /// A program that the host does not know speaks for the peer from now on.
    mutating func restart(_ peer: PeerIndex) {
        merge.restart(peer: peer)
        if delays.indices.contains(peer) { delays[peer]?.forgetStamps() }
    }

    mutating func noteDelay(of peer: PeerIndex, _ frame: FrameStamps, queueing: Int64, oneWay: Int64?) {
        guard delays.indices.contains(peer) else { return }
        delays[peer]?.note(queueing: queueing, oneWay: oneWay)
        delays[peer]?.recent.note(frame)
        if logsFrames { delays[peer]?.frames.note(frame) }
    }

    func delays(of peer: PeerIndex) -> PeerDelays? { delays.indices.contains(peer) ? delays[peer] : nil }

    /// When a peer sent, by its own clock, the datagram that arrived then; `nil` for one of long ago.
    func sentAt(arrivedAt: HostTime, of peer: PeerIndex) -> DeviceTime? {
        delays(of: peer)?.recent.sentAt(arrivedAt: arrivedAt)
    }

    /// A peer drives these players from now on; none when it left, and then everything about it is let go.
    mutating func assign(_ peer: PeerIndex, to players: [PlayerNumber]) {
        while delays.count <= peer { delays.append(nil) }
        if players.isEmpty {
            delays[peer] = nil
            merge.disconnect(peer: peer)
        } else {
            if delays[peer] == nil { delays[peer] = PeerDelays() }
            merge.assign(peer: peer, to: players)
        }
    }
}
