// What anyone can say to a room's doors, as bytes: HTTP and WebSocket at either port, through the pipeline that serves
// them, the operator's lines, and what other hosts of a site ask; behind them a whole engine. The first byte says which door.

import ControlPort

/// Called by libFuzzer with bytes of its choice; a trap or a broken promise is a finding.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzDoors(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    precondition(isOpen, "nobody is behind the doors")
    let bytes = Array(UnsafeRawBufferPointer(start: start, count: count))
    switch bytes.first {
    case UInt8(ascii: "T"): FuzzedSite(arrival: .tls).hear(Array(bytes.dropFirst()))
    case UInt8(ascii: "H"): FuzzedSite(arrival: .loopback).hear(Array(bytes.dropFirst()))
    case UInt8(ascii: "O"): operate(Array(bytes.dropFirst()))
    case UInt8(ascii: "S"): askAsHost(Array(bytes.dropFirst()))
    default: break
    }
    return 0
}

/// What is asked in order is answered, at once or by a task: without this a door that hears nothing would never break a
/// promise.
private let isOpen: Bool = {
    OwnThread.take()
    let bytes = { String(repeating: "0f", count: $0) }
    let guest = #"{"controller": "\#(bytes(16))", "key": "\#(bytes(32))", "code": "7KQM2X9D", "last": "\#(bytes(16))"}"#
    return isServed("GET /") && isServed("POST /api/lobby", guest)
}()

private func isServed(_ request: String, _ body: String = "") -> Bool {
    let lines = [
        "\(request) HTTP/1.1", "Host: localhost", "Origin: https://localhost", "Content-Type: application/json",
        "Content-Length: \(body.utf8.count)", "", body,
    ]
    let answer = FuzzedSite(arrival: .tls).hear(Array(lines.joined(separator: "\r\n").utf8))
    return answer.starts(with: Array("HTTP/1.1 200 OK".utf8))
}
