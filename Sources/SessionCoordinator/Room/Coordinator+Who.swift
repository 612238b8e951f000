public import WireProtocol

extension Coordinator {
    /// Who holds the seat at this place; `nil` when nobody does.
    public func controller(at index: PeerIndex) -> ControllerID? { peers.read(index) { $0.lease.controller } }

    /// Whose unsealed frames come from this address.
    public func controller(sendingFrom address: PeerAddress) -> ControllerID? {
        peers.place { $0.isLegacy(from: address) }.flatMap(controller(at:))
    }
}
