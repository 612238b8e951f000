import Testing

@testable import RoomfulCLI

@Suite("Calls of rooms that a waiting controller does not know")
struct StrangersCallsTests {
    @Test("Ten are told in any minute, however many call; and again in the next")
    func bounded() {
        var calls = StrangersCalls()
        let began = ContinuousClock.now
        // Six a second, for ten minutes.
        let told = (0..<3_600).map { began + .seconds(Double($0) / 6) }.filter { calls.admits(at: $0) }
        for time in told { #expect(told.count { time <= $0 && $0 - time < .seconds(60) } <= 10) }
        #expect(told.count == 100)
    }
}
