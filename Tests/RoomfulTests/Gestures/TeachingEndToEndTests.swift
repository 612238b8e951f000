import Foundation
import InputMerge
import Testing
import WireProtocol

@testable import ControllerClient
@testable import Identity
@testable import RoomRecords
@testable import Roomful

@Suite("Teaching, over real sockets", .serialized, .timeLimit(.minutes(4)))
struct TeachingEndToEndTests {
    /// Rests for 0.4 s, draws a circle in 0.8 s, rests again.
    private func draw(_ controller: Controller, wobble: Double) async throws {
        let start = Controller.deviceTimeNow()
        for tick in 0..<160 {
            let share = (Double(tick) - 40) / 80
            let isDrawing = (0..<1).contains(share)
            let (size, angle) = (1 + wobble, 2 * Double.pi * share)
            let push = isDrawing ? SIMD3(0.8 * size * cos(angle), 0.8 * size * sin(angle), 0) : .zero
            let turn = isDrawing ? SIMD3(2 * sin(angle), 2 * size * cos(angle), 0) : .zero
            let sample = Sample(
                sampledAt: start + .milliseconds(10 * tick),
                acceleration: SIMD3<Float>((SIMD3(0, 0, 1) - push) * standardGravity),
                rotationRate: SIMD3<Float>(turn))
            try await Task.sleep(for: max(.zero, sample.sampledAt - Controller.deviceTimeNow()))
            controller.send(sample)
        }
    }

    private func until<Element>(_ what: String, _ heard: Heard<Element>) async throws {
        try await RoomfulTests.until(what) { !heard.all.isEmpty }
    }

    @Test("A gesture shown three times is recognised, listed, renamed, kept over a restart of the host, and removed")
    func theWholeWay() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        let options = try house.options()
        let (heard, addresses) = (Heard<EventRecord>(), Heard<RoomAddress>())
        let (asked, drawn) = (Heard<Bool>(), Heard<Bool>())
        let first = Task {
            try await withRoom(options) { room in
                addresses.note(try room.local)
                let events = await room.events().records
                let listening = Task { for await event in events { heard.note(event) } }
                _ = try await room.peers { $0.first?.state == "active" }
                try await room.teach("circle", to: "P1", times: 3)
                asked.note(true)
                try await until("four circles", drawn)
                #expect(try await room.taught(by: "P1").map(\.examples) == [3])
                try await room.renameTaught("circle", of: "P1", to: "ring")
                try await room.setSensitivity(1.5, of: "P1")
                await #expect(throws: RoomError.self) { try await room.removeTaught("circle", of: "P1") }
                await #expect(throws: RoomError.self) { try await room.teach("jump", to: "P1") }
                room.stop()
                await listening.value
            }
        }
        try await until("a room", addresses)
        try await withController(house.controller("Blue"), joining: addresses.all[0]) { controller in
            try await until("the lesson", asked)
            for round in 0..<4 { try await draw(controller, wobble: 0.05 * Double(round)) }
            #expect(await controller.settle(within: patience))
            drawn.note(true)
            try await first.value

            // The same room again: whoever had a seat is back in it, with what was taught.
            try await withRoom(options) { room in
                #expect(try await room.peers { !$0.isEmpty }.map(\.name) == ["Blue"])
                #expect(try await room.taught().map(\.gesture) == ["ring"])
                #expect(try await room.peers(matching: "P1").first?.detail?.sensitivity == 1.5)
                try await room.removeTaught("ring", of: "P1")
                #expect(try await room.taught().isEmpty)
            }
        }
        let steps = heard.all.compactMap { event -> String? in
            if case .teaching(let step) = event { "\(step.state) \(step.shown)" } else { nil }
        }
        #expect(steps == ["example 1", "example 2", "finished 3"])
        let circles = heard.all.compactMap { event -> EventRecord.Gesture? in
            if case .gesture(let gesture) = event, gesture.gesture == "circle" { gesture } else { nil }
        }
        #expect(circles.map(\.phase) == [.began, .ended])
    }

    @Test("Ctrl-C in roomful teach calls the lesson off; the room stays as it was")
    func interrupted() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        let host = try await HostProgram(in: house)
        let status = try await host.status
        let room = RoomAddress.direct(host: "127.0.0.1", port: status.port)
        let trust = Trust.fingerprint(try #require(Pin(status.pin)))
        try await withController(house.controller("Blue"), joining: room, trust: trust) { controller in
            controller.send(Sample(sampledAt: Controller.deviceTimeNow(), acceleration: SIMD3(0, 0, 9.81)))
            _ = try await host.status { $0.peers.first?.state == "active" }
            let teach = try RunningProgram(
                try BuiltProgram.path, ["teach", "wave", "--player", "P1"],
                environment: ["ROOMFUL_STATE": host.state.folder.path])
            try await teach.says("1 of 3")
            teach.kill(SIGINT)
            #expect(try await teach.ended().contains("called off"))
            #expect(teach.status == 1)
            try await host.program.says("teaches wave: called off")
        }
    }
}
