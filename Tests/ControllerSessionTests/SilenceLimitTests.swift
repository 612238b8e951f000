import Testing
import WireProtocol

@testable import ControllerSession

@Suite("How long a link may be silent")
struct SilenceLimitTests {
    private static func s(_ seconds: Double) -> Int64 { Int64(seconds * 1e9) }

    @Test("A silence that healed by itself is borne the next time, and half of that after every 30 s without trouble")
    func healing() {
        var limit = SilenceLimit(shortest: Self.s(1))
        limit.healed(after: Self.s(3.2), at: Self.s(100))
        #expect(limit.limit == Self.s(4))
        limit.heard(at: Self.s(129.9))
        #expect(limit.limit == Self.s(4))
        for (time, expected) in [(130.0, 2.0), (131, 2), (160, 1), (500, 1)] {
            limit.heard(at: Self.s(time))
            #expect(limit.limit == Self.s(expected))
        }
    }

    @Test("From the second joining within a minute on each doubles it, to 8 s or a fifth of the patience")
    func rejoining() {
        for (patience, longest) in [(40.0, 8.0), (20, 4), (3, 1), (0, 1)] {
            var limit = SilenceLimit(shortest: Self.s(1))
            limit.expect(patience: Self.s(patience))
            for (count, expected) in [1.0, 2, 4, 8, 8].enumerated() {
                limit.rejoined(at: Self.s(Double(count) * 10))
                #expect(limit.limit == Self.s(min(expected, longest)))
            }
        }
        var rare = SilenceLimit(shortest: Self.s(1))
        for count in 0..<5 { rare.rejoined(at: Self.s(Double(count) * 61)) }
        #expect(rare.limit == Self.s(1))
    }

    @Test("A host that hangs up has died: its silence counts after a second, whatever healed before")
    func hungUp() throws {
        var controller = Controller(streams: [StreamDeclaration()])
        controller.open(1, continues: true, at: 0)
        for (number, silentAt) in [(UInt16(2), 1_000.0), (3, 2_000)] {
            _ = controller.sendBytes(at: .ms(silentAt))
            controller.open(number, continues: true, at: silentAt)
        }
        #expect(controller.link.silenceLimit == .seconds(2))
        controller.link.controlHungUp(now: .ms(2_500))
        _ = controller.sendBytes(at: .ms(2_999))
        #expect(controller.link.state == .live)
        #expect(controller.link.nextDeadline.map { $0 <= .ms(3_000) } == true)
        _ = controller.sendBytes(at: .ms(3_000))
        #expect(controller.link.needsRejoin)
        // Before there is a link, and at absurd times, it does nothing.
        var early = ControllerLink(streams: [StreamDeclaration()], now: .ms(0))
        early.controlHungUp(now: DeviceTime(nanoseconds: .max))
        #expect(early.state == .closed)
    }

    @Test("A silence that ended with another host, or one started again, makes no silence longer")
    func anotherHost() throws {
        var controller = Controller(streams: [StreamDeclaration()])
        controller.open(1, continues: true, at: 0)
        for number in UInt16(2)...6 {
            let silentSince = Double(number - 2) * 1_100
            controller.hear(at: silentSince)
            _ = controller.sendBytes(at: .ms(silentSince + 1_000))
            #expect(controller.link.needsRejoin)
            controller.open(number, continues: false, at: silentSince + 1_100)
            #expect(controller.link.silenceLimit == .seconds(1))
        }
    }

    @Test("A link that is opened while the one before is heard makes no silence longer")
    func besideLiving() throws {
        var controller = Controller(streams: [StreamDeclaration()])
        controller.open(1, continues: true, at: 0)
        for number in UInt16(2)...6 {
            let time = Double(number - 1) * 900
            controller.hear(at: time)
            controller.open(number, continues: true, at: time)
            #expect(controller.link.state == .live && controller.link.silenceLimit == .seconds(1))
        }
    }

