public import WireProtocol

extension Coordinator {
    /// Asks a controller to play something; the receipt comes as an ``Occurrence``.
    ///
    /// Returns the haptic's id, or `nil` when the peer cannot be told (no such peer, nothing to play it with, or too
    /// many wait already): then nothing was sent and no receipt will come. Its time to live begins when time was let
    /// pass last; 0 is for ever.
    public mutating func play(
        intensity: Double, sharpness: Double, duration: Duration = .milliseconds(60),
        timeToLive: Duration = .milliseconds(500), on index: PeerIndex
    ) -> UInt32? {
        play(
            intensity: intensity, sharpness: sharpness, duration: duration, timeToLive: timeToLive, on: index,
            now: lastTick)
    }

    /// The same, commanded at this moment.
    package mutating func play(
        intensity: Double, sharpness: Double, duration: Duration, timeToLive: Duration, on index: PeerIndex,
        now: HostTime
    ) -> UInt32? {
        let haptic = Haptic(
            id: nextHapticID, intensity: intensity, sharpness: sharpness, duration: duration, timeToLive: timeToLive)
        guard peers.read(index, { $0.hasHaptics && $0.messages.takesHaptics }) == true,
            let body = try? LinkMessage.haptic(haptic).encoded()
        else { return nil }
        let expiresAt = haptic.timeToLive > .zero ? now + haptic.timeToLive : nil
        agenda.touch(index)
        guard peers.update(index, { $0.messages.play(body, id: haptic.id, until: expiresAt) }) == true else {
            return nil
        }
        nextHapticID &+= 1
        return haptic.id
    }

    /// The haptics of a peer that may have no receipt yet.
    package static let mostOpenHaptics = PeerMessages.mostOpenHaptics

    /// The haptics of a peer that have no receipt yet, in the order in which they were asked for.
    package func openHaptics(of index: PeerIndex) -> [UInt32] {
        peers.read(index) { $0.messages.haptics.map(\.id) } ?? []
    }

    /// Queues a reliable message; false when there is no such peer, it is too long, or too many wait already. A seat,
    /// and what to look for, are never too many.
    @discardableResult
    public mutating func send(_ message: LinkMessage, to index: PeerIndex) -> Bool {
        guard peers.read(index, { !$0.isLegacy }) == true, let body = try? message.encoded() else { return false }
        agenda.touch(index)
        return peers.update(index) { peer in
            switch message {
            case .seat, .detect:
                peer.messages.say(body)
                return true
            default: return peer.messages.send(body)
            }
        } ?? false
    }

    /// What controllers found by themselves, and played for it, out of what ``takeActions()`` would give: it counts before
    /// what the host sees in the same samples is told.
    package mutating func takeFinds() -> [Action] {
        func isOne(_ action: Action) -> Bool {
            switch action {
            case .found, .felt: true
            default: false
            }
        }
        guard !actions.isEmpty, actions.contains(where: isOne) else { return [] }
        defer { actions.removeAll(where: isOne) }
        return actions.filter(isOne)
    }

    /// Sends newest-wins data: what waits unsent on the same channel is replaced.
    public mutating func sendNewest(_ bytes: [UInt8], channel: UInt8, to index: PeerIndex) -> Bool {
        guard peers.read(index, { !$0.isLegacy }) == true, bytes.count <= WireFormat.maximumMessageSize
        else { return false }
        agenda.touch(index)
        peers.update(index) { $0.messages.sendNewest(bytes, channel: channel) }
        return true
    }
}
