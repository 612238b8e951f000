import ControllerSession
import Testing
import WireProtocol

@testable import ControllerClient

@Suite("What a controller's user is told", .timeLimit(.minutes(1)))
struct EventDeskTests {
    @Test("A new name that comes while the place changes never tells an old place after the new one")
    func placeAndName() async {
        let desk = EventDesk(haptics: .none)
        async let naming: Void = rename(desk)
        async let moving: Void = move(desk)
        async let last = lastPlace(desk.events)
        _ = await (naming, moving)
        desk.finish()
        let told = await last
        #expect(told.wentBack == 0)
        #expect(told.seat == desk.seat)
    }

    private let rounds = 20_000

    private func rename(_ desk: EventDesk) async {
        for round in 1...rounds { desk.rename(to: "Blue \(round)") }
    }

    private func move(_ desk: EventDesk) async {
        for round in 1...rounds {
            _ = desk.take(.message(.seat(.init(seat: UInt16(round), player: 1, color: 0))))
        }
    }

    /// What was told last, and how often an older place than the one before.
    private func lastPlace(_ events: AsyncStream<ControllerEvent>) async -> (seat: Seat?, wentBack: Int) {
        var seat: Seat?
        var wentBack = 0
        for await event in events {
            guard case .seated(let now) = event else { continue }
            if let seat, now.seat < seat.seat { wentBack += 1 }
            seat = now
        }
        return (seat, wentBack)
    }
}
