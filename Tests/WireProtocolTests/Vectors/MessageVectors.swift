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
    var gesture, occurredAt: String?
    /// Thousandths of g and rad/s.
    var knock, calm, turn: UInt16?
    var longest, quiet: UInt16?

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
        case .detect(let detection):
            kind = "detect"
            intensity = UInt8((detection.haptic.intensity * 255).rounded())
            sharpness = UInt8((detection.haptic.sharpness * 255).rounded())
            duration = UInt16(detection.haptic.duration.milliseconds)
            func thousandths(_ value: Double) -> UInt16 { UInt16((value * 1_000).rounded()) }
            knock = detection.tap.map { thousandths($0.knock) }
            calm = detection.tap.map { thousandths($0.calm) }
            turn = detection.tap.map { thousandths($0.turn) }
            longest = detection.tap.map { UInt16($0.longest.milliseconds) }
            quiet = detection.tap.map { UInt16($0.quiet.milliseconds) }
        case .found(let find):
            kind = "found"
            id = find.id
            gesture = String(describing: find.gesture)
            occurredAt = String(find.occurredAt.nanoseconds)
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
            try MessageVector(
                "detect",
                .detect(
                    LocalDetection(
                        tap: LocalDetection.Tap(
                            knock: 0.5, calm: 0.15, turn: 1.5, longest: .milliseconds(60), quiet: .milliseconds(100)),
                        haptic: Haptic(id: 0, intensity: 0.6, sharpness: 0.4, duration: .milliseconds(60))))),
            try MessageVector("detect-nothing", .detect(LocalDetection(tap: nil, haptic: Haptic(id: 0)))),
            try MessageVector(
                "found",
                .found(
                    LocalFind(
                        gesture: .tap, id: LocalFind.firstID + 3, occurredAt: DeviceTime(nanoseconds: 5_000_000_001)))),
            try MessageVector("application-empty", .application([])),
            try MessageVector("application", .application(Array("level up".utf8))),
            try MessageVector("of-a-later-version", .unknown(kind: 99)),
        ]
        try VectorFile(about: "Bodies of reliable messages. See Documentation/WIRE-FORMAT.md.", vectors: vectors)
            .check(against: "messages.json")
    }
}
