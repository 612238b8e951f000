public import WireProtocol

extension Coordinator {
    /// Acts on a reliable message of a controller; what cannot be read is dropped, as its peer's own loss.
    mutating func act(on body: UnsafeRawBufferPointer.SubSequence, of index: PeerIndex, at time: HostTime) {
        guard let message = try? LinkMessage(reading: body) else {
            peers[index].link!.ledger.bookUnreadable()
            return peers[index].link!.budget.spendMessage()
        }
        // A receipt for what the host commanded is the host's own doing.
        if case .hapticReceipt(let receipt) = message, note(receipt, of: index, at: time) { return }
        peers[index].link!.budget.spendMessage()
        switch message {
        case .rezero: actions.append(.rezero(index))
        case .application(let bytes): actions.append(.message(index, bytes))
        case .haptic, .hapticReceipt, .seat, .identify, .unknown: break
        }
    }

    /// Whether the receipt is for a haptic that was commanded and had none yet.
    private mutating func note(_ receipt: HapticReceipt, of index: PeerIndex, at time: HostTime) -> Bool {
        guard let place = peers[index].hapticsOut.firstIndex(where: { $0.id == receipt.id }) else { return false }
        let haptic = peers[index].hapticsOut.remove(at: place)
        let outcome: Occurrence.HapticOutcome.Outcome
        switch receipt.outcome {
        case .played(let at):
            let mapping = peers[index].mapping
            let playedAt = mapping?.hostTime(of: at) ?? time
            outcome = .played(
                at: playedAt, uncertaintyNanoseconds: mapping?.uncertaintyNanoseconds(at: playedAt))
        case .refused(let why): outcome = .refused(why)
        }
        occurred(
            .haptic(
                .init(
                    id: receipt.id, player: peers[index].lease.player, peer: index, sentAt: haptic.sentAt,
                    outcome: outcome)), at: time)
        return true
    }

    /// Whether newest-wins data is newer than all before it on its channel; a peer may use 16 channels.
    mutating func isNewest(_ sequence: UInt32, on channel: UInt8, of index: PeerIndex) -> Bool {
        if let place = peers[index].newestData.firstIndex(where: { $0.channel == channel }) {
            guard sequence > peers[index].newestData[place].sequence else { return false }
            peers[index].newestData[place].sequence = sequence
            return true
        }
        guard peers[index].newestData.count < 16 else { return false }
        peers[index].newestData.append((channel, sequence))
        return true
    }

    /// Asks a controller to play something; the receipt comes as an ``Occurrence``.
    ///
    /// Returns the haptic's id, or `nil` when the peer cannot be told (no such peer, nothing to play it with, or too
    /// many wait already): then nothing was sent and no receipt will come.
    public mutating func play(
        intensity: Double, sharpness: Double, duration: Duration = .milliseconds(60),
        timeToLive: Duration = .milliseconds(500), on index: PeerIndex
    ) -> UInt32? {
        guard peers.isSeated(index), peers[index].hasHaptics, peers[index].hapticsOut.count < 64 else { return nil }
        let haptic = Haptic(
            id: nextHapticID, intensity: intensity, sharpness: sharpness, duration: duration, timeToLive: timeToLive)
        guard send(.haptic(haptic), to: index) else { return nil }
        nextHapticID &+= 1
        peers[index].hapticsOut.append(HapticOut(id: haptic.id))
        return haptic.id
    }

    /// Everything that waited in the peer's outbox has left.
    mutating func noteHapticsSent(to index: PeerIndex, at now: HostTime) {
        for place in peers[index].hapticsOut.indices where peers[index].hapticsOut[place].sentAt == nil {
            peers[index].hapticsOut[place].sentAt = now
        }
    }

    /// Queues a reliable message; false when there is no such peer, it is too long, or too many wait already.
    @discardableResult
    public mutating func send(_ message: LinkMessage, to index: PeerIndex) -> Bool {
        guard peers.isSeated(index), peers[index].legacy == nil, let body = try? message.encoded() else { return false }
        agenda.touch(index)
        return peers[index].outbox.append(body) != nil
    }

    /// Sends newest-wins data: what waits unsent on the link is replaced.
    public mutating func sendNewest(_ bytes: [UInt8], channel: UInt8, to index: PeerIndex) -> Bool {
        guard peers.isSeated(index), peers[index].legacy == nil, bytes.count <= WireFormat.maximumMessageSize
        else { return false }
        agenda.touch(index)
        peers[index].outgoingSequence &+= 1
        peers[index].outgoingData = (peers[index].outgoingSequence, channel, bytes)
        return true
    }
}
