package import WireProtocol

/// RFC 3550's estimate of how unevenly a peer's datagrams arrive: a running mean of the change in transit time.
///
/// `J += (|D| - J) / 16` in the order of arrival (section 6.4.1), with D from send times: from sample times it would
/// measure the sensor's scheduling.
package struct InterarrivalJitter: Hashable, Sendable {
    /// Nanoseconds, as RFC 3550's appendix A.8 keeps it: sixteen times the estimate, so that no fraction is lost.
    private var scaled: Int64 = 0
    private var previousTransit: Int64?

    package init() {}

    /// The estimate in nanoseconds.
    package var nanoseconds: Int64 { scaled >> 4 }

    /// - Parameter sentAt: nanoseconds on the sender's clock; its offset from the host's cancels out.
    package mutating func book(sentAt: Int64, arrivedAt: HostTime) {
        let transit = arrivedAt.nanoseconds.saturatingSubtract(sentAt)
        defer { previousTransit = transit }
        guard let previousTransit else { return }
        let change = transit.saturatingSubtract(previousTransit)
        // A leap of more than a minute is a clock that was set, not a network.
        let magnitude = min(change.magnitude, 60_000_000_000)
        scaled += Int64(magnitude) - ((scaled + 8) >> 4)
    }
}