    @Test("Where a link ended without a word, the host knew nothing of it: the next silence is longer all the same")
    func unheard() throws {
        var controller = Controller(streams: [StreamDeclaration()])
        controller.open(1, continues: true, at: 0)
        #expect(!controller.link.isHeard)
        var time = 0.0
        for (number, limit) in [(UInt16(2), 1.0), (3, 2), (4, 4), (5, 8), (6, 8)] {
            time += controller.link.silenceLimit.milliseconds
            _ = controller.sendBytes(at: .ms(time))
            #expect(controller.link.needsRejoin)
            controller.open(number, continues: false, at: time)
            #expect(controller.link.silenceLimit == .seconds(limit))
        }
        controller.hear(at: time)
        #expect(controller.link.isHeard)
        controller.open(7, continues: false, at: time)
        #expect(!controller.link.isHeard)
    }

    @Test("A host that closes for a while counts as not heard at once, and as heard when it is back")
    func pausedByHost() throws {
        var controller = Controller(streams: [StreamDeclaration()])
        controller.open(1, continues: true, at: 0)
        // Twice within a minute: what was said before is no silence from which to learn.
        for (number, at) in [(UInt16(2), 200.0), (3, 700)] {
            controller.link.controlPaused(now: .ms(at))
            #expect(controller.link.needsRejoin)
            controller.open(number, continues: true, at: at + 100)
            #expect(controller.link.state == .live)
        }
        #expect(controller.link.silenceLimit == .seconds(1))
        _ = controller.sendBytes(at: .ms(1_799))
        #expect(controller.link.state == .live)
        _ = controller.sendBytes(at: .ms(1_800))
        #expect(controller.link.needsRejoin)
        var early = ControllerLink(streams: [StreamDeclaration()], now: .ms(0))
        early.controlPaused(now: DeviceTime(nanoseconds: .max))
        #expect(early.state == .closed)
    }

    @Test("A link that was replaced twice within a minute is quiet only after 2 s; absurd times do nothing")
    func link() throws {
        var controller = Controller(streams: [StreamDeclaration()])
        controller.open(1, continues: true, at: 0)
        for (number, silentAt) in [(UInt16(2), 1_000.0), (3, 2_000)] {
            _ = controller.sendBytes(at: .ms(silentAt - 1))
            #expect(controller.link.state == .live)
            _ = controller.sendBytes(at: .ms(silentAt))
            #expect(controller.link.needsRejoin)
            controller.open(number, continues: true, at: silentAt)
        }
        _ = controller.sendBytes(at: .ms(3_999))
        #expect(controller.link.state == .live)
        _ = controller.sendBytes(at: .ms(4_000))
        #expect(controller.link.needsRejoin)
        var extreme = SilenceLimit(shortest: Self.s(1))
        extreme.healed(after: .max, at: .min)
        extreme.heard(at: .max)
        extreme.rejoined(at: .min)
        extreme.rejoined(at: .max)
        #expect((Self.s(1)...Self.s(8)).contains(extreme.limit))
    }

    @Test("Each joining within a minute of the one before counts, however long ago the first was")
    func rejoiningOnAndOn() {
        var limit = SilenceLimit(shortest: Self.s(1))
        for (time, expected) in [(0.0, 1.0), (50, 2), (100, 4), (161, 4), (200, 8)] {
            limit.rejoined(at: Self.s(time))
            #expect(limit.limit == Self.s(expected), "\(time) s")
        }
    }

    @Test("A host of less patience is not waited for longer than a fifth of it, whatever was learnt of another")
    func lessPatience() {
        var limit = SilenceLimit(shortest: Self.s(1))
        limit.healed(after: Self.s(60), at: 0)
        #expect(limit.limit == Self.s(8))
        limit.expect(patience: Self.s(10))
        #expect(limit.limit == Self.s(2))
        limit.expect(patience: Self.s(100))
        #expect(limit.limit == Self.s(2))
    }

    @Test("A host that is heard again after it closed for a while was not silent: nothing is learnt from that")
    func pauseIsNoSilence() {
        for isPaused in [true, false] {
            var controller = Controller(streams: [StreamDeclaration()])
            controller.open(1, continues: true, at: 0)
            if isPaused { controller.link.controlPaused(now: .ms(200)) }
            _ = controller.sendBytes(at: .ms(4_000))
            #expect(controller.link.needsRejoin)
            controller.hear(at: 4_000)
            #expect(controller.link.state == .live)
            #expect(controller.link.silenceLimit == .seconds(isPaused ? 1 : 5))
        }
    }
}
