// What somebody hands in as a recording: a file of any bytes, or one whose chunks are sound and whose tape is not.

import FlightRecorder
import RoomEngine
import SessionCoordinator
import WireProtocol

/// Called by libFuzzer with bytes of its choice; a trap or a broken promise is a finding.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRecording(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = [UInt8](UnsafeRawBufferPointer(start: start, count: count))
    switch bytes.first.map({ $0 % 4 }) {
    case 0: read(file: whole(of: Array(bytes.dropFirst())))
    case 1: read(file: damaged(by: Array(bytes.dropFirst())))
    case 2: read(tape: bytes.dropFirst())
    default: read(opening: Array(bytes.dropFirst()))
    }
    return 0
}

/// A file that begins as one of ours, and goes on as these bytes say.
private func whole(of bytes: [UInt8]) -> [UInt8] {
    var writer = MCAPWriter()
    return writer.opening(library: "fuzz") + bytes
}

/// A sound file of three chunks, in which pairs of bytes say what is changed where; the last one says where it is cut.
private func damaged(by bytes: [UInt8]) -> [UInt8] {
    var writer = MCAPWriter()
    var file = writer.opening(library: "fuzz") + writer.metadata("roomful", [("room", "R")])
    for number in 0..<3 {
        writer.add(Array(bytes.prefix(40)), to: .inputs, logTime: UInt64(number))
        writer.add([0x7B, 0x7D], to: .events, logTime: UInt64(number))
        file += writer.chunk() ?? []
    }
    file += writer.closing()
    for place in stride(from: 0, to: bytes.count - 2, by: 3) {
        let spot = (Int(bytes[place]) << 8 | Int(bytes[place + 1])) % file.count
        file[spot] ^= bytes[place + 2]
    }
    if let last = bytes.last, last > 127 { file.removeLast(file.count * Int(last - 127) / 256) }
    return file
}

private func read(file: [UInt8]) {
    guard var reader = try? MCAPReader(file) else { return }
    var messages: [RecordedMessage] = []
    while let chunk = reader.nextChunk() {
        messages += chunk
        precondition(messages.count <= file.count, "more messages than bytes")
    }
    for damage in reader.damage {
        precondition(damage.from <= damage.to && damage.to <= UInt64(file.count), "damage lies outside the file")
    }
    guard let (keep, append) = reader.repair() else { return }
    precondition(keep <= UInt64(file.count), "a repair keeps what is not there")
    guard var mended = try? MCAPReader(Array(file.prefix(Int(keep))) + append) else {
        preconditionFailure("a mended file is no recording")
    }
    var again: [RecordedMessage] = []
    while let chunk = mended.nextChunk() { again += chunk }
    precondition(again == messages, "a mended file holds other messages")
    precondition(mended.isFinished && mended.damage.isEmpty, "a mended file is not whole")
}

private func read(tape bytes: ArraySlice<UInt8>) {
    guard var block = try? TapeBlock(bytes) else { return }
    let blocks = CollectedBlocks()
    var deck = TapeDeck(room: RoomConfiguration(), supply: blocks)
    var entries: [TapeEntry] = []
    while let (entry, at) = try? block.next() {
        entries.append(entry)
        if case .input(let input) = entry { deck.input(input, now: at) }
        precondition(entries.count <= bytes.count, "more entries than bytes")
    }
    deck.flush()
    for isFromTheStart in [true, false] { play(bytes, isFromTheStart: isFromTheStart) }
    // What was read can be written, and read again.
    for bytes in blocks.takeBlocks() {
        guard var block = try? TapeBlock(bytes[...]) else {
            preconditionFailure("a block that was written cannot be read")
        }
        do {
            while try block.next() != nil {}
        } catch {
            preconditionFailure("an input that was read cannot be read again: \(error)")
        }
    }
}

private func read(opening bytes: [UInt8]) {
    guard let opening = try? Opening(reading: bytes) else { return }
    let identities = TapedIdentities { text in [UInt8](repeating: UInt8(truncatingIfNeeded: text.utf8.count), count: 32)
    }
    guard let again = try? Opening(reading: identities.opening(opening).bytes) else {
        preconditionFailure("an opening that was read cannot be read again")
    }
    precondition(again.leases.count == opening.leases.count, "an opening lost a lease")
    // The room as it stood then lives on for an hour.
    var replay = Replay(opening)
    for seconds in [0, 1, 60, 3_600] { replay.play(.turn, at: opening.now + .seconds(seconds), cipher: NoCipher()) }
}

/// A tape drives a room, whatever it holds: nothing traps, and what it leads to has an end.
private func play(_ tape: ArraySlice<UInt8>, isFromTheStart: Bool) {
    guard var block = try? TapeBlock(tape) else { return }
    let room = EngineConfiguration(room: RoomConfiguration(seats: 4, policy: .open))
    var replay = Replay(
        Opening(
            configuration: room, now: block.begins, openedAt: block.begins, wallClock: 0,
            isFromTheStart: isFromTheStart))
    var outputs = 0
    while let (entry, at) = try? block.next() {
        replay.play(entry, at: at, cipher: NoCipher())
        switch entry {
        // Whoever stood there when it was begun comes before the first turn.
        case .stands, .roomStands, .brings, .waits, .offers: break
        default: replay.play(.turn, at: at, cipher: NoCipher())
        }
        outputs += replay.outputs.count
    }
    precondition(outputs <= 10_000 * max(1, tape.count), "a tape leads to more and more")
}

/// What is on a tape is open already.
private struct NoCipher: DatagramCipher {
    func seal(_: UnsafeMutableRawBufferPointer, headerLength _: Int, key _: LinkKey, number _: UInt32) {}
    func open(_: UnsafeMutableRawBufferPointer, headerLength _: Int, key _: LinkKey, number _: UInt32) -> Bool { true }
}
