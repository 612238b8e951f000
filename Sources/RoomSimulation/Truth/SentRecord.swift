package import WireProtocol

/// One datagram as its sender logged it.
package struct SentRecord: Sendable {
    package struct Run: Hashable, Sendable {
        package var first: UInt32
        package var count: UInt32
        /// When its first sample was really taken; `nil` when nobody wrote that down.
        package var takenAt: HostTime?
    }

    package struct Block: Hashable, Sendable {
        package var stream: StreamID
        package var epoch: UInt8
        package var floor: UInt32
        /// In the order in which they stand.
        package var runs: [Run]

        package var indexes: [UInt32] { runs.flatMap { $0.first..<$0.first + $0.count } }
    }

    package var connection: ConnectionID
    /// What it is sealed with.
    package var key: LinkKey
    package var number: UInt32
    package var bytes: Int
    package var blocks: [Block] = []
    /// What its goodbye says was the last number, if it holds one.
    package var lastSent: UInt32?
    /// It ends the stay for good: what comes after it is nobody's.
    package var isFarewell = false

    /// - Parameters:
    ///   - content: the clear payload, after the header and before the tag.
    ///   - takenAt: when a sample was really taken that bears this time, in µs on its device's clock.
    package init(
        connection: ConnectionID, key: LinkKey, number: UInt32, bytes: Int, content: UnsafeRawBufferPointer,
        takenAt: (Int64) -> HostTime? = { _ in nil }
    ) {
        self.connection = connection
        self.key = key
        self.number = number
        self.bytes = bytes
        guard let payload = try? Payload(reading: content) else { return }
        for block in payload.blocks {
            switch block {
            case .stream(let stream):
                let runs = stream.runs.map { Run(first: $0.first, count: UInt32($0.count), takenAt: takenAt($0.start)) }
                blocks.append(Block(stream: stream.stream, epoch: stream.epoch, floor: stream.floor, runs: runs))
            case .goodbye(let reason, let last):
                lastSent = last
                if reason != .paused { isFarewell = true }
            case .acknowledgement, .probe, .probeAnswer, .message, .receipt, .data, .account, .tally: break
            }
        }
    }
}
