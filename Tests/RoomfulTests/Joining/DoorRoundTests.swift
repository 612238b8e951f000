import Connections
import Synchronization
import Testing

@testable import ControllerClient

@Suite("A round of knocking at a room's addresses")
struct DoorRoundTests {
    /// What is behind an address, and what became of its door.
    private final class Street: Sendable {
        enum Behind: Sendable {
            case seat
            case nobody
            case stranger
            case refusal
            /// Opens only once nobody waits for it any more.
            case sleeper
        }

        private let houses: [Int: Behind]
        private let log = Mutex<(opened: [Int], closed: [Int], entered: [Int])>(([], [], []))

        init(_ houses: [Int: Behind]) { self.houses = houses }

        var opened: [Int] { log.withLock { $0.opened.sorted() } }
        var closed: [Int] { log.withLock { $0.closed.sorted() } }
        var entered: [Int] { log.withLock { $0.entered } }

        func round() -> DoorRound<Int> {
            DoorRound(stagger: .milliseconds(5), pause: .milliseconds(5)) { [self] endpoint in
                switch houses[endpoint.port] {
                case .sleeper:
                    try? await Task.sleep(for: .seconds(600))
                    fallthrough
                case .seat, .stranger, .refusal:
                    log.withLock { $0.opened.append(endpoint.port) }
                    return endpoint.port
                case .nobody, nil: throw JoinError(.unreachable, "nobody at \(endpoint.port)")
                }
            } close: { [self] door in
                log.withLock { $0.closed.append(door) }
            }
        }

        /// As ``Applicant`` does it: who has given up closes the door that opens then.
        func ask(_ door: Int, _ deadline: inout ContinuousClock.Instant) throws -> String {
            if Task.isCancelled {
                log.withLock { $0.closed.append(door) }
                throw CancellationError()
            }
            log.withLock { $0.entered.append(door) }
            switch houses[door] {
            case .stranger: throw JoinError(.untrusted, "a stranger")
            case .refusal: throw JoinError(.badOptions, "no")
            default: return "seat \(door)"
            }
        }

        func enter(
            _ ways: [Int], further: (@Sendable () async -> [Endpoint])? = nil, within limit: Duration = .seconds(60)
        ) async throws -> String {
            try await round().enter(ways.map(Self.endpoint), further: further, by: .now + limit, ask)
        }

        static func endpoint(_ port: Int) -> Endpoint { Endpoint(host: "127.0.0.1", port: port) }
    }

    @Test("The first behind which there is a seat is gone in at, whoever hangs before it; the others' doors are closed")
    func first() async throws {
        let street = Street([1: .sleeper, 2: .nobody, 3: .seat])
        #expect(try await street.enter([1, 2, 3]) == "seat 3")
        #expect(street.entered == [3])
        // The sleeper opened when nobody waited any more: that door was closed, and the one gone in at was not.
        #expect(street.opened == [1, 3] && street.closed == [1])
    }

    @Test("An address that is heard of later is tried too, and none of those that were known a second time for it")
    func later() async throws {
        let street = Street([1: .stranger, 2: .seat])
        let seat = try await street.enter([1]) {
            try? await Task.sleep(for: .milliseconds(20))
            return [Street.endpoint(1), Street.endpoint(2)]
        }
        #expect(seat == "seat 2")
        #expect(street.entered == [1, 2])
    }

    @Test("While others are awaited, who was not there is asked again, and may be there by then")
    func again() async throws {
        let calls = Mutex(0)
        let round = DoorRound(stagger: .milliseconds(5), pause: .milliseconds(5)) { endpoint in
            if endpoint.port == 1 { try await Task.sleep(for: .seconds(600)) }
            let call = calls.withLock { calls in
                calls += 1
                return calls
            }
            if call < 4 { throw JoinError(.unreachable, "not yet") }
            return call
        } close: { _ in
        }
        let door = try await round.enter([1, 2].map(Street.endpoint), by: .now + .seconds(60)) { door, _ in door }
        #expect(door == 4)
    }

    @Test("With no seat anywhere the error that says most is told: of a stranger, not of an empty house")
    func heaviest() async throws {
        let street = Street([1: .stranger])
        for ways in [[1, 2], [2, 1]] {
            let error = await #expect(throws: JoinError.self) { try await street.enter(ways) { [] } }
            #expect(error?.code == .untrusted)
        }
        let error = await #expect(throws: JoinError.self) { try await street.enter([2, 3]) { [] } }
        #expect(error?.code == .unreachable)
        let nowhere = await #expect(throws: JoinError.self) { try await street.enter([]) }
        #expect(nowhere?.code == .timedOut)
        #expect(street.closed.isEmpty)
    }

    @Test("What is no matter of one address ends the round at once, with all doors closed")
    func refused() async throws {
        let street = Street([1: .sleeper, 2: .refusal, 3: .sleeper])
        let error = await #expect(throws: JoinError.self) { try await street.enter([1, 2, 3]) }
        #expect(error?.code == .badOptions)
        #expect(street.closed == street.opened.filter { $0 != 2 } && street.closed.contains(1))
    }

    @Test("Who gives up leaves no door open, not even one that opens a moment later")
    func cancelled() async throws {
        let street = Street([1: .sleeper, 2: .sleeper])
        let task = Task { try await street.enter([1, 2]) { [] } }
        try await Task.sleep(for: .milliseconds(50))
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(street.closed == street.opened && !street.opened.isEmpty)
    }
}
