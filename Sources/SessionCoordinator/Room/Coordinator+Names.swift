public import WireProtocol

extension Coordinator {
    /// Gives a controller another name, made unlike all others; whoever shows it is told.
    ///
    /// - Parameter name: 1 to 63 bytes; control characters are removed.
    public mutating func rename(_ index: PeerIndex, to name: String, now: HostTime) -> Result<[Action], OperatorError> {
        guard let clean = PeerName.sanitised(name), !clean.isEmpty else { return .failure(.badName) }
        guard var peer = peers.peer(at: index), peer.lease.name != clean else { return .success([]) }
        peer.lease.name = PeerName.unique(clean, among: peerNames(except: peer.lease.controller))
        peers.update(index) { $0.lease.name = peer.lease.name }
        agenda.touch(index)
        if !peer.isLegacy { actions.append(.commit([.keep(peer.lease)], thenAnswer: nil, nil)) }
        if let conversation = peer.conversation {
            actions.append(.answer(conversation, .renamed(Renamed(name: peer.lease.name))))
        }
        occurred(peer.playerChange(.renamed), at: now)
        return .success(takeActions())
    }

    /// A player comes back under another name, where players may choose: it is in the seat's answer, which is yet to come.
    mutating func takeName(_ name: String, of index: PeerIndex, now: HostTime) {
        guard !name.isEmpty, let lease = peers.read(index, { $0.lease }) else { return }
        let unique = PeerName.unique(name, among: peerNames(except: lease.controller))
        guard unique != lease.name else { return }
        let mayChoose = peers.update(index) { peer in
            peer.attachment.withLink { $0.budget.admitName(at: now.nanoseconds) } ?? true
        }
        guard mayChoose == true else { return }
        peers.update(index, with: &actions) { peer, actions in
            peer.lease.name = unique
            actions.append(.occurred(peer.playerChange(.renamed), at: now))
        }
    }

    /// What those who sit are called, but for one of them.
    func peerNames(except controller: ControllerID? = nil) -> [String] {
        peers.answers { $0.lease.controller == controller ? nil : $0.lease.name }.compactMap(\.self)
    }
}
