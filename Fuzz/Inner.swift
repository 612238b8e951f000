// What a seated controller can send behind the seal: everything that is read after the tag was found good.

import WireProtocol

/// Called by libFuzzer with bytes of its choice; a trap or a broken promise is a finding.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzInner(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = UnsafeRawBufferPointer(start: start, count: count)
    guard let payload = try? Payload(reading: bytes) else { return 0 }
    var inbox = ReliableInbox()
    var outbox = ReliableOutbox()
    _ = outbox.append([1])
    for block in payload.blocks {
        switch block {
        case .stream(let block): read(block)
        case .acknowledgement(let acknowledgement): read(acknowledgement)
        case .message(let id, let body):
            precondition(body.count <= WireFormat.maximumMessageSize, "a message is too long")
            _ = inbox.admit(id)
            read(message: body)
        case .receipt(let next): outbox.acknowledge(below: next)
        case .data(_, _, let body): precondition(body.count <= WireFormat.maximumMessageSize, "data is too long")
        case .probeAnswer(_, let receivedAt, _): map(receivedAt, and: DeviceTime(nanoseconds: payload.sentAt))
        case .probe, .goodbye, .account, .tally: break
        }
    }
    return 0
}

private func read(_ block: StreamBlock) {
    let declaration = StreamDeclaration(measures: block.measures)
    let codec = SampleCodec(declaration)
    for run in block.runs {
        var taken = 0
        var latest = Int64.min
        run.forEach(codec: codec) { index, sample in
            precondition(index >= block.floor && index - block.floor < WireFormat.streamWindow, "outside the window")
            precondition(sample.sampledAt.nanoseconds >= latest, "time ran backwards in a run")
            precondition(isSound(sample), "no number, or beyond the range")
            latest = sample.sampledAt.nanoseconds
            taken += 1
        }
        precondition(taken == run.count, "a run was cut")
    }
}

/// Finite, within the declared ranges, with an attitude that can be normalised.
private func isSound(_ sample: Sample) -> Bool {
    func stays(_ axes: SIMD3<Float>, within range: Float) -> Bool {
        (0..<3).allSatisfy { abs(axes[$0]) <= range * 1.000_01 }
    }
    let norm = (sample.attitude * sample.attitude).sum()
    return stays(sample.acceleration, within: 156.9064) && stays(sample.rotationRate, within: 34.906_586)
        && norm > 0.12 && norm < 4.001 && sample.battery <= 100
}

private func read(_ acknowledgement: StreamAcknowledgement) {
    let (first, end) = (acknowledgement.cumulative, acknowledgement.end)
    precondition(end >= first && end - first <= WireFormat.streamWindow + 1, "a bitmap is too wide")
    precondition(!acknowledgement.covers(first), "the cumulative index is the first that is missing")
    precondition(first == 0 || acknowledgement.covers(first - 1), "what lies below the cumulative index is settled")
    for distance in 0...min(end - first, 40) {
        _ = acknowledgement.covers(first + distance)
        _ = acknowledgement.covers(end - distance)
    }
    _ = acknowledgement.covers(.max)
}

private func read(message bytes: UnsafeRawBufferPointer.SubSequence) {
    guard let message = try? LinkMessage(reading: bytes) else { return }
    guard let again = try? message.encoded() else { preconditionFailure("a message that was read cannot be written") }
    let reread = again.withUnsafeBytes { try? LinkMessage(reading: $0[...]) }
    precondition(reread == message, "a message is not what was read")
}

/// Times that a peer chose, used as the clock's anchor and as what is asked of it.
private func map(_ anchor: DeviceTime, and time: DeviceTime) {
    for rate in [0, 0.0002, -0.0002, Double(bitPattern: UInt64(bitPattern: anchor.nanoseconds))] {
        let mapping = ClockMapping(
            state: .coarse, deviceAnchor: anchor, hostAnchor: HostTime(nanoseconds: time.nanoseconds), rateOffset: rate)
        _ = mapping.hostTime(of: time) + (time - anchor)
    }
}
