import WireProtocol

/// When a room goes by other addresses of its machine: not for those that come and go within a moment, nor for what is
/// left where a network was lost, as it mostly comes back with the address that it gave.
struct AddressWatch {
    /// Between two looks.
    static let interval: Duration = .seconds(3)

    private var seen: [PeerAddress] = []
    /// The machine is in no network that others are in, too, and misses an address that the room goes by.
    private(set) var isLost = false

    /// - Parameters:
    ///   - addresses: by which others reach the machine now, the best first.
    ///   - known: those that the room goes by.
    ///   - isAmongOthers: the machine is in a network that others are in, too. With bridges alone it is not.
    /// - Returns: those that it goes by from now on; `nil` while it stays as it is.
    mutating func look(_ addresses: [PeerAddress], known: [PeerAddress], isAmongOthers: Bool) -> [PeerAddress]? {
        defer { seen = addresses }
        let isSettled = addresses == seen
        let misses = !isAmongOthers && !known.allSatisfy(addresses.contains)
        // A network that is back is believed as late as other addresses are: it ends when the room has moved.
        isLost = misses || isLost && !isSettled
        return isSettled && addresses != known && !addresses.isEmpty && !misses ? addresses : nil
    }
}
