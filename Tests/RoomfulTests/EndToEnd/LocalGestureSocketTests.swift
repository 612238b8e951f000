import Foundation
import Testing
import WireProtocol

@testable import ControllerClient
@testable import RoomRecords
@testable import Roomful

@Suite("A controller that looks for taps itself, over real sockets", .serialized, .timeLimit(.minutes(2)))
struct LocalGestureSocketTests {
    @Test(
        "Its program feels the tap before the host's event, and the host says it was one: on a stream of any number",
        arguments: [0, 1] as [StreamID])
    func native(_ stream: StreamID) async throws {
        let house = try TestHouse()
        defer { house.remove() }
        var options = try house.options()
        options.localGestures = [.tap]
        let (felt, told) = (Heard<Haptic>(), Heard<EventRecord>())
        try await withRoom(options) { room in
            let records = await room.events().records
            let listening = Task { for await event in records { told.note(event) } }
            defer { listening.cancel() }
            var blue = try house.controller("Blue")
            blue.streams = [StreamDeclaration(stream: stream)]
            try await withController(blue, joining: room.local) { controller in
                let hearing = Task {
                    for await event in controller.events {
                        if case .haptic(let haptic) = event { felt.note(haptic) }
                    }
                }
                defer { hearing.cancel() }
                let start = Controller.deviceTimeNow()
                for tick in 0..<300 as Range<Int64> {
                    let sampledAt = start + .milliseconds(10 * tick)
                    let isKnocked = tick % 100 == 60 || tick % 100 == 61
                    try await Task.sleep(for: max(.zero, sampledAt - Controller.deviceTimeNow()))
                    controller.send(
                        Sample(sampledAt: sampledAt, acceleration: SIMD3(0, 0, isKnocked ? 25 : 9.80665)), on: stream)
                }
                func locals() -> [EventRecord.Local] {
                    told.all.compactMap { if case .local(let local) = $0 { local } else { nil } }
                }
                try await until("three finds are settled") { locals().count >= 3 }
                let taps = told.all.compactMap { event -> String? in
                    guard case .gesture(let gesture) = event, gesture.gesture == "tap", gesture.phase == .began else {
                        return nil
                    }
                    return gesture.id
                }
                #expect(locals().compactMap(\.id) == taps && taps.count == 3)
                #expect(locals().allSatisfy { ($0.felt ?? -1) >= 0 })
            }
        }
        // Of the taps it felt its own, and none of the host's.
        #expect(felt.all.count { $0.id >= LocalFind.firstID } == 3)
        let answered = told.all.count { event in
            if case .haptic(let haptic) = event { haptic.latency?.gesture != nil } else { false }
        }
        #expect(felt.all.count { $0.id < LocalFind.firstID } == answered)
    }

    @Test("A room that cannot let its controllers look for that does not open")
    func refused() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        var options = try house.options()
        options.localGestures = [.shake]
        await #expect(throws: RoomError.self) { try await withRoom(options) { _ in } }
    }
}
