import Testing
import WireProtocol

/// The body of one reliable message, and what it says. Numbers are those on the wire: intensity and sharpness in
/// 255ths, durations in milliseconds.
struct MessageVector: Codable, Equatable {
    var name, kind, bytes: String
    var id: UInt32?
    var intensity, sharpness: UInt8?
    var duration, timeToLive: UInt16?
    var outcome, playedAt: String?
    var seat, player: UInt16?
    var color: String?
    var body: String?
    var text, markedAt: String?

    init(_ name: String, _ message: LinkMessage) throws {
        self.name = name
        let encoded = try message.encoded()
        bytes = Hexadecimal.encode(encoded)
        switch try LinkMessage(encoded) {
        case .haptic(let haptic):
            kind = "haptic"
            id = haptic.id
            intensity = UInt8(haptic.intensity * 255)
            sharpness = UInt8(haptic.sharpness * 255)
            duration = UInt16(haptic.duration.milliseconds)
            timeToLive = UInt16(haptic.timeToLive.milliseconds)
        case .hapticReceipt(let receipt):
            kind = "hapticReceipt"
            id = receipt.id
            switch receipt.outcome {
            case .played(let at):
                outcome = "played"
                playedAt = String(at.nanoseconds)
            case .refused(let why): outcome = String(describing: why)
            }
        case .seat(let notice):
            kind = "seat"
            seat = notice.seat
            player = notice.player
            color = "#" + Hexadecimal.encode(notice.color.bigEndianBytes.dropFirst())
        case .identify: kind = "identify"
        case .rezero: kind = "rezero"
        case .application(let bytes):
            kind = "application"
            body = Hexadecimal.encode(bytes)
        case .mark(let words, let at):
            kind = "mark"
            text = words
            markedAt = String(at.nanoseconds)
        case .unknown: kind = "unknown"
        }
    }
}

@Suite("Golden vectors, reliable messages")
struct MessageVectors {
    @Test("Reliable messages are, byte for byte, those of Documentation/vectors/messages.json")
    func messages() throws {
        var vectors = [
            try MessageVector(
                "haptic",
                .haptic(
                    Haptic(
                        id: 9, intensity: 1, sharpness: 0, duration: .milliseconds(60),
                        timeToLive: .milliseconds(500)))),
            try MessageVector(
                "haptic-longest",
                .haptic(
                    Haptic(
                        id: .max, intensity: 0.2, sharpness: 0.8, duration: .seconds(5), timeToLive: .seconds(10)))),
            try MessageVector(
                "played",
                .hapticReceipt(HapticReceipt(id: 9, outcome: .played(at: DeviceTime(nanoseconds: 5_000_000_001))))),
        ]
        for refusal in HapticReceipt.Refusal.allCases {
            vectors.append(
                try MessageVector(
                    "refused-\(refusal)", .hapticReceipt(HapticReceipt(id: 10, outcome: .refused(refusal)))))
        }
        vectors += [
            try MessageVector("seat", .seat(.init(seat: 4, player: 2, color: 0x33_66CC))),
            try MessageVector("identify", .identify),
            try MessageVector("rezero", .rezero),
            try MessageVector("mark", .mark("lap 3", at: DeviceTime(nanoseconds: 5_000_000_001))),
            try MessageVector("mark-wordless", .mark("", at: DeviceTime(nanoseconds: -1))),
            try MessageVector("application-empty", .application([])),
            try MessageVector("application", .application(Array("level up".utf8))),
            try MessageVector("of-a-later-version", .unknown(kind: 99)),
        ]
        try VectorFile(about: "Bodies of reliable messages. See Documentation/WIRE-FORMAT.md.", vectors: vectors)
            .check(against: "messages.json")
    }
}
