import Testing

@testable import RoomfulCLI

@Suite("How fast a recorded evening is played")
struct ReplayPaceTests {
    @Test(
        "A mark that claims any time at all is waited for, and traps nobody", arguments: [1e300, .infinity, -1e300],
        [1, 1e-300, 1e300])
    func anyTime(claimed: Double, speed: Double) async throws {
        let pace = ReplayPace(speed: speed)
        try await pace.wait(until: 0)
        let waiting = Task { try await pace.wait(until: claimed) }
        waiting.cancel()
        _ = await waiting.result
        // Whoever begins there has nothing to wait for.
        let late = ReplayPace(speed: speed)
        for _ in 0..<2 { try await late.wait(until: claimed) }
    }
}
