import WireProtocol

/// Newest-wins data of both directions: of each channel only the latest piece matters.
struct NewestData: Sendable {
    private struct Outgoing: Sendable {
        let channel: UInt8
        var sequence: UInt32
        var bytes: [UInt8]
        var isWaiting: Bool
    }

    private var outgoing: [Outgoing] = []
    private var incoming = NewestInbox()

    var isWaiting: Bool { outgoing.contains { $0.isWaiting } }

    /// Puts a piece in the place of the channel's one before; false when there would be too many channels.
    mutating func offer(_ bytes: [UInt8], channel: UInt8) -> Bool {
        guard let place = outgoing.firstIndex(where: { $0.channel == channel }) else {
            guard outgoing.count < WireFormat.mostChannels else { return false }
            outgoing.append(Outgoing(channel: channel, sequence: 0, bytes: bytes, isWaiting: true))
            return true
        }
        outgoing[place].sequence &+= 1
        outgoing[place].bytes = bytes
        outgoing[place].isWaiting = true
        return true
    }

    /// Writes the waiting pieces that fit; each is sent once.
    mutating func write(to writer: inout ByteWriter) {
        for place in outgoing.indices where outgoing[place].isWaiting {
            let piece = outgoing[place]
            let fits = writer.writeData(channel: piece.channel, sequence: piece.sequence, body: piece.bytes)
            if fits { outgoing[place].isWaiting = false }
        }
    }

    /// Whether a piece from the host is newer than all before on its channel; remembers it.
    mutating func admit(_ sequence: UInt32, channel: UInt8) -> Bool { incoming.admit(sequence, on: channel) }

    /// A new link epoch: both sides count from 0 again.
    mutating func restart() {
        incoming = NewestInbox()
        outgoing.removeAll { !$0.isWaiting }
        for place in outgoing.indices { outgoing[place].sequence = 0 }
    }
}
