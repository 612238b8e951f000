import Connections
import Synchronization
import Testing

@testable import ControllerClient

@Suite("A round of knocking at a room's addresses")
struct DoorRoundTests {
    /// What is behind each address, and what became of its door.
    private final class Street: Sendable {
        enum Behind: Sendable {
            case seat
            case nobody
            case stranger
            case refusal
            /// Opens only once nobody waits for it any more; whoever is its neighbour opens after it was knocked at.
            case sleeper
        }

        private struct Log {
            var knocked: [Int] = []
            var opened: [Int] = []
            var closed: [Int] = []
            var asked: [Int] = []
        }

        private let houses: [Int: Behind]
        private let log = Watched(Log())

        init(_ houses: [Int: Behind]) { self.houses = houses }

        var opened: [Int] { log.value.opened.sorted() }
        var closed: [Int] { log.value.closed.sorted() }
        var asked: [Int] { log.value.asked }

        private var sleepers: [Int] { houses.filter { $0.value == .sleeper }.keys.sorted() }

        /// Until those were knocked at, or asked at.
        func reached(_ ports: [Int]) async {
            _ = await log.first { log in ports.allSatisfy { log.knocked.contains($0) } }
        }

        func askedAt(_ port: Int) async { _ = await log.first { $0.asked.contains(port) } }

        private func open(_ endpoint: Endpoint) async throws -> Int {
            log.change { $0.knocked.append(endpoint.port) }
            switch houses[endpoint.port] {
            case .sleeper: try? await Task.sleep(for: .seconds(600))
            case .seat, .stranger, .refusal: await reached(sleepers)
            case .nobody, nil: throw JoinError(.unreachable, "nobody at \(endpoint.port)")
            }
            log.change { $0.opened.append(endpoint.port) }
            return endpoint.port
        }

        /// As ``Applicant`` does it: who asks and gets no seat closes the door.
        private func ask(_ door: Int) throws -> String {
            log.change { $0.asked.append(door) }
            do {
                try Task.checkCancellation()
                switch houses[door] {
                case .stranger: throw JoinError(.untrusted, "a stranger")
                case .refusal: throw JoinError(.badOptions, "no")
                default: return "seat \(door)"
                }
            } catch {
                log.change { $0.closed.append(door) }
                throw error
            }
        }

        func enter(
            _ ways: [Int], further: (@Sendable () async -> [Endpoint])? = nil, within limit: Duration = .seconds(600)
        ) async throws -> String {
            let round = DoorRound(stagger: .milliseconds(5), pause: .milliseconds(5)) { [self] endpoint in
                try await open(endpoint)
            } close: { [self] door in
                log.change { $0.closed.append(door) }
            }
            return try await round.enter(ways.map(Self.endpoint), further: further, by: .now + limit) { door, _ in
                try ask(door)
            }
        }

        static func endpoint(_ port: Int) -> Endpoint { Endpoint(host: "127.0.0.1", port: port) }
    }

    @Test("The first behind which there is a seat is gone in at, whoever hangs before it; the others' doors are closed")
    func first() async throws {
        let street = Street([1: .sleeper, 2: .nobody, 3: .seat])
        #expect(try await street.enter([1, 2, 3]) == "seat 3")
        #expect(street.asked == [3])
        // The sleeper opened when nobody waited any more: that door was closed, and the one gone in at was not.
        #expect(street.opened == [1, 3] && street.closed == [1])
    }

    @Test("An address that is heard of later is tried too, and none of those that were known a second time for it")
    func later() async throws {
        let street = Street([1: .stranger, 2: .seat])
        let seat = try await street.enter([1]) {
            await street.askedAt(1)
            return [Street.endpoint(1), Street.endpoint(2)]
        }
        #expect(seat == "seat 2")
        #expect(street.asked == [1, 2] && street.closed == [1])
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
        let door = try await round.enter([1, 2].map(Street.endpoint), by: .now + .seconds(600)) { door, _ in door }
        #expect(door == 4)
    }

