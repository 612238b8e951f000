/// What a reliable message says. At most ``WireFormat/maximumMessageSize`` bytes, delivered once and in order.
public enum LinkMessage: Hashable, Sendable {
    /// Host to controller: play this.
    case haptic(Haptic)
    /// Controller to host: what became of it.
    case hapticReceipt(HapticReceipt)
    /// Host to controller: your place, from now on.
    case seat(SeatNotice)
    /// Host to controller: flash, sound and vibrate, so that people see which device this is.
    case identify
    /// Controller to host: the way I am held now is straight ahead.
    case rezero
    /// Either way: the game's own bytes.
    case application([UInt8])
    /// Controller to host: point at this moment in the room's recording. At most ``longestMark`` bytes.
    case mark(String, at: DeviceTime)
    /// Host to controller: look for these yourself from now on, and for nothing else.
    case detect(LocalDetection)
    /// Controller to host: I have found this.
    case found(LocalFind)
    /// A kind that a later version added.
    case unknown(kind: UInt8)

    /// What a player should know about the place.
    public struct SeatNotice: Hashable, Sendable {
        /// From 1.
        public var seat: UInt16
        /// From 1.
        public var player: UInt16
        /// 0xRRGGBB.
        public var color: UInt32

        /// A notice of one's place; colours as browsers have them, without transparency.
        public init(seat: UInt16, player: UInt16, color: UInt32) {
            self.seat = seat
            self.player = player
            self.color = color
        }
    }

    private enum Kind: UInt8 {
        case haptic = 1
        case hapticReceipt = 2
        case seat = 3
        case identify = 4
        case rezero = 5
        case application = 6
        case mark = 7
        case detect = 8
        case found = 9
    }

    /// What a mark is called has at most so many bytes.
    public static let longestMark = 200
    private static let receiptSize = 1 + 4 + 1 + 8
    private static let markHead = 1 + 8
    /// What stands of a tap's rule, in bytes.
    private static let tapSize: UInt8 = 10
    private static let findSize = 1 + 1 + 4 + 8

    /// Whether a message's bytes are a haptic's.
    package static func isHaptic(_ body: [UInt8]) -> Bool { body.first == Kind.haptic.rawValue }

    /// What a message is made of that has nothing to say any more: of a kind that nobody acts on.
    package static let nothing: [UInt8] = [0]
    /// Where a haptic's time to live stands among its bytes.
    private static let timeToLivePlace = 9

    /// For how long a haptic is worth playing from its next sending on; `body` is the message's bytes.
    package static func setTimeToLive(_ left: Duration, in body: inout [UInt8]) {
        guard isHaptic(body), body.count >= timeToLivePlace + 2 else { return }
        // 0 would be for ever.
        let left = max(1, milliseconds(left + .nanoseconds(999_999)))
        body[timeToLivePlace] = UInt8(left >> 8)
        body[timeToLivePlace + 1] = UInt8(left & 0xFF)
    }

    /// How many of a message's bytes say what it is, and cannot be anybody's words: its kind, a receipt's fields, without
    /// which nobody knows what became of a haptic, and the moment of a mark.
    package static func wordless(_ body: ArraySlice<UInt8>) -> Int {
        switch body.first.flatMap(Kind.init) {
        case .hapticReceipt: min(body.count, receiptSize)
        case .mark: min(body.count, markHead)
        case .found: min(body.count, findSize)
        default: min(body.count, 1)
        }
    }

    /// Where in a message's bytes a receipt says which haptic it is for; `nil` where it is none.
    package static func receiptID(_ body: ArraySlice<UInt8>) -> Range<Int>? {
        guard body.first == Kind.hapticReceipt.rawValue, body.count >= receiptSize else { return nil }
        return body.startIndex + 1..<body.startIndex + 5
    }

    /// The message's bytes.
    ///
    /// - Throws: `messageTooLong` for application data of more than 511 bytes, and for a mark of more than
    ///   ``longestMark``.
    public func encoded() throws(FrameError) -> [UInt8] {
        switch self {
        case .haptic(let haptic):
            return [Kind.haptic.rawValue] + haptic.id.bigEndianBytes + [
                Self.fraction(haptic.intensity), Self.fraction(haptic.sharpness),
            ] + Self.milliseconds(haptic.duration).bigEndianBytes + Self.milliseconds(haptic.timeToLive).bigEndianBytes
        case .hapticReceipt(let receipt):
            var outcome: UInt8 = 0
            var playedAt: Int64 = 0
            switch receipt.outcome {
            case .played(let at): playedAt = at.nanoseconds
            case .refused(let why): outcome = why.rawValue
            }
            return [Kind.hapticReceipt.rawValue] + receipt.id.bigEndianBytes + [outcome] + playedAt.bigEndianBytes
        case .seat(let notice):
            return [Kind.seat.rawValue] + notice.seat.bigEndianBytes + notice.player.bigEndianBytes
                + notice.color.bigEndianBytes
        case .identify: return [Kind.identify.rawValue]
        case .rezero: return [Kind.rezero.rawValue]
        case .application(let bytes):
            guard bytes.count < WireFormat.maximumMessageSize else { throw .messageTooLong }
            return [Kind.application.rawValue] + bytes
        case .mark(let text, let at):
            guard text.utf8.count <= Self.longestMark else { throw .messageTooLong }
            return [Kind.mark.rawValue] + at.nanoseconds.bigEndianBytes + Array(text.utf8)
        case .detect(let detection):
            let haptic = detection.haptic
            var bytes = [Kind.detect.rawValue, Self.fraction(haptic.intensity), Self.fraction(haptic.sharpness)]
            bytes += Self.milliseconds(haptic.duration).bigEndianBytes
            bytes.append(detection.tap == nil ? 0 : 1)
            guard let tap = detection.tap else { return bytes }
            bytes += [LocalFind.Gesture.tap.rawValue, Self.tapSize]
            for value in [tap.knock, tap.calm, tap.turn] { bytes += Self.thousandths(value).bigEndianBytes }
            for time in [tap.longest, tap.quiet] { bytes += Self.milliseconds(time).bigEndianBytes }
            return bytes
        case .found(let find):
            return [Kind.found.rawValue, find.gesture.rawValue] + find.id.bigEndianBytes
                + find.occurredAt.nanoseconds.bigEndianBytes
        case .unknown(let kind): return [kind]
        }
    }

