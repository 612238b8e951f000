public import WireProtocol

/// Who sits where.
extension Coordinator {
    /// Who holds the seat at this place; `nil` when nobody does.
    public func controller(at index: PeerIndex) -> ControllerID? { peers.read(index) { $0.lease.controller } }

    /// Whose unsealed frames come from this address.
    public func controller(sendingFrom address: PeerAddress) -> ControllerID? {
        peers.place { $0.isLegacy(from: address) }.flatMap(controller(at:))
    }

    /// Everyone who sits here, by seat: what is asked at every joining costs no report.
    package var sitters: [Sitter] {
        peers.answers { Sitter($0) }.sorted { $0.seat < $1.seat }
    }

    /// Who sits at this place: what is asked at every gesture costs no report.
    package func sitter(at index: PeerIndex) -> Sitter? { peers.read(index) { Sitter($0) } }

    /// Where somebody who sits here is spoken to; `nil` for nobody, and while it has no control connection.
    package func conversation(of index: PeerIndex) -> ConversationID? { peers.read(index) { $0.conversation } ?? nil }

    /// Where a controller listens some of whose buttons mean gestures; `nil` for any other, and while it is away.
    package func buttonListener(_ index: PeerIndex) -> ConversationID? {
        peers.read(index) { $0.hasButtonGestures ? $0.conversation : nil } ?? nil
    }
}

/// A controller with its seat, and the player that it drives.
package struct Sitter: Sendable {
    package let peer: PeerIndex
    package let controller: ControllerID
    package let name: String
    package let seat: Int
    package let player: PlayerNumber
    /// Whether it is not there.
    package let isLost: Bool

    init(_ peer: borrowing Peer) {
        self.peer = peer.index
        controller = peer.lease.controller
        name = peer.lease.name
        seat = peer.lease.seat
        player = peer.lease.player
        isLost = peer.isLost
    }
}
