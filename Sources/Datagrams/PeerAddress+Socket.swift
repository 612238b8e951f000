package import CDatagrams
package import WireProtocol

extension PeerAddress {
    /// Every address of this machine; port 0 lets the system choose one.
    package static func any(port: UInt16) -> PeerAddress { PeerAddress(high: 0, low: 0, port: port) }

    package init(_ address: datagram_address) {
        self.init(high: address.high, low: address.low, port: address.port, scope: address.scope)
    }
}

extension OwnAddress {
    init(_ address: datagram_own_address) { self.init(high: address.high, low: address.low) }
}

extension datagram_own_address {
    init(_ address: OwnAddress) { self.init(high: address.high, low: address.low) }
}

extension datagram_address {
    init(_ address: PeerAddress) {
        self.init(high: address.high, low: address.low, scope: address.scope, port: address.port)
    }
}
