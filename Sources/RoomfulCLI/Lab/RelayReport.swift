import WireProtocol

/// What a relay did to the datagrams that controllers sent, one by one.
struct RelayReport: Encodable {
    /// By connection id.
    var connections: [FatesOfConnection] = []
    /// Arrivals without a header that can be read; passed on like all others.
    var unreadable = 0
    /// Arrivals of senders for whom there was no place.
    var turnedAway = 0
    /// Datagrams that this machine's kernel threw away before the relay read them; `null` when it does not say.
    var kernelDrops: Int?
    /// Datagrams that the kernel did not take.
    var unsent = 0
    /// Datagrams from the room, and copies of them passed on.
    var downTaken = 0
    var downDelivered = 0
}

/// The fates of one link epoch's datagrams.
///
/// `sent.count + duplicated == lost.count + delivered.count + corrupted.count`
struct FatesOfConnection: Encodable {
    let connection: UInt32
    /// Numbers in the order in which they came from the controller.
    private(set) var sent: [UInt32] = []
    /// Numbers that the link lost.
    private(set) var lost: [UInt32] = []
    /// Numbers of the whole copies passed on, in their order.
    private(set) var delivered: [UInt32] = []
    /// Numbers of the copies passed on with a bit flipped.
    private(set) var corrupted: [UInt32] = []
    /// Second copies made.
    private(set) var duplicated = 0

    init(_ connection: ConnectionID) { self.connection = connection.rawValue }

    mutating func took(_ number: UInt32, isLost: Bool, isDuplicated: Bool) {
        sent.append(number)
        if isLost { lost.append(number) }
        if isDuplicated { duplicated += 1 }
    }

    mutating func passedOn(_ number: UInt32, isWhole: Bool) {
        if isWhole { delivered.append(number) } else { corrupted.append(number) }
    }
}