    /// Reads a message's bytes; what follows the last known field is ignored.
    /// - Throws: `truncated` where its fields end too early, `malformedBlock` for a receipt whose outcome nobody knows, for a
    ///   mark that is too long, and for a find of what nobody knows or under a number of the host's.
    public init(reading bytes: UnsafeRawBufferPointer.SubSequence) throws(FrameError) {
        var reader = ByteReader(bytes)
        let kind: UInt8 = try reader.read()
        switch Kind(rawValue: kind) {
        case .haptic:
            let id: UInt32 = try reader.read()
            let intensity: UInt8 = try reader.read()
            let sharpness: UInt8 = try reader.read()
            let duration: UInt16 = try reader.read()
            let timeToLive: UInt16 = try reader.read()
            self = .haptic(
                Haptic(
                    id: id, intensity: Double(intensity) / 255, sharpness: Double(sharpness) / 255,
                    duration: .milliseconds(Int64(duration)), timeToLive: .milliseconds(Int64(timeToLive))))
        case .hapticReceipt:
            let id: UInt32 = try reader.read()
            let outcome: UInt8 = try reader.read()
            let playedAt: Int64 = try reader.read()
            if outcome == 0 {
                self = .hapticReceipt(HapticReceipt(id: id, outcome: .played(at: DeviceTime(nanoseconds: playedAt))))
            } else if let why = HapticReceipt.Refusal(rawValue: outcome) {
                self = .hapticReceipt(HapticReceipt(id: id, outcome: .refused(why)))
            } else {
                throw .malformedBlock
            }
        case .seat:
            self = .seat(SeatNotice(seat: try reader.read(), player: try reader.read(), color: try reader.read()))
        case .identify: self = .identify
        case .rezero: self = .rezero
        case .application: self = .application(Array(reader.remaining))
        case .mark:
            let at: Int64 = try reader.read()
            guard reader.remaining.count <= Self.longestMark else { throw .malformedBlock }
            // What is no UTF-8 takes more bytes once it is repaired.
            var text = String(decoding: reader.remaining, as: UTF8.self)
            while text.utf8.count > Self.longestMark { text.removeLast() }
            self = .mark(text, at: DeviceTime(nanoseconds: at))
        case .detect: self = .detect(try Self.detection(&reader))
        case .found:
            let gesture: UInt8 = try reader.read()
            let id: UInt32 = try reader.read()
            let at: Int64 = try reader.read()
            guard let gesture = LocalFind.Gesture(rawValue: gesture), id >= LocalFind.firstID else {
                throw .malformedBlock
            }
            self = .found(LocalFind(gesture: gesture, id: id, occurredAt: DeviceTime(nanoseconds: at)))
        case nil: self = .unknown(kind: kind)
        }
    }

    /// What a later version may look for is passed over; so is what stands behind the last field that this one knows.
    private static func detection(_ reader: inout ByteReader) throws(FrameError) -> LocalDetection {
        let intensity: UInt8 = try reader.read()
        let sharpness: UInt8 = try reader.read()
        let duration: UInt16 = try reader.read()
        let count: UInt8 = try reader.read()
        var tap: LocalDetection.Tap?
        for _ in 0..<count {
            let gesture: UInt8 = try reader.read()
            let size: UInt8 = try reader.read()
            var rule = ByteReader(try reader.readBytes(Int(size)))
            guard gesture == LocalFind.Gesture.tap.rawValue else { continue }
            func thousandths() throws(FrameError) -> Double { Double(try rule.read() as UInt16) / 1_000 }
            func milliseconds() throws(FrameError) -> Duration { .milliseconds(Int64(try rule.read() as UInt16)) }
            tap = LocalDetection.Tap(
                knock: try thousandths(), calm: try thousandths(), turn: try thousandths(), longest: try milliseconds(),
                quiet: try milliseconds())
        }
        return LocalDetection(
            tap: tap,
            haptic: Haptic(
                id: 0, intensity: Double(intensity) / 255, sharpness: Double(sharpness) / 255,
                duration: .milliseconds(Int64(duration)), timeToLive: .zero))
    }

    private static func thousandths(_ value: Double) -> UInt16 {
        value.isFinite ? UInt16(max(0, min(65_535, (value * 1_000).rounded()))) : 0
    }

    private static func fraction(_ value: Double) -> UInt8 {
        value.isFinite ? UInt8(max(0, min(255, (value * 255).rounded()))) : 0
    }

    private static func milliseconds(_ duration: Duration) -> UInt16 {
        UInt16(max(0, min(Int64(UInt16.max), duration.wholeNanoseconds / 1_000_000)))
    }
}

extension FixedWidthInteger {
    /// The bytes of the value, the most significant first.
    package var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
}
