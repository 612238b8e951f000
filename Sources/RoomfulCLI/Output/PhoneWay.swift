import Identity
import Roomful
import WireProtocol

/// The way of phones into a room, as far as its link and its host tell.
enum PhoneWay {
    /// Why no phone gets in by a room's link, in words; `nil` where one may, and where the operator has said where
    /// phones reach it (`--url`): a tunnel may begin on this machine.
    ///
    /// - Parameter network: what befell that of the room's machine.
    static func problem(_ link: String, _ network: RoomStatus.Network?) -> String? {
        guard !link.hasSuffix("&u=1"), let host = (try? Ticket(link))?.addresses.first?.host,
            let address = PeerAddress(host: host, port: 0)
        else { return nil }
        if address.isLoopback {
            return "no phone can reach it: this machine is in no network, or has no address there that a phone can open"
        }
        if let network, network.isLost { return "no phone can reach it: \(network.words)" }
        guard address.isSelfAssigned else { return nil }
        return "no phone can reach it that has not given itself an address, too: this machine is in no network"
    }
}
