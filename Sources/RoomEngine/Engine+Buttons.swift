import InputMerge
import SessionCoordinator
import WireProtocol

/// Controllers whose buttons mean gestures are told which they can mean, and what their players have taught.
extension Engine {
    /// So many taught gestures can have a button: a stream has no more.
    private static let mostTaught = 16

    /// The player taught something, or has other talents now: whose buttons mean it is to be told.
    mutating func noteTaught(by player: PlayerNumber) {
        for peer in driven.indices where driven[peer] == player { buttonsDue.append(peer) }
    }

    /// Tells those for whom it may have changed.
    mutating func tellButtons() {
        if buttonsDue.isEmpty { return }
        let peers = Set(buttonsDue).sorted()
        buttonsDue.removeAll(keepingCapacity: true)
        for peer in peers {
            guard let conversation = coordinator.buttonListener(peer) else { continue }
            let list = ButtonList(
                gestures: configuration.merge.gestures.map(\.kind.rawValue),
                taught: sink.merge.taught(of: player(of: peer)).prefix(Self.mostTaught).map(\.kind.rawValue))
            if let told = buttonsTold[peer], told.conversation == conversation, told.list == list { continue }
            buttonsTold[peer] = (conversation, list)
            outputs.append(.say(conversation, .buttons(list)))
        }
    }
}
