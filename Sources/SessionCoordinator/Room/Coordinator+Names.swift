public import WireProtocol

extension Coordinator {
    /// Gives a controller another name, made unlike all others; whoever shows it is told.
    ///
    /// - Parameter name: 1 to 63 bytes; control characters are removed.
    public mutating func rename(_ index: PeerIndex, to name: String, now: HostTime) -> Result<[Action], OperatorError> {
        guard let clean = PeerName.sanitised(name), !clean.isEmpty else { return .failure(.badName) }
        guard peers.isSeated(index), peers[index].lease.name != clean else { return .success([]) }
        let unique = uniqueName(clean, of: index)
        peers[index].lease.name = unique
        agenda.touch(index)
        if peers[index].legacy == nil {
            actions.append(.commit([.keep(peers[index].lease)], thenAnswer: nil, nil))
        }
        if let conversation = peers[index].conversation, peers[index].transport.isReliable {
            actions.append(.answer(conversation, .renamed(Renamed(name: unique))))
        }
        occurred(peers[index].playerChange(.renamed, peer: index), at: now)
        return .success(takeActions())
    }

    /// A player comes back under another name, where players may choose: it is in the seat's answer, which is yet to come.
    mutating func takeName(_ name: String, of index: PeerIndex, now: HostTime) {
        guard !name.isEmpty else { return }
        let unique = uniqueName(name, of: index)
        guard unique != peers[index].lease.name else { return }
        peers[index].lease.name = unique
        occurred(peers[index].playerChange(.renamed, peer: index), at: now)
    }

    private func uniqueName(_ name: String, of index: PeerIndex) -> String {
        PeerName.unique(name) { wanted in
            peers.place { $0.lease.name == wanted && $0.lease.controller != peers[index].lease.controller } != nil
        }
    }

    /// A browser says what it knows of its own sensor.
    public mutating func learn(_ report: SensorReport, from conversation: ConversationID) {
        guard let index = peers.place(where: { $0.conversation == conversation }) else { return }
        peers[index].sensor = report.sanitised
    }
}
