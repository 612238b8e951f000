import ControllerSession
import RoomSimulation
import SessionCoordinator
import WireProtocol

extension ScriptWorld {
    /// A datagram reaches the host, for the first time or again.
    ///
    /// - Parameters:
    ///   - source: where it seems to come from; where it was sent from if `nil`.
    ///   - age: how long it waited in the host's socket.
    mutating func deliverUp(
        _ place: Int, _ choice: Int, source: PeerAddress? = nil, age: Duration = .zero, isCopy: Bool = false
    ) {
        guard !pads[place].up.isEmpty else { return }
        let packet = pads[place].up[choice % pads[place].up.count]
        if !isCopy { pads[place].up.remove(at: choice % pads[place].up.count) }
        guard let number = packet.entry else { return }
        let entry = truth.log[number]
        let before = limited(entry.connection)
        let source = source ?? packet.address
        host.receive(packet.bytes, from: source, at: now - age, seenAt: now)
        let isLimited = limited(entry.connection) > before
        // A link that was ended meanwhile hears nothing more, not even where its peer is.
        if truth.peers[PeerIndex(entry.connection.index)]?.connection == entry.connection {
            promises.arrived(entry, from: source)
        }
        truth.arrived(number, from: source, now: now, isLimited: isLimited)
        settle()
    }

    /// How many datagrams of a link the host found too many so far, gone peers included.
    private func limited(_ connection: ConnectionID) -> UInt64 {
        let present = host.coordinator.report(of: PeerIndex(connection.index), now: now)
        if let present { return present.connection == connection ? present.epoch.rateLimited : 0 }
        guard let gone = host.departed.last, gone.connection == connection else { return 0 }
        return gone.epoch.rateLimited
    }

    /// A bit flips on the way, or all that arrives is noise.
    mutating func deliverDamaged(_ place: Int, _ choice: Int, bit: UInt64) {
        guard !pads[place].up.isEmpty else { return }
        let packet = pads[place].up.remove(at: choice % pads[place].up.count)
        var bytes = packet.bytes
        bytes[Int(bit / 8) % bytes.count] ^= 1 << UInt8(bit % 8)
        stray(bytes, from: packet.address)
    }

    mutating func stray(_ bytes: [UInt8], from source: PeerAddress) {
        host.receive(bytes, from: source)
        truth.strayed(bytes)
        settle()
    }

    /// A feedback reaches a controller, whole or with a bit flipped.
    mutating func deliverDown(_ place: Int, _ choice: Int, isCopy: Bool = false, bit: UInt64? = nil) {
        guard !pads[place].down.isEmpty else { return }
        let packet = pads[place].down[choice % pads[place].down.count]
        if !isCopy { pads[place].down.remove(at: choice % pads[place].down.count) }
        var bytes = packet.bytes
        if let bit { bytes[Int(bit / 8) % bytes.count] ^= 1 << UInt8(bit % 8) }
        let before = pads[place].link.report.feedback
        let events = pads[place].hear(bytes, now: now)
        let after = pads[place].link.report.feedback
        precondition(after.arrivals == before.arrivals + 1 && after.isBalanced, "a feedback is in no class, or in two")
        precondition(bit == nil || after.authenticated == before.authenticated, "a damaged feedback was believed")
        if let keys = pads[place].keys, bit == nil { promises.heard(bytes, by: keys, at: packet.address) }
        for case .message(.haptic(let haptic)) in events {
            let outcome: HapticReceipt.Outcome =
                haptic.id % 2 == 0 ? .played(at: pads[place].clock.device(now)) : .refused(.busy)
            try? pads[place].link.send(.hapticReceipt(HapticReceipt(id: haptic.id, outcome: outcome)))
        }
    }
}
