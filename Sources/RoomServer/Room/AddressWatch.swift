import WireProtocol

/// When a room goes by other addresses of its machine: not for those that come and go within a moment, nor for none, as
/// a network that was lost mostly comes back with the address that it gave.
struct AddressWatch {
    /// Between two looks.
    static let interval: Duration = .seconds(3)

    private var seen: [PeerAddress] = []

    /// - Parameters:
    ///   - addresses: by which others reach the machine now, the best first.
    ///   - known: those that the room goes by.
    /// - Returns: those that it goes by from now on; `nil` while it stays as it is.
    mutating func look(_ addresses: [PeerAddress], known: [PeerAddress]) -> [PeerAddress]? {
        defer { seen = addresses }
        return addresses == seen && addresses != known && !addresses.isEmpty ? addresses : nil
    }
}