    @Test("While a search alone is awaited a host without its room is left alone; who may start by then is asked again")
    func whileSearching() async throws {
        let knocks = Watched([Int: Int]())
        let round = DoorRound<Int>(stagger: .milliseconds(5), pause: .milliseconds(5)) { endpoint in
            knocks.change { $0[endpoint.port, default: 0] += 1 }
            throw JoinError(endpoint.port == 1 ? .roomVanished : .unreachable, "not now")
        } close: { _ in
        }
        await #expect(throws: JoinError.self) {
            try await round.enter(
                [1, 2].map(Street.endpoint),
                further: {
                    _ = await knocks.first { $0[2] ?? 0 >= 20 }
                    return []
                }, by: .now + .seconds(600)
            ) { door, _ in door }
        }
        // Once more at most, as the other had not been heard yet.
        #expect(knocks.value[1] ?? 0 <= 2)
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
        #expect(street.closed == street.opened)
    }

    @Test("What was said at this machine's own address is told only where nothing was said at another")
    func ownAddress() async throws {
        let round = DoorRound<Int>(stagger: .milliseconds(5), pause: .seconds(600)) { endpoint in
            switch endpoint.host {
            case "192.0.2.1": throw JoinError(.unreachable, "nobody there")
            case "192.0.2.2": throw JoinError(.notARoom, "late", isLate: true)
            default: throw JoinError(.untrusted, "a room of one's own")
            }
        } close: { _ in
        }
        func told(_ hosts: [String]) async -> JoinError.Code? {
            let ways = hosts.map { Endpoint(host: $0, port: 7_777) }
            let error = await #expect(throws: JoinError.self) {
                try await round.enter(ways, by: .now + .seconds(600)) { door, _ in door }
            }
            return error?.code
        }
        #expect(await told(["127.0.0.1", "192.0.2.1"]) == .unreachable)
        #expect(await told(["192.0.2.1", "::1"]) == .unreachable)
        #expect(await told(["localhost", "192.0.2.1", "192.0.2.2", "127.0.0.1"]) == .notARoom)
        #expect(await told(["127.0.0.1"]) == .untrusted)
    }

    @Test("What is no matter of one address ends the round at once, with all doors closed")
    func refused() async throws {
        let street = Street([1: .sleeper, 2: .refusal, 3: .sleeper])
        let error = await #expect(throws: JoinError.self) { try await street.enter([1, 2, 3]) }
        #expect(error?.code == .badOptions)
        #expect(street.opened == [1, 2, 3] && street.closed == [1, 2, 3])
    }

    @Test("Who gives up leaves no door open, not even one that opens a moment later")
    func cancelled() async throws {
        let street = Street([1: .sleeper, 2: .sleeper])
        let task = Task { try await street.enter([1, 2]) { [] } }
        await street.reached([1, 2])
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(street.opened == [1, 2] && street.closed == [1, 2])
    }

    @Test("Whoever hangs is not waited for beyond the deadline, and what was said until then is told")
    func deadline() async throws {
        let street = Street([1: .sleeper])
        let silence = await #expect(throws: JoinError.self) {
            try await street.enter([1], within: .milliseconds(30))
        }
        #expect(silence?.code == .timedOut)
        // Its neighbour is knocked at and gone again in less time than that, or else nothing was said.
        let absence = await #expect(throws: JoinError.self) {
            try await street.enter([2, 1], within: .seconds(2))
        }
        #expect(absence?.code == .unreachable)
        #expect(street.closed == street.opened)
    }

    @Test("A deadline that moves while somebody is asked holds for all who are asked after")
    func movedDeadline() async throws {
        let first = ContinuousClock.now + .seconds(2)
        let round = DoorRound(stagger: .milliseconds(5), pause: .milliseconds(5)) { endpoint in
            if endpoint.port == 2 { try await Task.sleep(until: first + .milliseconds(50), clock: .continuous) }
            return endpoint.port
        } close: { _ in
        }
        let door = try await round.enter([1, 2].map(Street.endpoint), by: first) { door, deadline in
            deadline += .seconds(600)
            if door == 1 { throw JoinError(.untrusted, "a stranger") }
            return door
        }
        #expect(door == 2)
    }
}
