import Testing
import WireProtocol

@Suite("Reliable messages")
struct LinkMessageTests {
    static let everyMessage: [LinkMessage] = [
        .haptic(
            Haptic(id: 7, intensity: 1, sharpness: 0.2, duration: .milliseconds(60), timeToLive: .milliseconds(500))),
        .hapticReceipt(HapticReceipt(id: 7, outcome: .played(at: DeviceTime(nanoseconds: .min)))),
        .hapticReceipt(HapticReceipt(id: 8, outcome: .refused(.notAllowed))),
        .seat(.init(seat: 1, player: .max, color: 0xFF_FFFF)), .identify, .rezero, .application([]),
        .application(Array(repeating: 9, count: 511)),
        .detect(
            LocalDetection(
                tap: LocalDetection.Tap(
                    knock: 0.5, calm: 0.15, turn: 1.5, longest: .milliseconds(60), quiet: .milliseconds(100)),
                haptic: Haptic(id: 0, intensity: 1, sharpness: 0, duration: .milliseconds(60), timeToLive: .zero))),
        .detect(
            LocalDetection(
                tap: nil, haptic: Haptic(id: 0, intensity: 0, sharpness: 0, duration: .zero, timeToLive: .zero))),
        .found(LocalFind(gesture: .tap, id: .max, occurredAt: DeviceTime(nanoseconds: .min))),
        .mark("", at: DeviceTime(nanoseconds: .min)),
        .mark(String(repeating: "ü", count: 100), at: DeviceTime(nanoseconds: 7)),
    ]

    @Test("Every message says again what was written into it", arguments: everyMessage)
    func roundTrip(message: LinkMessage) throws {
        let bytes = try message.encoded()
        #expect(bytes.count <= WireFormat.maximumMessageSize)
        #expect(try LinkMessage(bytes) == message)
    }

    @Test("A kind of a later version is surfaced as unknown, whatever follows it")
    func unknown() throws {
        for kind in [UInt8(0)] + Array(10...255) {
            #expect(try LinkMessage([kind]) == .unknown(kind: kind))
            #expect(try LinkMessage([kind, 1, 2, 3]) == .unknown(kind: kind))
        }
    }

    @Test("Cut at any length, a message is refused", arguments: everyMessage)
    func truncation(message: LinkMessage) throws {
        if case .application = message { return }
        if case .mark(let text, _) = message, !text.isEmpty { return }
        let bytes = try message.encoded()
        for length in 0..<bytes.count {
            #expect(throws: FrameError.truncated) { try LinkMessage(Array(bytes.prefix(length))) }
        }
    }

    @Test(
        "What a later version may look for is passed over; a find under a number of the host's, or of nothing known, is not read"
    )
    func detection() throws {
        let tap = LocalDetection.Tap(knock: 1, calm: 2, turn: 3, longest: .milliseconds(4), quiet: .milliseconds(5))
        let haptic = Haptic(id: 0, intensity: 1, sharpness: 0, duration: .milliseconds(60), timeToLive: .zero)
        var bytes = try LinkMessage.detect(LocalDetection(tap: tap, haptic: haptic)).encoded()
        bytes[5] = 3
        bytes.insert(contentsOf: [200, 2, 9, 9], at: 6)
        bytes += [201, 0]
        #expect(try LinkMessage(bytes) == .detect(LocalDetection(tap: tap, haptic: haptic)))
        let find = try LinkMessage.found(
            LocalFind(gesture: .tap, id: 0x8000_0000, occurredAt: DeviceTime(nanoseconds: 1))
        )
        .encoded()
        #expect(throws: FrameError.malformedBlock) { try LinkMessage(Array(find[..<1]) + [2] + Array(find[2...])) }
        #expect(throws: FrameError.malformedBlock) { try LinkMessage(Array(find[..<2]) + [0x7F] + Array(find[3...])) }
    }

    @Test("A mark of 201 bytes is neither written nor read; one that is no UTF-8 is read as far as it is")
    func longMark() throws {
        let long = LinkMessage.mark(String(repeating: "x", count: 201), at: DeviceTime(nanoseconds: 0))
        #expect(throws: FrameError.messageTooLong) { try long.encoded() }
        let head = [UInt8(7)] + [UInt8](repeating: 0, count: 8)
        #expect(throws: FrameError.malformedBlock) { try LinkMessage(head + [UInt8](repeating: 0x78, count: 201)) }
        guard case .mark(let repaired, _) = try LinkMessage(head + [UInt8](repeating: 0xFF, count: 200)) else {
            Issue.record("what is no UTF-8 was read as no mark")
            return
        }
        #expect(
            repaired.utf8.count == 198
                && (try? LinkMessage.mark(repaired, at: DeviceTime(nanoseconds: 0)).encoded()) != nil)
        #expect(try LinkMessage(head + [0x61, 0xFF]) == .mark("a\u{FFFD}", at: DeviceTime(nanoseconds: 0)))
    }

    @Test("A game may send 511 bytes; 512 are refused before they are sent")
    func tooLong() {
        #expect(throws: FrameError.messageTooLong) {
            try LinkMessage.application(Array(repeating: 0, count: 512)).encoded()
        }
    }

    @Test("A haptic's numbers are clipped to what the bytes can say")
    func clipping() throws {
        func afterTravel(_ haptic: Haptic) throws -> Haptic {
            guard case .haptic(let received) = try LinkMessage(LinkMessage.haptic(haptic).encoded()) else {
                throw FrameError.malformedBlock
            }
            return received
        }
        for value in [-1, .nan, .infinity, -.infinity, 1e300, 0.5] {
            let received = try afterTravel(Haptic(id: 0, intensity: value, sharpness: value))
            #expect((0...1).contains(received.intensity))
            #expect((0...1).contains(received.sharpness))
        }
        let long = try afterTravel(
            Haptic(id: 0, duration: .seconds(Int64.max), timeToLive: .seconds(-5)))
        #expect(long.duration == .milliseconds(65_535))
        #expect(long.timeToLive == .zero)
    }
}
