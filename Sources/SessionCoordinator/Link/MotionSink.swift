public import WireProtocol

/// Where the samples of a room go as they arrive: the merge, or a recorder, or both.
///
/// Called in the order of arrival, before ``Coordinator/receive(_:from:arrivedAt:now:cipher:sink:)`` returns: on the
/// motion path nothing is put into lists.
public protocol MotionSink {
    /// A stream begins, or begins anew: what follows under this key is of the new epoch. What was surely sampled before
    /// `admittedAt` (`nil`: nothing) was sampled by somebody who had no seat, and is late.
    mutating func streamBegan(
        _ key: StreamKey, epoch: UInt8, _ declaration: StreamDeclaration, at now: HostTime, admittedAt: HostTime?)
    /// A sample that had not arrived before. It reached the socket at `arrivedAt`, and is looked at only `now`: while
    /// the host itself stood still, it waited in between.
    mutating func accept(
        _ sample: Sample, index: UInt32, of key: StreamKey, arrivedAt: HostTime, now: HostTime
    ) -> ArrivalVerdict
    /// Samples below the floor that have not come never will.
    mutating func streamAbandoned(_ key: StreamKey, below floor: UInt32)
    /// How a peer's clock stands to ours, newly.
    mutating func clockChanged(of peer: PeerIndex, to mapping: ClockMapping)
    /// A datagram's stamps, and its delays in nanoseconds: above the least of late, and one way if the clocks are known.
    mutating func noteDelay(of peer: PeerIndex, _ frame: FrameStamps, queueing: Int64, oneWay: Int64?)
    /// How many samples were made up for a stream, where its own were missing, since this was last asked: that is work,
    /// and its peer is charged for it.
    mutating func takeBridged(of key: StreamKey) -> Int
}

extension MotionSink {
    /// Nothing is made up.
    public mutating func takeBridged(of _: StreamKey) -> Int { 0 }
}

/// Takes every sample and does nothing with it: a coordinator without a merge.
public struct NoMotionSink: MotionSink {
    /// A sink for rooms that only count: every sample is booked as delivered.
    public init() {}
    public mutating func streamBegan(
        _: StreamKey, epoch _: UInt8, _: StreamDeclaration, at _: HostTime, admittedAt _: HostTime?
    ) {}
    public mutating func accept(
        _: Sample, index _: UInt32, of _: StreamKey, arrivedAt _: HostTime, now _: HostTime
    ) -> ArrivalVerdict { .delivered }
    public mutating func streamAbandoned(_: StreamKey, below _: UInt32) {}
    public mutating func clockChanged(of _: PeerIndex, to _: ClockMapping) {}
    public mutating func noteDelay(of _: PeerIndex, _: FrameStamps, queueing _: Int64, oneWay _: Int64?) {}
}
