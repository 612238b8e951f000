import Foundation
import InputMerge
import Testing
import WireProtocol

@testable import ControllerClient
@testable import Roomful

@Suite("Several sensors of one person, over real sockets", .serialized, .timeLimit(.minutes(4)))
struct SensorsTests {
    private let left = StreamDeclaration(stream: 0, location: .left)
    private let right = StreamDeclaration(stream: 1, location: .right)

    /// At rest face up, 100 a second on each of these streams, for so long.
    private func rest(
        _ controller: Controller, on streams: [StreamID], for seconds: Double, gravity: Float = 9.81
    ) async throws {
        let start = Controller.deviceTimeNow()
        for tick in 0..<Int64(seconds * 100) {
            let time = start + .milliseconds(10 * tick)
            try await Task.sleep(for: max(.zero, time - Controller.deviceTimeNow()))
            let tremor = 0.002 * gravity * Float(tick % 3)
            for stream in streams {
                controller.send(
                    Sample(
                        sampledAt: time, acceleration: SIMD3(0, tremor, gravity),
                        rotationRate: SIMD3(0.001 * Float(tick % 3), 0, 0)),
                    on: stream)
            }
        }
    }

    @Test("The game hears of buds that come, fall silent and take over; peers shows where each sits, and who speaks")
    func takeOver() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        var options = try house.options()
        options.merge.silence = .milliseconds(500)
        try await withRoom(options) { room in
            let events = await room.events().records
            let heard = Heard<String>()
            let listening = Task {
                for await case .sensor(let event) in events {
                    let former = event.from.map { " from \($0)" } ?? ""
                    heard.note("P\(event.player) \(event.location) \(event.state)\(former)")
                }
            }
            var buds = try house.controller("Buds")
            buds.streams = [left, right]
            try await withController(buds, joining: room.local) { controller in
                try await rest(controller, on: [0, 1], for: 0.5)
                try await rest(controller, on: [1], for: 1)
                let streams = try await room.peers(matching: "Buds").first?.detail?.streams ?? []
                #expect(streams.map(\.location) == ["left", "right"])
                #expect(streams.map(\.isSpeaking) == [false, true])
                #expect(await controller.settle(within: patience))
            }
            room.stop()
            await listening.value
            #expect(Set(heard.all.prefix(2)) == ["P1 left connected", "P1 right connected"])
            #expect(Set(heard.all.dropFirst(2).prefix(2)) == ["P1 left disconnected", "P1 right tookOver from 0"])
            #expect(heard.all.contains("P1 right disconnected"))
        }
    }

    @Test("Who sends g as m/s² is told so: the game by an event, the operator in peers, each with what to do")
    func wrongUnits() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        try await withRoom(try house.options()) { room in
            let events = await room.events().records
            try await withController(house.controller("Blue"), joining: room.local) { controller in
                try await rest(controller, on: [0], for: 1.5, gravity: 1)
                #expect(await controller.settle(within: patience))
                let peer = try #require(try await room.peers(matching: "Blue").first)
                let problems = peer.detail?.streams.first?.problems ?? []
                #expect(problems.map(\.kind) == ["accelerationInG"])
                #expect(problems.first?.explanation.contains("multiply by 9.80665") == true)
            }
            for await case .sensor(let event) in events where event.state == .problem {
                #expect(event.problem == "accelerationInG" && event.explanation != nil)
                break
            }
        }
    }

    @Test("A game takes a sensor's motion in batches: nothing left out, nothing twice, until the controller leaves")
    func batches() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        try await withRoom(try house.options()) { room in
            let counted = try await withController(house.controller("Blue"), joining: room.local) { controller in
                try await rest(controller, on: [0], for: 0.1)
                _ = try await room.peers { $0.first?.state == "active" }
                await #expect(throws: RoomError.self) { try await room.motions(of: "Blue", stream: 7) }
                let batches = try await room.motions(of: "Blue", .batches(every: .milliseconds(200)))
                async let counting = batches.reduce(into: [[DeviceTime]]()) { $0.append($1.motions.map(\.sampledAt)) }
                try await rest(controller, on: [0], for: 1.1)
                #expect(await controller.settle(within: patience))
                try await room.kick("Blue")
                return await counting
            }
            #expect(counted.count >= 5)
            #expect(counted.dropFirst().dropLast().allSatisfy { (19...21).contains($0.count) })
            let times = counted.flatMap(\.self)
            #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
        }
    }
}
