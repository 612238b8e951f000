import Testing
import WireProtocol

/// Bytes that a receiver must refuse, and the word for why.
struct RefusalVector: Codable, Equatable {
    /// What the bytes stand for: a whole datagram, of which the header is read; opened content; a message's body.
    enum Part: String, Codable { case datagram, payload, message }

    var name: String
    var part: Part
    var bytes, error: String

    init(_ name: String, _ part: Part, _ bytes: [UInt8]) {
        self.name = name
        self.part = part
        self.bytes = Hexadecimal.encode(bytes)
        do {
            switch part {
            case .datagram: _ = try DatagramHeader(bytes)
            case .payload: try Payload.reading(bytes) { _ in }
            case .message: _ = try LinkMessage(bytes)
            }
            error = "accepted"
        } catch {
            self.error = (error as? FrameError).map { String(describing: $0) } ?? "another error"
        }
    }
}

@Suite("Golden vectors, what must be refused")
struct RefusalVectors {
    @Test("What a receiver must refuse, it refuses for the reason in Documentation/vectors/refused.json")
    func refused() throws {
        let vectors = datagrams() + runs() + blocks() + messages()
        #expect(!vectors.contains { $0.error == "accepted" })
        try VectorFile(about: "Bytes that must be refused. See Documentation/WIRE-FORMAT.md.", vectors: vectors)
            .check(against: "refused.json")
    }

    private func datagrams() -> [RefusalVector] {
        let header = DatagramHeader(
            kind: .motion, connection: ConnectionID(index: 3, generation: 1), number: 1
        ).bytes
        return [
            RefusalVector("empty", .datagram, []),
            RefusalVector("header-cut", .datagram, Array(header.dropLast())),
            RefusalVector("too-long", .datagram, header + Array(repeating: 0, count: 1_192)),
            RefusalVector("version-0", .datagram, [0x01] + header.dropFirst()),
            RefusalVector("version-2", .datagram, [0x21] + header.dropFirst()),
            RefusalVector("kind-0", .datagram, [0x10] + header.dropFirst()),
            RefusalVector("kind-5", .datagram, [0x15] + header.dropFirst()),
        ]
    }

    private func runs() -> [RefusalVector] {
        func stream(_ body: [UInt8]) -> [UInt8] { payload { $0.write(rawBlock(1, body)) } }
        let still: [UInt8] = [0, 0, Sample.Measures.attitude.rawValue, 0, 0, 0, 0]
        return [
            RefusalVector("run-empty", .payload, stream(rawRun(first: 0, count: 0, times: []))),
            RefusalVector("run-cut", .payload, stream(rawRun(first: 0, count: 3, times: [0, 1]))),
            RefusalVector("times-equal", .payload, stream(rawRun(first: 0, count: 2, times: [4, 4]))),
            RefusalVector("times-back", .payload, stream(rawRun(first: 0, count: 2, times: [4, 3]))),
            RefusalVector("below-floor", .payload, stream(rawRun(floor: 10, first: 9, count: 1, times: [0]))),
            RefusalVector("past-window", .payload, stream(rawRun(first: 4_095, count: 2, times: [0, 1]))),
            RefusalVector(
                "past-last-index", .payload, stream(rawRun(floor: .max, first: .max, count: 1, times: [0]))),
            RefusalVector(
                "attitude-zero", .payload,
                stream(still + [0, 0, 0, 0, 1] + Array(repeating: 0, count: 8 + 3 + 8))),
            RefusalVector("measure-unknown", .payload, stream([0, 0, 0x41, 0, 0, 0, 0])),
            RefusalVector("stream-cut", .payload, stream([0, 0, 1, 0, 0, 0])),
        ]
    }

    private func blocks() -> [RefusalVector] {
        func block(_ type: UInt8, _ body: [UInt8], length: Int? = nil) -> [UInt8] {
            payload { $0.write(rawBlock(type, body, claimedLength: length)) }
        }
        return [
            RefusalVector("no-send-time", .payload, Array(repeating: 0, count: 7)),
            RefusalVector("length-too-great", .payload, block(200, [1, 2], length: 3)),
            RefusalVector("length-greatest", .payload, block(1, [], length: 0xFFFF)),
            RefusalVector("length-cut", .payload, payload { $0.write([UInt8(6), 0]) }),
            RefusalVector("acknowledgement-cut", .payload, block(2, [0, 0, 0, 0, 0])),
            RefusalVector("bitmap-too-long", .payload, block(2, Array(repeating: 0, count: 6 + 513))),
            RefusalVector("probe-cut", .payload, block(3, [0])),
            RefusalVector("answer-cut", .payload, block(4, Array(repeating: 0, count: 9))),
            RefusalVector("message-cut", .payload, block(5, [0, 0, 0])),
            RefusalVector("message-too-long", .payload, block(5, Array(repeating: 0, count: 4 + 513))),
            RefusalVector("receipt-cut", .payload, block(6, [0, 0, 0])),
            RefusalVector("data-too-long", .payload, block(7, Array(repeating: 0, count: 5 + 513))),
            RefusalVector("goodbye-cut", .payload, block(8, [1, 0, 0, 0])),
            RefusalVector("account-cut", .payload, block(9, Array(repeating: 0, count: 7))),
        ]
    }

    private func messages() -> [RefusalVector] {
        [
            RefusalVector("message-empty", .message, []),
            RefusalVector("haptic-cut", .message, [1] + Array(repeating: 0, count: 9)),
            RefusalVector("haptic-receipt-cut", .message, [2] + Array(repeating: 0, count: 12)),
            RefusalVector("outcome-unknown", .message, [2, 0, 0, 0, 1, 77] + Array(repeating: 0, count: 8)),
            RefusalVector("seat-cut", .message, [3, 0, 1, 0, 1, 0, 0, 0]),
        ]
    }
}
