import WireProtocol

/// Where a peer's datagrams come from, and what may be sent there: RFC 9000, section 9.3.
struct LinkPath: Sendable {
    /// Where the datagram with the highest number came from; `nil` before the first, and always on a stream.
    private(set) var address: PeerAddress?
    /// Which of the host's addresses that datagram was sent to: what goes to the peer leaves from there.
    private(set) var own = OwnAddress.unknown
    /// Until a probe is echoed from the address, at most three times the bytes that came from it are sent there.
    private(set) var isValidated = false
    private(set) var changes: UInt64 = 0
    private var firstProbe = 0
    private var wrongEchoes = 0
    private var bytesFrom = 0
    private var bytesTo = 0

    /// An id has 16 bits and up to 32 are out: after so many wrong ones an echo from the address proves nothing more.
    private static let mostWrongEchoes = 8

    /// Notes that authenticated bytes came from an address. Only a number above all others moves the path there. Where it
    /// dialled another address of the host it is still where it was: nothing is to be proven anew.
    ///
    /// - Parameters:
    ///   - own: which of the host's addresses they were sent to.
    ///   - probesSent: how many were sent to this peer before.
    mutating func noteArrival(
        from source: PeerAddress, to own: OwnAddress = .unknown, bytes: Int, isNewest: Bool, probesSent: Int
    ) {
        if isNewest { self.own = own }
        if isNewest, address != source {
            if address != nil { changes += 1 }
            address = source
            isValidated = false
            firstProbe = probesSent
            wrongEchoes = 0
            bytesFrom = 0
            bytesTo = 0
        }
        if address == source { bytesFrom += bytes }
    }

    /// Notes an echoed probe by its place among all: one that was sent to the present address proves that the peer is
    /// there. `nil` is an echo of what nobody sent.
    mutating func noteEcho(of probe: Int?) {
        guard let probe else { return wrongEchoes += 1 }
        if probe >= firstProbe, wrongEchoes < Self.mostWrongEchoes { isValidated = true }
    }

    /// How many bytes may be sent now.
    var allowance: Int { isValidated ? .max : max(0, 3 * bytesFrom - bytesTo) }

    /// Notes that a datagram of this size was sent there.
    mutating func noteSent(bytes: Int) { bytesTo += bytes }
}
