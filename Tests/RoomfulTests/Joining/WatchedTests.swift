import Testing

@testable import Connections
@testable import Roomful

@Suite("A value that others wait for")
struct WatchedTests {
    @Test("Whoever waits for what already is goes on at once")
    func present() async {
        #expect(await Watched(3).first { $0 == 3 } == 3)
    }

    @Test("Each change wakes those whose condition holds then, and nobody else")
    func waking() async {
        let watched = Watched(0)
        async let three = watched.first { $0 >= 3 }
        async let five = watched.first { $0 >= 5 }
        for value in 1...5 { watched.change { $0 = value } }
        #expect(await three ?? 0 >= 3)
        #expect(await five == 5)
    }

    @Test("A cancelled task waits no longer")
    func cancelling() async {
        let watched = Watched(0)
        let waiting = Task { await watched.first { $0 == 1 } }
        waiting.cancel()
        #expect(await waiting.value == nil)
    }

    @Test("A time limit ends a wait")
    func limit() async {
        #expect(await Watched(0).first(within: .milliseconds(1)) { $0 == 1 } == nil)
    }
}
