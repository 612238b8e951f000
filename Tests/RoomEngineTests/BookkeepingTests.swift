import SessionCoordinator
import Testing
import WireProtocol

@testable import InputMerge
@testable import RoomEngine
@testable import RoomSimulation

@Suite("What an engine keeps of each peer")
struct BookkeepingTests {
    private func ms(_ time: Int64) -> HostTime { HostTime(nanoseconds: time * 1_000_000) }

    /// Known to ± so many ns at this moment, and by 10 ms less surely with each second.
    private func mapping(_ state: ClockMapping.State, uncertainty: Int64? = nil, at time: Int64 = 0) -> ClockMapping {
        ClockMapping(
            state: state, deviceAnchor: DeviceTime(nanoseconds: 0), hostAnchor: ms(time),
            uncertaintyNanoseconds: uncertainty, uncertaintyGrowth: 0.01)
    }

    @Test("One-way delays are as sure as the least sure of them was when it was counted, however sure the clock is now")
    func leastSure() {
        var delays = PeerDelays()
        func come(at time: Int64, oneWay: Int64? = 7) {
            delays.note(
                FrameStamps(sentAt: 77, arrivedAt: ms(time)), queueing: 0, oneWay: oneWay, isLogged: false)
        }
        come(at: 1, oneWay: nil)
        #expect(delays.oneWayUncertainty == nil)
        delays.noteClock(mapping(.coarse, uncertainty: 40_000_000, at: 1_000))
        #expect(delays.oneWayUncertainty == nil, "nothing was counted by it")
        come(at: 1_100)
        #expect(delays.oneWayUncertainty == 41_000_000)
        delays.noteClock(mapping(.locked, uncertainty: 1_000_000, at: 1_200))
        come(at: 1_300)
        #expect(delays.oneWayUncertainty == 41_000_000)
        come(at: 7_200)
        #expect(delays.oneWayUncertainty == 61_000_000, "it went on without an answer")
        // Another program's clock: what was counted by the one before stays so.
        delays.forgetStamps()
        delays.noteClock(mapping(.none))
        come(at: 8_000, oneWay: nil)
        delays.noteClock(mapping(.locked, uncertainty: 1_000_000, at: 9_000))
        come(at: 9_100)
        #expect(delays.oneWayUncertainty == 61_000_000)
    }

    @Test("Stamps of a clock that is lost say nothing of the datagrams that follow; those of one that is measured do")
    func stamps() {
        var delays = PeerDelays()
        let frame = FrameStamps(sentAt: 77, arrivedAt: ms(5))
        delays.note(frame, queueing: 0, oneWay: nil, isLogged: true)
        delays.noteClock(mapping(.coarse))
        delays.noteClock(mapping(.locked))
        #expect(delays.recent.sentAt(arrivedAt: ms(5))?.nanoseconds == 77 && delays.frames.frames == [frame])
        delays.noteClock(mapping(.none))
        #expect(delays.recent.sentAt(arrivedAt: ms(5)) == nil && delays.frames.frames.isEmpty)
        #expect(delays.queueing.total == 1, "how long it took is known still")
    }

    @Test(
        "Once a clock was set by so little that only a probe's answer shows it, frames of before are told no more",
        arguments: [8_000_000, -8_000_000] as [Int64])
    func setClock(by step: Int64) throws {
        var stage = try Stage(MergeConfiguration(gestures: []), rates: [100], networks: ["delay=1ms"])
        func transits() throws -> [Int64] {
            let request = RequestID(rawValue: 9)
            stage.host.handle(.command(.frames(nil), request), at: stage.now)
            stage.run(for: .milliseconds(5))
            guard case .success(.frames(let peers)) = stage.host.answers[request] else { return [] }
            return try #require(peers.first).frames.map(\.transit).sorted()
        }
        stage.run(for: .seconds(3))
        let before = try transits()
        stage.controllers[0].clock.offset += step
        stage.run(for: .seconds(3))
        let after = try transits()
        #expect(before.count > 20 && after.count > 20)
        for transits in [before, after] {
            let (least, most) = (try #require(transits.first), try #require(transits.last))
            #expect(most - least < 3_000_000)
        }
    }

    @Test("A room that is given many seats logs no frames until somebody asks for them, as one that was opened so")
    func frames() throws {
        var stage = try Stage(rates: [100], networks: ["delay=1ms"])
        func change(to seats: Int) {
            var terms = RoomTerms(stage.host.engine.configuration)
            terms.seats = seats
            stage.host.handle(.command(.change(terms), RequestID(rawValue: UInt64(seats))), at: stage.now)
        }
        #expect(stage.host.engine.sink.logsFrames)
        change(to: 65)
        #expect(!stage.host.engine.sink.logsFrames)
        change(to: 64)
        #expect(stage.host.engine.sink.logsFrames)
        stage.host.handle(.command(.frames(nil), RequestID(rawValue: 9)), at: stage.now)
        change(to: 65)
        #expect(stage.host.engine.sink.logsFrames)
    }

    @Test("From the movement to its haptic it takes as long as is known, as surely as both ends are known together")
    func uncertainty() {
        let origin = GestureOrigin(
            gesture: GestureID(player: 1, serial: 4), occurredAt: ms(100), uncertaintyNanoseconds: 7_000_000,
            arrivedAt: ms(120), toldAt: ms(130), controllers: [0])
        let trail = HapticTrail(
            peer: 0, commandedAt: ms(131), duration: .milliseconds(60),
            cause: HapticTrail.Cause(origin: origin, sentAt: ms(110), clockUncertainty: 2_000_000))
        let latency = trail.latency(sentAt: ms(135), playedAt: ms(150), uncertainty: 3_000_000)
        func span(_ length: Int64, _ uncertainty: Int64) -> HapticLatency.Span {
            .init(duration: .milliseconds(length), uncertainty: .milliseconds(uncertainty))
        }
        #expect(latency.sensor == span(10, 5) && latency.network == span(10, 2) && latency.fusion == span(10, 0))
        #expect(latency.command == span(5, 0) && latency.played == span(15, 3) && latency.total == span(50, 10))
        let alone = HapticTrail(peer: 0, commandedAt: ms(131), duration: .milliseconds(60), cause: nil)
        #expect(alone.latency(sentAt: nil, playedAt: ms(150), uncertainty: 3_000_000).total == span(19, 3))
    }

    @Test("The charge of whoever sits there next is news, though it is that of the one who left")
    func charges() {
        var sink = MergeSink(MergeConfiguration())
        let key = StreamKey(peer: 2, stream: 0)
        func feel(_ percent: UInt8) -> [Int] {
            var sample = Sample(sampledAt: DeviceTime(nanoseconds: 0), measures: [.battery])
            sample.battery = percent
            _ = sink.accept(sample, index: 0, of: key, arrivedAt: ms(0), now: ms(0))
            return sink.takeBatteryNews().map(\.percent)
        }
        sink.assign(2, to: [1], now: ms(0))
        #expect(feel(15) == [15] && feel(15) == [])
        sink.assign(2, to: [], now: ms(1))
        sink.assign(2, to: [1], now: ms(2))
        #expect(feel(15) == [15] && feel(16) == [16])
    }
}
