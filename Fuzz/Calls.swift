// What anyone on the network says about calls: messages, either side's, as JSONDecoder reads a line; and the TXT records of
// controllers that wait and of rooms. Bytes that begin as an object are a line, all others strings of a TXT record.

import Foundation
import WireProtocol

/// Called by libFuzzer with bytes of its choice; a trap or a broken promise is a finding.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCalls(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = UnsafeRawBufferPointer(start: start, count: count)
    if bytes.first == UInt8(ascii: "{") { read(line: Data(bytes)) } else { read(record: strings(bytes[...])) }
    return 0
}

private func read(line: Data) {
    guard let message = try? JSONDecoder().decode(CallMessage.self, from: line) else { return }
    guard let written = try? JSONEncoder().encode(message) else {
        preconditionFailure("a message that was read cannot be written")
    }
    precondition(
        (try? JSONDecoder().decode(CallMessage.self, from: written)) == message, "a message is not what was read")
    switch message {
    case .unrecognised(let type): precondition(type.count <= 64, "a strange type was not cut")
    case .pad(let greeting): read(digits: greeting.controller)
    case .offer(let offer):
        for text in [offer.controller, offer.room, offer.pin, offer.ticket, offer.context ?? ""] { read(digits: text) }
        if let room = RoomID(offer.room) {
            precondition(RoomID(room.description) == room, "a room's id")
        }
    case .waiting, .accepted, .joined, .refused, .withdrawn: break
    }
}

private func read(digits: String) {
    if let bytes = Hexadecimal.decode(digits) {
        precondition(Hexadecimal.encode(bytes) == digits.lowercased(), "hexadecimal digits were lost")
    }
    if let id = ControllerID(digits) { precondition(ControllerID(id.description) == id, "a controller's id") }
}

/// A TXT record's strings, each behind its length (RFC 6763, 6.1).
private func strings(_ bytes: Slice<UnsafeRawBufferPointer>) -> [[UInt8]] {
    var rest = bytes
    var strings: [[UInt8]] = []
    while let length = rest.popFirst() {
        strings.append(Array(rest.prefix(Int(length))))
        rest = rest.dropFirst(Int(length))
    }
    return strings
}

private func read(record strings: [[UInt8]]) {
    if let pad = ControllerRecord(strings: strings) {
        precondition(pad.id.utf8.count == 32, "a controller without an id")
        precondition(pad.strings.allSatisfy { $0.count <= 255 }, "a string that no record holds")
        precondition(ControllerRecord(strings: pad.strings) == pad, "a controller's record is not what was read")
    }
    if let room = try? RoomRecord(strings: strings) {
        precondition((try? RoomRecord(strings: room.strings)) == room, "a room's record is not what was read")
    }
}
