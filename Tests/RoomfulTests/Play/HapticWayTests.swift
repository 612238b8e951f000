import Foundation
import InputMerge
import Synchronization
import Testing
import WireProtocol

@testable import ControllerClient
@testable import MotionFiles
@testable import RoomRecords
@testable import RoomServer
@testable import Roomful

@Suite("Haptics, over real sockets", .serialized, .timeLimit(.minutes(3)))
struct HapticWayTests {
    private func collect(_ room: Room, into heard: Heard<EventRecord>) async -> Task<Void, Never> {
        let events = await room.events().records
        return Task { for await event in events { heard.note(event) } }
    }

    private func haptics(_ heard: Heard<EventRecord>) -> [EventRecord.Haptic] {
        heard.all.compactMap { if case .haptic(let haptic) = $0 { haptic } else { nil } }
    }

    @Test("From the movement to what is felt of it, part by part: the parts are the whole, each with its uncertainty")
    func parts() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        let (heard, machine) = (Heard<EventRecord>(), Standstill())
        var options = try house.options()
        options.merge.gestures = [.keepCalmJump]
        try await withRoom(options) { room in
            let listening = await collect(room, into: heard)
            var phone = try house.phone("Blue")
            phone.haptics = .answered
            try await withController(phone, joining: room.local) { controller in
                let motor = Task {
                    for await event in controller.events {
                        guard case .haptic(let haptic) = event else { continue }
                        // A motor that takes its time to start.
                        try? await Task.sleep(for: .milliseconds(20))
                        controller.played(haptic)
                    }
                }
                let start = Controller.deviceTimeNow()
                let pushes = [1_500, 2_500].map { start + .milliseconds($0) }
                try await Phone(controller: controller).move(from: start, for: 3.2, push: Phone.pushes(at: pushes))
                try await room.play(on: "Blue")
                await #expect(throws: RoomError.self) { try await room.play(on: "Green") }
                try await until("three haptics") { haptics(heard).count >= 3 }
                motor.cancel()
            }
            room.stop()
            await listening.value
        }
        let all = haptics(heard)
        #expect(all.map(\.outcome) == [.played, .played, .played])
        let gestures = heard.all.compactMap { event -> EventRecord.Gesture? in
            if case .gesture(let gesture) = event, gesture.phase == .began { gesture } else { nil }
        }
        // A part during which the machine stood still is as much longer.
        let most = 200 + machine.total / .milliseconds(1)
        for (haptic, gesture) in zip(all, gestures) {
            let way = try #require(haptic.latency)
            #expect(way.gesture == gesture.id && haptic.controller == gesture.controllers.first)
            let parts = [way.sensor, way.network, way.fusion, way.command, way.played].compactMap(\.self)
            let total = try #require(way.total)
            #expect(parts.count == 5)
            #expect(abs(parts.reduce(0) { $0 + $1.ms } - total.ms) < 0.01)
            #expect(parts.allSatisfy { $0.ms >= -$0.uncertainty && $0.ms < most }, "\(parts)")
            // A sample period, and nothing of the clock.
            #expect(abs((way.sensor?.uncertainty ?? 0) - 10) < 0.2)
            #expect(way.fusion?.uncertainty == 0 && way.command?.uncertainty == 0)
            let played = try #require(way.played)
            #expect(played.ms + played.uncertainty >= 20)
            let playedAt = try #require(haptic.playedAt)
            #expect(abs(playedAt - gesture.at - total.ms) < 0.01)
        }
        let unasked = try #require(all.last?.latency)
        #expect(unasked.gesture == nil && unasked.sensor == nil && unasked.network == nil && unasked.fusion == nil)
        #expect(unasked.command != nil && (unasked.total?.ms ?? 0) >= 19)
    }

    /// Shakes the phone.
    private final class Motor: Sendable {
        private let span = Mutex(DeviceTime(nanoseconds: 0)..<DeviceTime(nanoseconds: 0))
        func run(from start: DeviceTime, for duration: Duration) { span.withLock { $0 = start..<start + duration } }
        func runs(at time: DeviceTime) -> Bool { span.withLock { $0.contains(time) } }
    }

    @Test("A phone whose motor shakes it does not jump of itself, however hard; the same shaking without one counts")
    func closedLoop() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        let heard = Heard<EventRecord>()
        var options = try house.options()
        options.merge.gestures = [GestureDefinition("push", .threshold(ThresholdRule(refractory: .zero)))]
        try await withRoom(options) { room in
            let listening = await collect(room, into: heard)
            var phone = try house.phone("Blue")
            phone.haptics = .answered
            try await withController(phone, joining: room.local) { controller in
                let motor = Motor()
                await withTaskGroup(of: Void.self) { group in
                    group.addTask {
                        for await event in controller.events {
                            guard case .haptic(let haptic) = event else { continue }
                            let now = Controller.deviceTimeNow()
                            motor.run(from: now, for: haptic.duration)
                            controller.played(haptic, at: now)
                        }
                    }
                    group.addTask {
                        let start = Controller.deviceTimeNow()
                        let pushes = [1_000, 2_000, 3_000].map { start + .milliseconds($0) }
                        let unasked = start + .milliseconds(4_000)
                        try? await Phone(controller: controller).move(from: start, for: 4.5) { time in
                            let byHand = pushes.contains { time >= $0 && time < $0 + .milliseconds(30) }
                            let isUnasked = time >= unasked && time < unasked + .milliseconds(15)
                            let isShaken = motor.runs(at: time)
                            let isUp = isUnasked || (isShaken && time.nanoseconds / 10_000_000 % 2 == 0)
                            return SIMD3(0, byHand ? 1 : isUp ? 0.9 : 0, 0)
                        }
                    }
                    await group.next()
                    group.cancelAll()
                }
            }
            room.stop()
            await listening.value
        }
        let began = heard.all.filter { if case .gesture(let gesture) = $0 { gesture.phase == .began } else { false } }
        #expect(began.count == 4)
        #expect(haptics(heard).filter { $0.outcome == .played }.count >= 3)
    }
}
