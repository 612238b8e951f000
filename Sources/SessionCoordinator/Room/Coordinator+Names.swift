public import WireProtocol

extension Coordinator {
    /// Gives a controller another name, made unlike all others; whoever shows it is told.
    ///
    /// - Parameter name: 1 to 63 bytes; control characters are removed.
    public mutating func rename(_ index: PeerIndex, to name: String, now: HostTime) -> Result<[Action], OperatorError> {
        guard let clean = PeerName.sanitised(name), !clean.isEmpty else { return .failure(.badName) }
        guard var peer = peers.peer(at: index), peer.lease.name != clean else { return .success([]) }
        peer.lease.name = uniqueName(clean, of: peer.lease.controller)
        peers.update(index) { $0.lease.name = peer.lease.name }
        agenda.touch(index)
        if !peer.isLegacy { actions.append(.commit([.keep(peer.lease)], thenAnswer: nil, nil)) }
        if let conversation = peer.conversation, peer.transport.isReliable {
            actions.append(.answer(conversation, .renamed(Renamed(name: peer.lease.name))))
        }
        occurred(peer.playerChange(.renamed), at: now)
        return .success(takeActions())
    }

    /// A player comes back under another name, where players may choose: it is in the seat's answer, which is yet to come.
    mutating func takeName(_ name: String, of index: PeerIndex, now: HostTime) {
        guard !name.isEmpty, let lease = peers.read(index, { $0.lease }) else { return }
        let unique = uniqueName(name, of: lease.controller)
        guard unique != lease.name else { return }
        peers.update(index, with: &actions) { peer, actions in
            peer.lease.name = unique
            actions.append(.occurred(peer.playerChange(.renamed), at: now))
        }
    }

    private func uniqueName(_ name: String, of controller: ControllerID) -> String {
        PeerName.unique(name) { wanted in
            peers.place { $0.lease.name == wanted && $0.lease.controller != controller } != nil
        }
    }

    /// A browser says what it knows of its own sensor.
    public mutating func learn(_ report: SensorReport, from conversation: ConversationID) {
        guard let index = place(of: conversation) else { return }
        peers.update(index) { $0.sensor = report.sanitised }
    }
}
