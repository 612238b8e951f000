package import WireProtocol

/// Tells when datagrams reached their socket: by the kernel's stamps, as far as those can be true.
///
/// The kernel stamps with the wall clock, which somebody may set at any moment, and then a datagram seems to have
/// waited for a day. But none came before the socket was last seen empty.
package struct ArrivalClock: Sendable {
    private var emptyAt: HostTime

    /// A socket that was opened just now.
    package init(openedAt now: HostTime) { emptyAt = now }

    /// - Parameter waited: nanoseconds in the socket by the stamp; `nil` where there is none.
    package func arrival(waited: Int64?, now: HostTime) -> HostTime {
        max(min(emptyAt, now), now - .nanoseconds(max(0, waited ?? 0)))
    }

    /// Less than a whole batch was there when the socket was asked, at this moment at the earliest.
    package mutating func noteEmpty(since moment: HostTime) { emptyAt = max(emptyAt, moment) }
}
