import Dispatch
import RoomEngine
import SessionCoordinator
import Synchronization
import Testing
import WireProtocol

@testable import ControllerClient
@testable import Datagrams
@testable import RoomRecords
@testable import RoomServer
@testable import Roomful

@Suite("A room that another host owns from some moment on", .serialized, .timeLimit(.minutes(2)))
struct DeposedRoomTests {
    @Test("One that was deposed while it opened closes at once, and what comes after it gets its turn")
    func whileItOpens() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        let tenure = TestTenure()
        tenure.end()
        var options = try house.options()
        options.tenure = tenure
        try await withRoom(options) { room in
            try await until("its end") { !room.isOpen }
            // It waits for no broker any more.
            #expect(await room.status().isSilent == nil)
        }
    }

    @Test("Whatever it may do just then, its status never looks locked without saying that it is silent")
    func betweenActingAndNot() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        let tenure = TestTenure()
        var options = try house.options()
        options.tenure = tenure
        try await withRoom(options) { room in
            for _ in 0..<20 {
                tenure.fence.allow(until: nil)
                try await until("its silence") { await room.status().isSilent == true }
                tenure.fence.allow(until: .distantFuture)
                let status = await room.status()
                #expect(status.isSilent == true || !status.isLocked)
            }
        }
    }

    @Test("Who had asked before it was deposed, and who asked since, is answered in the order of asking")
    func answersInOrder() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        let answered = AnswerOrder()
        try await withRoom(try house.options()) { room in
            // All of them are there when the thread looks.
            let gate = DispatchSemaphore(value: 0)
            room.loop.post(.record(nil) { gate.wait() })
            for number in 0..<40 {
                if number == 20 { room.loop.post(.abandon) }
                room.loop.post(.command(.departed, { _ in answered.note(number) }))
            }
            gate.signal()
            try await until("its end") { !room.isOpen }
        }
        #expect(answered.numbers == Array(0..<40))
    }

    @Test("An invitation that is open when its room is deposed ends for both sides, though the room says nothing more")
    func whileItInvites() async throws {
        let tenure = TestTenure()
        try await meet({ $0.tenure = tenure }) { room, waiting in
            let over = waiting.answer { invitation in
                tenure.end()
                await invitation.untilOver()
                #expect(!invitation.isOpen && invitation.expiresAt > .now)
            }
            let outcome = try await room.invite(at: waiting.address)
            #expect(outcome.reason == "closing", "\(outcome)")
            try await over.value
        }
    }
}

private final class AnswerOrder: Sendable {
    private let all = Mutex<[Int]>([])
    var numbers: [Int] { all.withLock { $0 } }
    func note(_ number: Int) { all.withLock { $0.append(number) } }
}

/// A room's tenure that lasts until a test ends it.
final class TestTenure: RoomTenure {
    private struct State {
        var isOver = false
        var change: (@Sendable () -> Void)?
    }

    let epoch: UInt64 = 1
    let opened = "2026-11-22T20:42:03.291Z"
    let lastEvent = 0
    let fence = ActingFence()
    let isHandover = false
    let words = ""
    private let state = Mutex(State())

    init() { fence.allow(until: .distantFuture) }

    /// Another host owns the room from now on.
    func end() {
        fence.allow(until: nil)
        let change = state.withLock { state in
            state.isOver = true
            return state.change
        }
        change?()
    }

    var isOver: Bool { state.withLock { $0.isOver } }

    func onChange(_ change: (@Sendable () -> Void)?) { state.withLock { $0.change = change } }

    func begin(with heritage: RoomHeritage) {}
    func keep(_ changes: [LeaseChange]) {}
    func keep(_ talents: PlayerTalents, of controller: ControllerID) {}
    func keep(_ text: String, asFile name: String) {}
    func mayTell(_ number: Int) -> Bool { true }
    func prepareHandover() throws {}
    func leave() -> Bool { false }
}
