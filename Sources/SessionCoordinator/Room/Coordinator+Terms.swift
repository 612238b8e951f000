public import WireProtocol

extension Coordinator {
    /// Takes over what may change while people play: seats, policy, names, and the times of a seat.
    ///
    /// Everyone keeps the seat that they have: there are never fewer seats than the highest that is taken or promised. A
    /// seat that is lost is kept as long as it was promised then. Who waits for the operator waits still, whatever the
    /// policy is now, but is no more likely to get a seat that is gone; who waits for a seat gets a new one at once. Where
    /// controllers were not cleared before, nobody has been away from one for longer than since now.
    ///
    /// - Parameter wanted: its mode, codes, port and suite change nothing.
    /// - Precondition: 1 to 10,000 seats.
    public mutating func adopt(_ wanted: RoomConfiguration, now: HostTime) {
        precondition(RoomConfiguration.possibleSeats.contains(wanted.seats), "the shell admits 1 to 10,000 seats")
        let seats = max(wanted.seats, highestSeat)
        if seats != configuration.seats { seatingLimiter = Self.seatingLimiter(seats: seats) }
        configuration.seats = seats
        configuration.policy = wanted.policy
        configuration.names = wanted.names
        configuration.idleTimeout = wanted.idleTimeout
        configuration.graceTimeout = wanted.graceTimeout
        if configuration.idleReset == nil, wanted.idleReset != nil {
            for index in peers.indices { peers.update(index) { $0.usedAt = $0.usedAt.map { _ in now } } }
        }
        configuration.idleReset = wanted.idleReset
        for entry in asking.indices {
            asking[entry].seat = asking[entry].seat.flatMap { $0 <= configuration.seats ? $0 : nil }
        }
        times = SeatTimes(configuration)
        for index in peers.indices where peers.isSeated(index) { agenda.touch(index) }
        occurred(.room(.changed), at: now)
    }

    /// The highest seat that is somebody's, or promised; 0 in an empty room.
    private var highestSeat: Int {
        (peers.answers { $0.lease.seat } + promised).max() ?? 0
    }
}
